"""One cause for every bad output of a system, and how often each is one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock

from models.errors import Message
from models.evaluation.run import ALONE
from models.evaluation.systems import Result
from models.evaluation.triage.causes import CAUSES, Cause
from models.evaluation.triage.evidence import BAD, Evidence, bad_places, gather, work
from models.training.loop.process_group import Group

MOST_BAD = 300  # outputs that are looked into, the worst first


@dataclass(frozen=True)
class Diagnosis:
    """Why one output is bad."""

    at: int  # place of the segment
    cause: Cause
    evidence: Message
    found: Evidence


@dataclass(frozen=True)
class Triage:
    """All bad outputs of a system."""

    system: str
    threshold: float  # sentence chrF below which an output counts as bad
    bad: int  # outputs that are; perhaps more than were looked into
    diagnoses: tuple[Diagnosis, ...]  # the worst output first

    @cached_property
    def _by_place(self) -> dict[int, Diagnosis]:
        return {item.at: item for item in self.diagnoses}

    def of(self, at: int) -> Diagnosis | None:
        """Of one segment; None if its output is good, or was not looked into."""
        return self._by_place.get(at)

    @property
    def shares(self) -> dict[str, float]:
        """Of each cause, by its name, the most frequent first; 0 to 1."""
        counts = Counter(item.cause.name for item in self.diagnoses)
        return {name: count / len(self.diagnoses) for name, count in counts.most_common()}


def triage(
    result: Result,
    seen: Mapping[str, int] | None = None,
    threshold: float = BAD,
    tell: Callable[[float], None] = lambda share: None,
    group: Group = ALONE,
) -> Triage:
    """`seen`: how often each word stood in the training sources; without it nobody asks about them.

    `tell` is told the share that is done, from whichever thread did it, and may raise to end it.
    The processes of a group share the outputs.
    Raises ValueError for outputs that were made elsewhere.
    """
    places = bad_places(result, threshold)
    chosen = places[:MOST_BAD]
    own = group.share(chosen)
    done, whole, lock = 0.0, work(result, own), Lock()

    def watch(passes: float) -> None:
        nonlocal done
        with lock:
            done += passes
            tell(min(1.0, done / whole))

    hits = group.gathered(dict(zip(own, gather(result, own, seen, watch), strict=True)))
    return Triage(result.name, threshold, len(places), tuple(diagnose(hits[index]) for index in chosen))


def diagnose(found: Evidence, causes: Sequence[Cause] = CAUSES) -> Diagnosis:
    """The first cause that holds; the last one always does."""
    for cause in causes:
        evidence = cause.holds(found)
        if evidence is not None:
            return Diagnosis(found.at, cause, evidence, found)
    raise ValueError("the last cause must hold for every output")
