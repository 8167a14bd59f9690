"""A text as character ids, and as windows that a recurrent network reads one after another."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import torch
from torch import Tensor

OTHER_CHARACTER = "\ufffd"  # stands for all characters beyond the most frequent
MAX_ALPHABET = 500  # different characters
HELD_OUT_SHARE = 0.1  # the share of a text, at its end, that is not trained on


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
        frequent = [character for character, _ in Counter(lower).most_common(MAX_ALPHABET)]
        other_character = OTHER_CHARACTER if len(frequent) < len(set(lower)) else ""
        alphabet = "".join(sorted(frequent)) + other_character
        index_of = {character: index for index, character in enumerate(alphabet)}
        ids = torch.tensor([index_of.get(character, len(alphabet) - 1) for character in lower])
        split = len(ids) - int(len(ids) * HELD_OUT_SHARE)
        return cls(alphabet, ids[:split], ids[split:])


def in_rows(ids: Tensor, rows: int, steps: int) -> Tensor:
    """Return ids (rows, length): at most `rows` rows of equal length, each with at least one window."""
    count = max(1, min(rows, len(ids) // (steps + 1)))
    length = len(ids) // count
    return ids[: count * length].view(count, length)


def window(streams: Tensor, number: int, steps: int) -> tuple[Tensor, Tensor, bool]:
    """Return window `number`: ids (steps, rows), the next ids, and whether it continues the last window."""
    windows = (streams.shape[1] - 1) // steps
    index = number % windows * steps
    return streams[:, index : index + steps].T, streams[:, index + 1 : index + steps + 1].T, index > 0
