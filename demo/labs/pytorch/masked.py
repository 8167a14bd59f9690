"""A masked word guessed from the left, the right and both sides in PyTorch: the first three updates.

Run it where `models/labs/alice.txt` is, or name a text: `python masked.py my_text.txt`.
"""

import re
import sys
from collections import Counter
from pathlib import Path

import torch
from torch import Tensor, nn

WIDTH, HIDDEN, LENGTH, ROWS, SIZE = 32, 48, 20, 24, 600
RATE, STEPS, UPDATES, UNKNOWN = 1e-2, 240, 3, 0

# Words with an empty one at each edge of a sentence; the last tenth is held out.
path = sys.argv[1] if len(sys.argv) > 1 else "models/labs/alice.txt"
words = [""]
for sentence in re.split(r"[.!?\n]+", Path(path).read_text(encoding="utf-8").lower()):
    if tokens := re.findall(r"[^\W]+(?:['’][^\W_]+)*", sentence):
        words += [*tokens, ""]
read = words[: round(len(words) * 0.9)]
frequent = Counter(word for word in read if word).most_common(SIZE)
index_of = {word: index for index, word in enumerate(["<unk>", "", *(word for word, _ in frequent)])}
ids = torch.tensor([index_of.get(word, UNKNOWN) for word in read])
rng = torch.Generator().manual_seed(7)


class Stack(nn.Module):
    """One direction: (B, T) words -> (B, T, V) logits of the next word."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(len(index_of), WIDTH)
        self.gru = nn.GRU(WIDTH, HIDDEN, batch_first=True)
        self.output = nn.Linear(HIDDEN, len(index_of), bias=False)
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -(HIDDEN**-0.5), HIDDEN**-0.5, generator=rng)

    def forward(self, x: Tensor) -> Tensor:
        """Return the logits of the word that follows each word."""
        logits: Tensor = self.output(self.gru(self.embedding(x))[0])
        return logits


class Masked(nn.Module):
    """Logits of each word from one side or both; both directions share one output bias."""

    def __init__(self, *, before: bool, behind: bool) -> None:
        super().__init__()
        self.before = Stack() if before else None
        self.behind = Stack() if behind else None
        self.bias = nn.Parameter(torch.zeros(len(index_of)))

    def forward(self, x: Tensor) -> Tensor:
        """(B, T) words -> (B, T - 2, V) for those between the first and the last."""
        logits = self.bias
        if self.before:
            logits = logits + self.before(x[:, :-2])
        if self.behind:
            logits = logits + self.behind(x[:, 2:].flip(1)).flip(1)
        return logits


sides = {"forward": (True, False), "backward": (False, True), "both": (True, True)}
networks = {name: Masked(before=before, behind=behind) for name, (before, behind) in sides.items()}
optimizers = {name: torch.optim.Adam(network.parameters()) for name, network in networks.items()}
for step in range(UPDATES):
    starts = torch.randint(len(ids) - LENGTH + 1, (ROWS, 1), generator=rng)
    batch = ids[starts + torch.arange(LENGTH)]
    for name, network in networks.items():
        optimizers[name].param_groups[0]["lr"] = RATE * (1 - step / STEPS)
        logits = network(batch).flatten(0, 1)
        loss = nn.functional.cross_entropy(logits, batch[:, 1:-1].flatten(), ignore_index=UNKNOWN)
        optimizers[name].zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizers[name].step()
        print(f"{name}_loss", loss.item())
