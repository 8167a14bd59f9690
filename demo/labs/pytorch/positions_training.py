"""A small Transformer in PyTorch that learns to copy: six random letters, a bar, the same letters again."""

import math

import torch
from parts.sinusoids import sinusoids
from parts.small_transformer import D, mask, states, weights_of
from torch.nn import functional as F

MASK = "decoder"  # or "encoder", "prefix"
POSITIONS = "sinusoidal"  # or "none"
LAYER = "1"  # or "2": whose attention is printed
UPDATES = 500  # 0: before the training
LETTERS, COPIED, ROWS, TESTED, LAST = 8, 6, 32, 200, 20
LENGTH = 2 * COPIED

generator = torch.Generator().manual_seed(7)
weights = weights_of(LETTERS + 1, generator)
weights.append(torch.randn(D, LETTERS + 1, generator=generator) / math.sqrt(D))
positions = sinusoids(LENGTH, D) if POSITIONS == "sinusoidal" else torch.zeros(LENGTH, D)
allowed = mask(MASK, LENGTH, COPIED + 1)


def strings(count, generator):
    """Random letters, the bar and the letters again: (B, 2 * COPIED + 1)."""
    letters = torch.randint(LETTERS, (count, COPIED), generator=generator)
    return torch.cat([letters, torch.full((count, 1), LETTERS), letters], dim=1)


def network(ids):
    """Logits of the token after each (B, T, V), and the attention weights of each layer."""
    length = ids.shape[1]
    x, attention = states(ids, weights[:-1], positions[:length], allowed[:length, :length])
    return x @ weights[-1], attention


optimizer = torch.optim.Adam([item.requires_grad_() for item in weights], lr=5e-3)
string, copy = [], []
for _ in range(UPDATES):
    tokens = strings(ROWS, generator)
    logits, _ = network(tokens[:, :-1])
    losses = F.cross_entropy(logits.transpose(1, 2), tokens[:, 1:], reduction="none").mean(dim=0)
    optimizer.zero_grad()
    losses.mean().backward()
    optimizer.step()
    string.append(losses[: COPIED - 1].mean().item())
    copy.append(losses[COPIED:].mean().item())

torch.set_grad_enabled(False)
print("honest_loss", math.log(LETTERS))
if UPDATES:
    print("string_loss", sum(string[-LAST:]) / len(string[-LAST:]))
    print("copy_loss", sum(copy[-LAST:]) / len(copy[-LAST:]))
    _, attention = network(strings(1, torch.Generator().manual_seed(8))[:, :-1])
    print("largest_weight_of_last", attention[int(LAYER) - 1][0, -1].max().item())
if UPDATES == 500:
    tokens = strings(TESTED, torch.Generator().manual_seed(9))
    targets, output = tokens[:, COPIED + 1 :], tokens[:, : COPIED + 1]
    correct = network(tokens[:, :-1])[0][:, COPIED:].argmax(dim=-1) == targets
    for _ in range(COPIED):  # the network reads what it wrote
        following = network(output)[0][:, -1].argmax(dim=-1)
        output = torch.cat([output, following.unsqueeze(1)], dim=1)
    print("read_right", correct.float().mean().item())
    print("written_right", (output[:, COPIED + 1 :] == targets).float().mean().item())
