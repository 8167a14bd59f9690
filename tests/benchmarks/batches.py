"""Batches of sentences that sides translate in turn: how large, how compared, and CTranslate2 at its best."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from tests.benchmarks.pairs import Seconds, ratio, seconds
from tests.benchmarks.peers import THREADS, CTranslate2, Lengths, Threads

SENTENCES, BEAMS = 2000, 4
BATCH = 256 // BEAMS  # sentences: as many rows as `translate` decodes at once
TURN = 4  # batches that one side decodes before it is the next one's turn
SAME = 0.98  # of the sentences must come out with the same tokens; sums differ in their last digits

Sentences = list[list[int]]
Translate = Callable[[Sequence[Sentences]], Sentences]


def in_turn(
    sides: Sequence[Translate], batches: Sequence[Sentences], turn: int = TURN
) -> tuple[list[Sentences], list[Seconds]]:
    """What each side found, and its seconds in each turn of so many batches."""
    found: list[Sentences] = [[] for _ in sides]

    def take_turn(side: int, some: Sequence[Sentences]) -> None:
        found[side] += sides[side](some)

    for side in sides:
        side(batches[:1])  # warm-up
    measured = [
        tuple(seconds(partial(take_turn, side, batches[start : start + turn])) for side in range(len(sides)))
        for start in range(0, len(batches), turn)
    ]
    return found, measured


def total(what: str, measured: Sequence[Seconds], peer: int) -> dict[str, Any]:
    """Milliseconds of the whole corpus, and the median ratio."""
    ours, theirs = (1000 * sum(times[side] for times in measured) for side in (0, peer))
    return {"what": what, "ours ms": ours, "theirs ms": theirs, "ratio": ratio(measured, peer)}


def fastest(
    quick: CTranslate2, batches: Sequence[Sentences], length: Callable[[Sentences], Lengths]
) -> Translate:
    """CTranslate2 with the number of workers and threads that decodes some batches soonest."""

    def translate(some: Sequence[Sentences], threads: Threads) -> Sentences:
        return quick.translate(some, [length(batch) for batch in some], BEAMS, threads)

    def time_of(threads: Threads) -> float:
        return min(seconds(lambda: translate(batches, threads)) for _ in range(2))

    best = min(THREADS, key=time_of)
    return lambda some: translate(some, best)
