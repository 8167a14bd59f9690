"""Batches of sentences that several programs translate in turn, and CTranslate2 with its best threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from tests.benchmarks.pairs import Seconds, ratio, seconds
from tests.benchmarks.peers import THREADS, CTranslate2, Lengths, Threads

SENTENCES, BEAMS = 2000, 4
BATCH = 256 // BEAMS  # sentences; `translate` decodes 256 rows at once
TURN = 4  # batches that one side decodes before the next side's turn
SAME = 0.98  # least share of sentences with the same tokens; rounding may change some

Sentences = list[list[int]]
Translate = Callable[[Sequence[Sentences]], Sentences]


def in_turn(
    sides: Sequence[Translate], batches: Sequence[Sentences], turn: int = TURN
) -> tuple[list[Sentences], list[Seconds]]:
    """Return the outputs of each side, and the seconds of all sides in each turn of `turn` batches."""
    outputs: list[Sentences] = [[] for _ in sides]

    def take_turn(side: int, some: Sequence[Sentences]) -> None:
        outputs[side] += sides[side](some)

    for side in sides:
        side(batches[:1])  # warm-up
    turns = [
        tuple(seconds(partial(take_turn, side, batches[start : start + turn])) for side in range(len(sides)))
        for start in range(0, len(batches), turn)
    ]
    return outputs, turns


def total(what: str, turns: Sequence[Seconds], peer: int) -> dict[str, Any]:
    """Return the milliseconds for the whole corpus and the median ratio."""
    ours, theirs = (1000 * sum(times[side] for times in turns) for side in (0, peer))
    return {"what": what, "ours ms": ours, "theirs ms": theirs, "ratio": ratio(turns, peer)}


def fastest(
    quick: CTranslate2, batches: Sequence[Sentences], length: Callable[[Sentences], Lengths]
) -> Translate:
    """Return CTranslate2 with the number of workers and threads that decodes some batches fastest."""

    def translate(some: Sequence[Sentences], threads: Threads) -> Sentences:
        return quick.translate(some, [length(batch) for batch in some], BEAMS, threads)

    def time_of(threads: Threads) -> float:
        return min(seconds(lambda: translate(batches, threads)) for _ in range(2))

    best = min(THREADS, key=time_of)
    return lambda some: translate(some, best)
