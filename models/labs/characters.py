"""A text as numbers of its characters, and as windows that a recurrent network reads one after the other."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import torch
from torch import Tensor

OTHER = "\ufffd"  # stands for all characters beyond the most frequent
MOST = 500  # characters of an alphabet
HELD_OUT = 0.1  # the share of a text at its end from which nothing is learnt


@dataclass(frozen=True)
class Characters:
    """A text in lower case, by the places of its characters in an alphabet."""

    alphabet: str
    training_ids: Tensor  # (N,)
    held_out: Tensor  # (M,)

    @classmethod
    def of(cls, text: str) -> Characters:
        """Of at least one character."""
        lower = text.lower()
        frequent = [character for character, _ in Counter(lower).most_common(MOST)]
        other = OTHER if len(frequent) < len(set(lower)) else ""
        alphabet = "".join(sorted(frequent)) + other
        index_of = {character: index for index, character in enumerate(alphabet)}
        ids = torch.tensor([index_of.get(character, len(alphabet) - 1) for character in lower])
        cut = len(ids) - int(len(ids) * HELD_OUT)
        return cls(alphabet, ids[:cut], ids[cut:])


def in_rows(ids: Tensor, rows: int, steps: int) -> Tensor:
    """(rows, length): at most so many rows of equal length, each with room for a window and its target."""
    count = max(1, min(rows, len(ids) // (steps + 1)))
    length = len(ids) // count
    return ids[: count * length].view(count, length)


def window(streams: Tensor, number: int, steps: int) -> tuple[Tensor, Tensor, bool]:
    """(steps, rows) of characters and of those that follow; whether it goes on where the one before ended."""
    windows = (streams.shape[1] - 1) // steps
    index = number % windows * steps
    return streams[:, index : index + steps].T, streams[:, index + 1 : index + steps + 1].T, index > 0
