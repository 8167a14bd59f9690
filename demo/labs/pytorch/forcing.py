"""Teacher forcing against free running in PyTorch, by the shipped translator spa-eng-gru.

Run it where `checkpoints/` is: "When I was a child, my grandfather used to tell me stories by the fire."
"""

import json
import struct
from pathlib import Path

import torch
from torch import Tensor, nn

SOURCE = torch.tensor([1803, 697, 1491, 13, 326, 3768, 184, 2548, 274, 1594, 1767, 4888, 208, 3371, 15, 3])
REFERENCE = torch.tensor(  # what is said above; the source says it in Spanish
    [980, 137, 235, 113, 972, 13, 289, 3967, 1322, 144, 731, 184, 308, 132, 652, 573, 155, 2066, 15, 3]
)
START, END, T = 2, 3, len(REFERENCE)
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
    """The checkpoint's encoder or decoder."""
    layer = nn.GRU(*size, batch_first=True, **options)
    own = {key.removeprefix(f"{name}."): value for key, value in weights.items() if key.startswith(name)}
    layer.load_state_dict(own)
    return layer


torch.set_grad_enabled(False)
embedding = weights["tgt_embedding.weight"]  # of source and target, and of the output layer
encoder, decoder = gru("encoder", 256, 256, bidirectional=True), gru("decoder", 256, 512)
memory, final = encoder(embedding[SOURCE].unsqueeze(0))  # (1, S, D); (2, 1, D / 2)
first_state = final.transpose(0, 1).reshape(1, 1, -1)
keys = memory @ weights["attention.key.weight"].T


def log_probs(tokens: Tensor) -> Tensor:
    """Of what follows each token that is fed: (T,) -> (T, V)."""
    states, _ = decoder(embedding[tokens].unsqueeze(0), first_state)
    queries = states @ weights["attention.query.weight"].T + weights["attention.query.bias"]
    energies = (queries.unsqueeze(2) + keys.unsqueeze(1)).tanh() @ weights["attention.energy.weight"][0]
    mixed = torch.cat([states, energies.softmax(dim=-1) @ memory], dim=-1)
    features = (mixed @ weights["readout.weight"].T + weights["readout.bias"]).tanh()
    return (features @ embedding.T + weights["output.bias"]).log_softmax(dim=-1)[0]


def cost(fed: Tensor) -> Tensor:
    """Nats of each token of the reference, after what is fed."""
    return -log_probs(fed)[: len(REFERENCE)].gather(1, REFERENCE[: len(fed)].unsqueeze(1))[:, 0]


free, mixed, ratio = [START], [START], FIRST + (LAST - FIRST) * DONE
coins = torch.rand((1, T), generator=torch.Generator().manual_seed(0))[0] < ratio
while free[-1] != END and len(free) < T + 10:
    free.append(int(log_probs(torch.tensor(free))[-1].argmax()))
for at in range(1, T):  # scheduled sampling: the reference's token, or what the network finds most probable
    own = log_probs(torch.tensor(mixed))[-1].argmax()
    mixed.append(int(REFERENCE[at - 1] if coins[at] else own))
given = torch.cat([torch.tensor([START]), REFERENCE[:-1]])
written = torch.tensor(free[1:])
shared = min(T, len(written))
alike = written[:shared] == REFERENCE[:shared]
print("ratio", ratio)
print("tokens", T)
print("first_difference", 0 if alike.all() else int(alike.int().argmin()) + 1)
print("teacher_forced_right", int((log_probs(given).argmax(dim=1) == REFERENCE).sum()))
print("free_running_right", int(alike.sum()))
print("teacher_forced_cost", float(cost(given)[:shared].mean()))
print("free_running_cost", float(cost(torch.tensor(free[:-1]))[:shared].mean()))
print("scheduled_cost", float(cost(torch.tensor(mixed)).mean()))
