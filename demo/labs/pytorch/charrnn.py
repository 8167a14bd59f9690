"""A character RNN in PyTorch: its perplexity before training, and the losses of its first updates.

Run it where `models/labs/alice.txt` is.
"""

import math
from pathlib import Path

import torch
from torch import nn

CELL = "rnn"  # or "gru", "lstm"
LAYERS = "1"  # or "2"
CLIPPING = "1"  # the largest gradient norm: "0.25", "1", "5", or "off"
RATE = "2"  # of learning: "0.5", "1", "2", "4"
TRUNCATION = "full"  # or "truncated": the gradient is cut off
EVERY = 5  # so many steps
TEXT = ""  # empty: the novel
HIDDEN, ROWS, STEPS, UPDATES = 64, 16, 32, 5

# The text as numbers of its characters. The last tenth is held out.
text = (TEXT.strip() or Path("models/labs/alice.txt").read_text(encoding="utf-8")).lower()
alphabet = sorted(set(text))
ids = torch.tensor([alphabet.index(character) for character in text])
cut = len(ids) - len(ids) // 10
training_ids, held_out = ids[:cut], ids[cut:]
size = len(alphabet)

torch.manual_seed(7)
rnn = {"rnn": nn.RNN, "gru": nn.GRU, "lstm": nn.LSTM}[CELL](size, HIDDEN, int(LAYERS))
head = nn.Linear(HIDDEN, size)
nn.init.zeros_(head.bias)
parameters = [*rnn.parameters(), *head.parameters()]
optimizer = torch.optim.SGD(parameters, lr=float(RATE))
loss_of = nn.CrossEntropyLoss()


def one_hot(characters: torch.Tensor) -> torch.Tensor:
    """Return one-hot rows: (T, B) -> (T, B, V)."""
    return nn.functional.one_hot(characters, size).float()


def detached(state):
    """Return the same state without a gradient; an LSTM has h and c."""
    return tuple(item.detach() for item in state) if isinstance(state, tuple) else state.detach()


def unrolled(inputs, state):
    """Return the output of all steps and the last state; a truncated gradient is cut in between."""
    outputs = []
    for part in inputs.split(EVERY if TRUNCATION == "truncated" else STEPS):
        output, state = rnn(part, detached(state))
        outputs.append(output)
    return torch.cat(outputs), state


# Perplexity on 32 pieces of 64 held-out characters.
pieces = held_out[: len(held_out) // 32 * 32].view(32, -1)[:, :65].T
with torch.no_grad():
    output, state = rnn(one_hot(pieces[:-1]))
    loss = loss_of(head(output).flatten(0, 1), pieces[1:].flatten())
h_n = state[0] if CELL == "lstm" else state
print("uniform_perplexity", size)
print("perplexity_before", math.exp(loss))
print("output", tuple(output.shape), "h_n", tuple(h_n.shape))
print("output[-1] = h_n[-1]:", torch.equal(output[-1], h_n[-1]))

# Windows of 32 characters in 16 rows. The state goes from window to window, the gradient does not.
streams = training_ids[: len(training_ids) // ROWS * ROWS].view(ROWS, -1).T
zeros = torch.zeros(int(LAYERS), ROWS, HIDDEN)
state = (zeros, zeros) if CELL == "lstm" else zeros
for update in range(UPDATES):
    window = streams[update * STEPS : (update + 1) * STEPS + 1]
    output, state = unrolled(one_hot(window[:-1]), state)
    loss = loss_of(head(output).flatten(0, 1), window[1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    norm = nn.utils.clip_grad_norm_(parameters, math.inf if CLIPPING == "off" else float(CLIPPING))
    optimizer.step()
    print("update", update + 1, "loss", loss.item(), "norm", norm.item())
