"""A text as character ids, and as windows that a recurrent network reads one after another."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import torch
from torch import Tensor

OTHER = "\ufffd"  # stands for all characters beyond the most frequent
MAX_CHARACTERS = 500  # characters of an alphabet
HELD_OUT = 0.1  # the share of a text at its end from which nothing is learnt


@dataclass(frozen=True)
class Characters:
    """A text in lower case as indices into its alphabet."""

    alphabet: str
    training_ids: Tensor  # (N,)
    held_out: Tensor  # (M,)

    @classmethod
    def of(cls, text: str) -> Characters:
        """Return the characters of a text of at least one character."""
        lower = text.lower()
        frequent = [character for character, _ in Counter(lower).most_common(MAX_CHARACTERS)]
        other = OTHER if len(frequent) < len(set(lower)) else ""
        alphabet = "".join(sorted(frequent)) + other
        index_of = {character: index for index, character in enumerate(alphabet)}
        ids = torch.tensor([index_of.get(character, len(alphabet) - 1) for character in lower])
        cut = len(ids) - int(len(ids) * HELD_OUT)
        return cls(alphabet, ids[:cut], ids[cut:])


def in_rows(ids: Tensor, rows: int, steps: int) -> Tensor:
    """Return (rows, length): at most so many rows of equal length, each at least a window and its target."""
    count = max(1, min(rows, len(ids) // (steps + 1)))
    length = len(ids) // count
    return ids[: count * length].view(count, length)


def window(streams: Tensor, number: int, steps: int) -> tuple[Tensor, Tensor, bool]:
    """Return (steps, rows) of characters and of their successors, and whether it continues the last one."""
    windows = (streams.shape[1] - 1) // steps
    index = number % windows * steps
    return streams[:, index : index + steps].T, streams[:, index + 1 : index + steps + 1].T, index > 0
