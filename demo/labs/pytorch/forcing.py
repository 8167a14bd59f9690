"""Teacher forcing against free running, by a shipped checkpoint: run it where `checkpoints/` is."""

import json
import math
from pathlib import Path

import torch
from parts.checkpoint import tensors, vocabulary
from parts.recurrent import network

SCHEDULE = "linear"  # or "constant", "exponential", "inverse_sigmoid"
START = 1.0  # probability of the reference's token at the start of a training
END = 0.1
DONE = 50  # percent of the training
CHECKPOINT = "spa-eng-gru"
# The source and the reference as the checkpoint's tokenizer cuts them; ▁ begins a word.
TEXT = "▁Cuando ▁era ▁niño , ▁mi ▁abuelo ▁me ▁conta ba ▁histor ias ▁junto ▁al ▁fuego . </s>".split()
REFERENCE = "▁When ▁I ▁was ▁a ▁child , ▁my ▁grandfather ▁used ▁to ▁tell ▁me ▁st or ies . </s>".split()
GIVEN = 0  # tokens of the reference that the output begins with
DRAW = 1  # the number of the random draw

# The network was trained for hours, so this program reads what it learnt.
folder = Path("checkpoints") / CHECKPOINT
vocab, config = vocabulary(folder), json.loads((folder / "config.json").read_text("utf-8"))["network"]
source, reference = (torch.tensor([vocab[token] for token in text]) for text in (TEXT, REFERENCE))
bos, eos, size = vocab["<s>"], vocab["</s>"], len(reference)
torch.set_grad_enabled(False)
log_probs = network(tensors(folder), config, source)


def cost(fed):
    """The nats of each token of the reference, after the tokens that are fed."""
    return -log_probs(fed)[:size].gather(1, reference[: len(fed)].unsqueeze(1))[:, 0]


# Free-running: the network reads what it wrote.
free = [bos, *reference[: min(GIVEN, size - 1)].tolist()]
while free[-1] != eos and len(free) < size + 10:
    free.append(int(log_probs(torch.tensor(free))[-1].argmax()))

# Scheduled sampling: it reads the reference's token with a probability that falls during the training.
d, k = DONE / 100, math.exp(5)
linear, exponential = START + (END - START) * d, START * (END / START) ** d
sigmoid = END if d == 1 else END + (START - END) * (k + 1) / (k + math.exp(10 * d))
ratio = {"constant": START, "linear": linear, "exponential": exponential}.get(SCHEDULE, sigmoid)
coins, mixed = torch.rand((1, size), generator=torch.Generator().manual_seed(DRAW - 1))[0] < ratio, [bos]
for step in range(1, size):
    predicted = log_probs(torch.tensor(mixed))[-1].argmax()
    mixed.append(int(reference[step - 1] if coins[step] else predicted))

inputs, output = torch.tensor([bos, *reference[:-1]]), torch.tensor(free[1 : size + 1])
shared = len(output)
alike = output == reference[:shared]
print("ratio", ratio)
print("tokens", size)
print("first_difference", 0 if alike.all() else int(alike.int().argmin()) + 1)
print("teacher_forced_right", int((log_probs(inputs).argmax(dim=1) == reference).sum()))
print("free_running_right", int(alike.sum()))
print("teacher_forced_cost", float(cost(inputs)[:shared].mean()))
print("free_running_cost", float(cost(torch.tensor(free[:-1]))[:shared].mean()))
print("scheduled_cost", float(cost(torch.tensor(mixed))[:shared].mean()))
