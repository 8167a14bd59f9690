"""Teacher forcing against free running, by the shipped spa-eng-gru: run it where `checkpoints/` is."""

import json
import struct
from pathlib import Path

import torch
from torch import Tensor, nn

# Pieces of the checkpoint's vocabulary; ▁ begins a word.
PIECES = "▁Cuando ▁era ▁niño , ▁mi ▁abuelo ▁me ▁conta ba ▁histor ias ▁junto ▁al ▁fuego . </s>"
WANTED = "▁When ▁I ▁was ▁a ▁child , ▁my ▁grandfather ▁used ▁to ▁tell ▁me ▁st or ies ▁by ▁the ▁fire . </s>"
vocab = json.loads(Path("checkpoints/spa-eng-gru/tokenizer.json").read_text("utf-8"))["model"]["vocab"]
source, reference = (torch.tensor([vocab[piece] for piece in text.split()]) for text in (PIECES, WANTED))
START, END, T = vocab["<s>"], vocab["</s>"], len(reference)
FIRST, LAST, DONE = 1.0, 0.1, 0.5  # of a linear schedule: its ends, and the share of training that is done

# A safetensors file: the length of a JSON header, the header, the numbers (here fp16).
content = Path("checkpoints/spa-eng-gru/model.safetensors").read_bytes()
(length,) = struct.unpack("<Q", content[:8])
weights = {}
for name, entry in json.loads(content[8 : 8 + length]).items():
    if name != "__metadata__":
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        numbers = torch.frombuffer(bytearray(content[begin:end]), dtype=torch.float16)
        weights[name] = numbers.view(entry["shape"]).float()


def gru(name: str, *size: int, **options: bool) -> nn.GRU:
    """Return the checkpoint's encoder or decoder."""
    layer = nn.GRU(*size, batch_first=True, **options)
    predicted = {
        key.removeprefix(f"{name}."): value for key, value in weights.items() if key.startswith(name)
    }
    layer.load_state_dict(predicted)
    return layer


torch.set_grad_enabled(False)
embedding = weights["tgt_embedding.weight"]  # of source and target, and of the output layer
encoder, decoder = gru("encoder", 256, 256, bidirectional=True), gru("decoder", 256, 512)
memory, final = encoder(embedding[source].unsqueeze(0))  # (1, S, D); (2, 1, D / 2)
first_state = final.transpose(0, 1).reshape(1, 1, -1)
keys = memory @ weights["attention.key.weight"].T


def log_probs(tokens: Tensor) -> Tensor:
    """Return the log-probabilities of the token after each token that is fed: (T,) -> (T, V)."""
    states, _ = decoder(embedding[tokens].unsqueeze(0), first_state)
    queries = states @ weights["attention.query.weight"].T + weights["attention.query.bias"]
    energies = (queries.unsqueeze(2) + keys.unsqueeze(1)).tanh() @ weights["attention.energy.weight"][0]
    mixed = torch.cat([states, energies.softmax(dim=-1) @ memory], dim=-1)
    features = (mixed @ weights["readout.weight"].T + weights["readout.bias"]).tanh()
    return (features @ embedding.T + weights["output.bias"]).log_softmax(dim=-1)[0]


def cost(fed: Tensor) -> Tensor:
    """Return the nats of each token of the reference, after the tokens that are fed."""
    return -log_probs(fed)[: len(reference)].gather(1, reference[: len(fed)].unsqueeze(1))[:, 0]


free, mixed, ratio = [START], [START], FIRST + (LAST - FIRST) * DONE
coins = torch.rand((1, T), generator=torch.Generator().manual_seed(0))[0] < ratio
while free[-1] != END and len(free) < T + 10:
    free.append(int(log_probs(torch.tensor(free))[-1].argmax()))
for step in range(1, T):  # scheduled sampling: the reference's token, or what the network finds most probable
    predicted = log_probs(torch.tensor(mixed))[-1].argmax()
    mixed.append(int(reference[step - 1] if coins[step] else predicted))
inputs = torch.cat([torch.tensor([START]), reference[:-1]])
free_tokens = torch.tensor(free[1:])
shared = min(T, len(free_tokens))
alike = free_tokens[:shared] == reference[:shared]
print("ratio", ratio)
print("tokens", T)
print("first_difference", 0 if alike.all() else int(alike.int().argmin()) + 1)
print("teacher_forced_right", int((log_probs(inputs).argmax(dim=1) == reference).sum()))
print("free_running_right", int(alike.sum()))
print("teacher_forced_cost", float(cost(inputs)[:shared].mean()))
print("free_running_cost", float(cost(torch.tensor(free[:-1]))[:shared].mean()))
print("scheduled_cost", float(cost(torch.tensor(mixed)).mean()))
