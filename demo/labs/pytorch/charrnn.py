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
RATE = "2"  # of learning: "0.5", "1", "2", "4"
TRUNCATION = "full"  # or "truncated": the gradient is cut off every so many steps; or "randomised"
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
optimizer = torch.optim.SGD(parameters, lr=float(RATE))
chance = torch.Generator().manual_seed(7)


def in_rows(ids, rows, steps):
    """Rows of equal length, each longer than a window, as columns: (T, B)."""
    count = max(1, min(rows, len(ids) // (steps + 1)))
    return ids[: len(ids) // count * count].view(count, -1).T


def scaled(state, scale):
    """The same state with its gradient multiplied by a number; an LSTM has h and c."""
    if isinstance(state, tuple):
        return tuple(scaled(part, scale) for part in state)
    return state.detach() + scale * (state - state.detach()) if scale else state.detach()


def loss_of(characters, state, length, scales):
    """The mean loss of predicting each next character (T + 1, B), the outputs (T, B, H), the last state.

    Before each `length` characters the gradient to the state is multiplied by one of the scales.
    """
    outputs = []
    for part, scale in zip(F.one_hot(characters[:-1], size).float().split(length), scales, strict=False):
        output, state = rnn(part, state if state is None else scaled(state, scale))
        outputs.append(output)
    logits = head(torch.cat(outputs)).flatten(0, 1)
    return F.cross_entropy(logits, characters[1:].flatten()), torch.cat(outputs), state


@torch.no_grad()
def held_out():
    """The perplexity of the held-out text, and how far the last output lies from the last state."""
    loss, output, state = loss_of(in_rows(ids[cut:], 32, 64)[:65], None, 64, [0])
    h_n = state[0] if CELL == "lstm" else state
    return math.exp(loss) if loss < 700 else math.inf, (output[-1] - h_n[-1]).abs().max().item()


before, gap = held_out()
after, norms, state, streams = before, [], None, in_rows(ids[:cut], ROWS, STEPS)
for update in range(UPDATES):
    start = update % ((len(streams) - 1) // STEPS) * STEPS  # the state goes from window to window
    state = scaled(state, 0) if start else None
    length, scales = (EVERY if TRUNCATION == "truncated" else STEPS), [0] * STEPS
    if TRUNCATION == "randomised":
        length, scales = 1, ((torch.rand(STEPS, generator=chance) < KEPT) / KEPT).tolist()
    loss, _, state = loss_of(streams[start : start + STEPS + 1], state, length, scales)
    optimizer.zero_grad()
    loss.backward()
    norm = nn.utils.clip_grad_norm_(parameters, math.inf if CLIPPING == "off" else float(CLIPPING)).item()
    if not math.isfinite(loss.item() + norm):  # the training broke down
        after = math.inf
        break
    optimizer.step()
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
