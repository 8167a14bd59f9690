"""The cause of every bad output of a system, and how frequent each cause is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock

from models.errors import Message
from models.evaluation.report.evaluation_report import BAD_BELOW_CHRF
from models.evaluation.run import ONE_PROCESS
from models.evaluation.systems import SystemResult
from models.evaluation.triage.causes import CAUSES, Cause
from models.evaluation.triage.evidence import OutputEvidence, bad_indices, gather, gathering_cost
from models.training.process_group import Group

MAX_DIAGNOSED = 300  # outputs that are diagnosed, the worst first


@dataclass(frozen=True)
class Diagnosis:
    """The cause of one bad output, with its evidence."""

    index: int  # the index of the segment
    cause: Cause
    evidence: Message  # one sentence of evidence
    details: OutputEvidence


@dataclass(frozen=True)
class Triage:
    """All bad outputs of a system."""

    threshold: float  # sentence chrF below which an output counts as bad
    bad: int  # number of bad outputs; only the worst are diagnosed
    diagnoses: tuple[Diagnosis, ...]  # the worst output first

    @cached_property
    def by_index(self) -> dict[int, Diagnosis]:
        """The diagnosis of each segment whose output was diagnosed, by the segment's index."""
        return {diagnosis.index: diagnosis for diagnosis in self.diagnoses}

    @property
    def shares(self) -> dict[str, float]:
        """The share of each cause, 0 to 1, by its name, the most frequent first."""
        counts = Counter(diagnosis.cause.name for diagnosis in self.diagnoses)
        return {name: count / len(self.diagnoses) for name, count in counts.most_common()}


def triage(
    result: SystemResult,
    word_counts: Mapping[str, int] | None = None,
    threshold: float = BAD_BELOW_CHRF,
    on_share: Callable[[float], None] = lambda share: None,
    group: Group = ONE_PROCESS,
) -> Triage:
    """Diagnose the bad outputs of a result, which the processes of a group share.

    `word_counts` count the words of the training sources; without them no output has the cause "unseen".
    `on_share` gets the share that is done, from any thread, and may raise to stop. Raises ValueError for
    outputs that were made elsewhere.
    """
    indices = bad_indices(result, threshold)
    diagnosed = indices[:MAX_DIAGNOSED]
    own_indices = group.share(diagnosed)
    cost_done, total_cost, lock = 0.0, gathering_cost(result, own_indices), Lock()

    def on_work(cost: float) -> None:
        nonlocal cost_done
        with lock:
            cost_done += cost
            on_share(min(1.0, cost_done / total_cost))

    gathered = gather(result, own_indices, word_counts, on_work)
    evidence = group.gather(dict(zip(own_indices, gathered, strict=True)))
    diagnoses = tuple(diagnose(evidence[index]) for index in diagnosed)
    return Triage(threshold, len(indices), diagnoses)


def diagnose(details: OutputEvidence, causes: Sequence[Cause] = CAUSES) -> Diagnosis:
    """Return the first cause that holds. The last cause always holds."""
    for cause in causes:
        sentence = cause.holds(details)
        if sentence is not None:
            return Diagnosis(details.index, cause, sentence, details)
    raise ValueError("the last cause must hold for every output")
