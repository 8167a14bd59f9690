"""A character RNN in PyTorch: run it in the project's folder."""

import math
from collections import Counter
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F

CELL = "rnn"  # or "gru", "lstm"
LAYERS = "1"  # or "2"
CLIPPING = "1"  # the largest gradient norm: "0.25", "1", "5", or "off"
RATE = "2"  # the learning rate: "0.5", "1", "2", "4"
TRUNCATION = "full"  # or "truncated": the gradient is cut off every EVERY steps; or "randomised"
EVERY = 5  # steps, where truncated
KEPT = 0.5  # probability that the gradient flows on at a step, where randomised
TEXT = ""  # empty: the novel
UPDATES = 600  # 0: before the training
HIDDEN, ROWS, STEPS, SIZE, INTERVAL = 64, 16, 32, 500, 50

# The text as numbers of its characters, the rare ones as one. The last tenth is held out.
text = (TEXT.strip() or Path("models/labs/alice.txt").read_text("utf-8")).lower()
frequent = sorted(character for character, _ in Counter(text).most_common(SIZE))
alphabet = frequent + ["\ufffd"] * (len(frequent) < len(set(text)))
index_of = {character: index for index, character in enumerate(alphabet)}
ids, size = torch.tensor([index_of.get(character, len(alphabet) - 1) for character in text]), len(alphabet)
cut, total = len(ids) - int(len(ids) * 0.1), 600 // int(LAYERS)

torch.manual_seed(7)
rnn = {"rnn": nn.RNN, "gru": nn.GRU, "lstm": nn.LSTM}[CELL](size, HIDDEN, int(LAYERS))
head = nn.Linear(HIDDEN, size)
nn.init.zeros_(head.bias)
parameters = [*rnn.parameters(), *head.parameters()]
chance = torch.Generator().manual_seed(7)


def step(x, h, c, weight, bias):
    """One step as nn.RNN, nn.GRU and nn.LSTM make it; only an LSTM reads c."""
    if CELL == "rnn":
        return (x + h @ weight.T + bias).tanh(), c
    if CELL == "gru":
        (x_r, x_z, x_n), (u_r, u_z, u_n) = x.chunk(3, -1), (h @ weight.T + bias).chunk(3, -1)
        n = (x_n + (x_r + u_r).sigmoid() * u_n).tanh()
        return n + (x_z + u_z).sigmoid() * (h - n), c
    i, f, g, o = (x + h @ weight.T + bias).chunk(4, -1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


def scale_gradient(state, scale):
    """The same numbers; the gradient that flows back through them is multiplied by `scale`."""
    return state if scale == 1 else state.detach() + (scale * (state - state.detach()) if scale else 0)


def run(characters, state, scales):
    """The loss of predicting each next character (T + 1, B), the outputs, each layer's last h and c."""
    inputs, last = F.one_hot(characters[:-1], size).float(), []
    for (w_ih, w_hh, b_ih, b_hh), (h, c) in zip(rnn.all_weights, state, strict=True):
        outputs = []
        for x, scale in zip(inputs @ w_ih.T + b_ih, scales, strict=False):
            h, c = step(x, scale_gradient(h, scale), scale_gradient(c, scale), w_hh, b_hh)
            outputs.append(h)
        inputs = torch.stack(outputs)
        last.append((h.detach(), c.detach()))
    logits = inputs @ head.weight.T + head.bias
    return F.cross_entropy(logits.flatten(0, 1), characters[1:].flatten()), inputs, last


def in_rows(ids, rows, steps):
    """Rows of equal length, each longer than a window, as columns: (T, B). And the state before them."""
    count = max(1, min(rows, len(ids) // (steps + 1)))
    zeros = torch.zeros(count, HIDDEN)
    return ids[: len(ids) // count * count].view(count, -1).T, [(zeros, zeros)] * int(LAYERS)


@torch.no_grad()
def held_out():
    """The perplexity of the held-out text, and how far the last output lies from the last state."""
    streams, zeros = in_rows(ids[cut:], 32, 64)
    loss, output, last = run(streams[:65], zeros, [1] * 64)
    return math.exp(loss) if loss < 700 else math.inf, (output[-1] - last[-1][0]).abs().max().item()


before, gap = held_out()
(streams, zeros), after, norms = in_rows(ids[:cut], ROWS, STEPS), before, []
state = zeros
for update in range(UPDATES):
    start = update % ((len(streams) - 1) // STEPS) * STEPS  # the state goes from window to window
    scales = [float(TRUNCATION == "full" or index % EVERY > 0) for index in range(STEPS)]
    if TRUNCATION == "randomised":
        scales = [float(item < KEPT) / KEPT for item in torch.rand(STEPS, generator=chance)]
    loss, _, state = run(streams[start : start + STEPS + 1], state if start else zeros, scales)
    gradients = torch.autograd.grad(loss, parameters)
    norm = math.sqrt(math.fsum(float(gradient.pow(2).sum()) for gradient in gradients))
    if not math.isfinite(loss.item() + norm):  # the training broke down
        after = math.inf
        break
    shrink = 1 if CLIPPING == "off" else min(1, float(CLIPPING) / norm)
    with torch.no_grad():
        for parameter, gradient in zip(parameters, gradients, strict=True):
            parameter -= float(RATE) * (gradient * shrink)
    norms.append(norm)
    if (update + 1) % INTERVAL == 0 or update + 1 == total:
        after, _ = held_out()
print("uniform_perplexity", size)
print("perplexity_before", before)
print("perplexity", "∞" if math.isinf(after) else after)
print("output_gap", gap)
print("weights", sum(parameter.numel() for parameter in parameters))
if norms:
    print("largest_gradient_norm", max(norms))
