"""A character RNN in PyTorch: its perplexity before training, and the losses of its first updates.

Run it where `models/labs/alice.txt` is, or name a text: `python charrnn.py my_text.txt`.
"""

import math
import sys
from pathlib import Path

import torch
from torch import nn

HIDDEN, ROWS, STEPS = 64, 16, 32
RATE, THRESHOLD, UPDATES = 2.0, 1.0, 5

# The text as numbers of its characters. The last tenth is held out.
path = sys.argv[1] if len(sys.argv) > 1 else "models/labs/alice.txt"
text = Path(path).read_text(encoding="utf-8").lower()
alphabet = sorted(set(text))
ids = torch.tensor([alphabet.index(character) for character in text])
cut = len(ids) - len(ids) // 10
training_ids, held_out = ids[:cut], ids[cut:]
size = len(alphabet)

torch.manual_seed(7)
rnn, head = nn.RNN(size, HIDDEN), nn.Linear(HIDDEN, size)
nn.init.zeros_(head.bias)
parameters = [*rnn.parameters(), *head.parameters()]
optimizer = torch.optim.SGD(parameters, lr=RATE)
loss_of = nn.CrossEntropyLoss()


def one_hot(characters: torch.Tensor) -> torch.Tensor:
    """Return one-hot rows: (T, B) -> (T, B, V)."""
    return nn.functional.one_hot(characters, size).float()


# Perplexity on 32 pieces of 64 held-out characters.
pieces = held_out[: len(held_out) // 32 * 32].view(32, -1)[:, :65].T
with torch.no_grad():
    output, h_n = rnn(one_hot(pieces[:-1]))
    loss = loss_of(head(output).flatten(0, 1), pieces[1:].flatten())
print("uniform_perplexity", size)
print("perplexity_before", math.exp(loss))
print("output", tuple(output.shape), "h_n", tuple(h_n.shape))
print("output[-1] = h_n[-1]:", torch.equal(output[-1], h_n[-1]))

# Windows of 32 characters in 16 rows. The state goes from window to window, the gradient does not.
streams = training_ids[: len(training_ids) // ROWS * ROWS].view(ROWS, -1).T
state = torch.zeros(1, ROWS, HIDDEN)
for update in range(UPDATES):
    window = streams[update * STEPS : (update + 1) * STEPS + 1]
    output, state = rnn(one_hot(window[:-1]), state.detach())
    loss = loss_of(head(output).flatten(0, 1), window[1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    norm = nn.utils.clip_grad_norm_(parameters, THRESHOLD)
    optimizer.step()
    print("update", update + 1, "loss", loss.item(), "norm", norm.item())
