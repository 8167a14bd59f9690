"""Which units are worth a look: by how often a gate is shut or open, and by what a state goes along with.

Saturation is that of Karpathy et al. 2016, section 4.2. That units count down what is left to write is found
by Shi et al. 2016, "Why neural translations are the right length".
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.inspection.units import Values
from models.tokenization.tokenizer import EOS

SHUT, OPEN = 0.1, 0.9  # a gate below or above is saturated
WORD_SIGNS = ("▁", "Ġ", " ")  # with which tokenizers spell that a word begins

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Saturation:
    """For each of D units the share of steps, from 0 to 1."""

    shut: Numbers  # below SHUT: nothing passes
    open: Numbers  # above OPEN: all passes

    @property
    def share(self) -> Numbers:
        """Either of them."""
        return self.shut + self.open


def saturation(gate: Values) -> Saturation:
    """Of a gate's values (T, D)."""
    return Saturation((gate < SHUT).mean(axis=0), (gate > OPEN).mean(axis=0))


@dataclass(frozen=True)
class Carried:
    """The steps over which a unit keeps what it held: its gate stays open at all of them."""

    unit: int  # from 0
    first: int  # step, from 0, the one that it reads first
    last: int
    steps: int
    kept: float  # share of what it held before that is left at the end: the gate's values multiplied


def carried(gate: Values, backward: Sequence[bool]) -> list[Carried]:
    """The longest such steps of each unit that has any, of a keeping gate's values (T, D); the longest first.

    backward: whether a unit reads the steps from the last to the first. The step that a unit reads first is
    left out: it has held nothing before.
    """
    result = []
    for unit, reads_backward in enumerate(backward):
        order = range(len(gate))[:: -1 if reads_backward else 1]
        values = gate[list(order), unit]
        run = max(_runs(values), key=len, default=range(0))
        if run:
            kept = float(values[run.start : run.stop].prod())
            result.append(Carried(unit, order[run[0]], order[run[-1]], len(run), kept))
    return sorted(result, key=lambda item: (-item.steps, -item.kept))


def _runs(values: Numbers) -> Iterator[range]:
    """Stretches of steps, but for the first, at which a gate is open."""
    start = 1
    for step in range(1, len(values) + 1):
        if step == len(values) or values[step] <= OPEN:
            if step > start:
                yield range(start, step)
            start = step + 1


def spread(values: Values) -> Numbers:
    """For each unit its largest value less its smallest: (T, D) -> (D,)."""
    result: Numbers = np.ptp(values, axis=0)
    return result


def correlation(values: Values, goal: Numbers) -> Numbers:
    """Pearson's r of each unit with one number for each step: (T, D), (T,) -> (D,), each from -1 to 1.

    0 for what does not vary.
    """
    units, numbers = values - values.mean(axis=0), goal - goal.mean()
    product = np.sqrt((units**2).sum(axis=0) * (numbers**2).sum())
    result: Numbers = np.divide(
        numbers @ units, product, out=np.zeros(values.shape[1]), where=product > 1e-12
    )
    return result


def positions(lengths: Sequence[int]) -> Numbers:
    """The place of every token of several texts, from 0, one text after the other."""
    return np.concatenate([np.arange(length, dtype=np.float64) for length in lengths])


def remaining(lengths: Sequence[int]) -> Numbers:
    """How many tokens follow every token of several texts.

    Within one text it is the position turned round: only texts of other lengths tell the two apart.
    """
    return np.concatenate([np.arange(length - 1, -1, -1, dtype=np.float64) for length in lengths])


def belongs(tokens: Sequence[str], token_class: Callable[[str], bool]) -> Numbers:
    """1 for each token of a class, 0 for any other: (T,)."""
    return np.array([float(token_class(token)) for token in tokens])


def begins_word(token: str) -> bool:
    """Whether a tokenizer that marks the beginnings of words has marked this one."""
    return token.startswith(WORD_SIGNS)


def is_word(token: str) -> bool:
    """Whether a token may be a whole word: it begins one, and has two letters or more."""
    return begins_word(token) and sum(map(str.isalpha, token)) > 1


def is_punctuation(token: str) -> bool:
    """Whether a token holds signs alone."""
    signs = token.lstrip("".join(WORD_SIGNS))
    return bool(signs) and all(unicodedata.category(sign).startswith("P") for sign in signs)


def is_vowel(token: str) -> bool:
    """Whether a token is one Latin vowel, whatever its accents."""
    letter = unicodedata.normalize("NFD", token)[:1].lower()
    return len(unicodedata.normalize("NFC", token)) == 1 and letter in set("aeiou")


def is_end(token: str) -> bool:
    """Whether a token ends a text."""
    return token == EOS


TOKEN_CLASSES: Mapping[str, Callable[[str], bool]] = {
    "word": begins_word,
    "punctuation": is_punctuation,
    "vowel": is_vowel,
    "end": is_end,
}


def by_chance(values: Values, goal: Numbers, seed: int = 0) -> float:
    """How far the best of all units goes along with the same numbers in another order: |r|, the middle of 20.

    Of hundreds of units and a few dozen steps some always do: what is no larger says nothing.
    """
    random = np.random.default_rng(seed)
    best = [np.abs(correlation(values, random.permutation(goal))).max(initial=0.0) for _ in range(20)]
    return float(np.median(best))
