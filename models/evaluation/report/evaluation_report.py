"""The report of an evaluation as frozen dataclasses, whose fields are the keys of its JSON. Imports no torch.

Sentences are Messages: JSON writes them in English, a page in the language of its reader.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from models.corpus.files.table import Malformed
    from models.evaluation.beam_widths.curve import WidthCurve
    from models.evaluation.breakdowns import Breakdown, NGramDifferences
    from models.evaluation.systems import MetricScore
    from models.evaluation.text_scores import Calibration

BAD_BELOW_CHRF = 50.0  # sentence chrF below which an output counts as bad


@dataclass(frozen=True)
class NGramPrecision:
    """The n-grams of one length in all outputs."""

    n: int
    matched: int
    total: int
    precision: float  # per cent, smoothed: as it enters the score


@dataclass(frozen=True)
class BleuParts:
    """The factors of a corpus BLEU, and the mean of the sentences' BLEU, which is another number."""

    score: float
    mean_of_sentences: float  # the mean of sentence BLEU, which has effective order
    brevity_penalty: float
    length: int  # tokens of the outputs
    reference_length: int
    orders: tuple[NGramPrecision, ...]


@dataclass(frozen=True)
class CauseShare:
    """A cause of bad outputs and how frequent it is."""

    name: str
    title: str
    remedy: str
    share: float  # the share of the diagnosed outputs, 0 to 1


@dataclass(frozen=True)
class TriageSummary:
    """The number of a system's bad outputs, and their causes."""

    bad_below: float  # sentence chrF below which an output counts as bad
    bad: int
    looked_into: int  # bad outputs that were diagnosed, the worst ones
    causes: tuple[CauseShare, ...]  # the most frequent first


@dataclass(frozen=True)
class SystemReport:
    """The numbers of one system."""

    name: str
    checkpoint: str  # "" for outputs made elsewhere; so are `decoding` and `settings`
    decoding: str
    settings: Mapping[str, Any]
    widths: tuple[int, ...]  # beam widths at which it could be run
    seconds: float  # seconds of decoding
    metric_scores: tuple[MetricScore, ...]
    bleu: BleuParts
    calibration: Calibration | None  # None for outputs made elsewhere
    ngrams: Mapping[str, NGramDifferences]  # differences by the number of words
    triage: TriageSummary | None = None  # None for outputs made elsewhere

    @property
    def decoding_in_full(self) -> str:
        """The strategy with its settings; "" for outputs made elsewhere."""
        settings = ", ".join(f"{name} {value}" for name, value in self.settings.items())
        return f"{self.decoding} ({settings})" if settings else self.decoding


@dataclass(frozen=True)
class MetricDifference:
    """One metric of two systems: a `models.metrics.significance.Difference` and what it compares."""

    a: str
    b: str
    metric: str
    value: float  # the value of `a` minus that of `b`
    low: float
    high: float
    bootstrap_p: float
    randomisation_p: float
    significant: bool


@dataclass(frozen=True)
class ChangedOutput:
    """An output before and after its source was changed."""

    source: str
    changed: str  # the changed source
    before: str
    after: str
    damage: float  # points of chrF
    ignored: bool  # the meaning changed and the output did not


@dataclass(frozen=True)
class ChangeEffect:
    """The effect of one kind of change on the outputs of a system."""

    name: str
    title: str
    sentence: str
    keeps_meaning: bool
    changed: int  # number of changed sources
    damage: float  # mean, in points of chrF
    damage_interval: tuple[float, float] | None  # None for a single source
    same: float  # per cent of outputs that stayed as they were
    same_interval: tuple[float, float]
    worst: tuple[ChangedOutput, ...]

    @property
    def damage_bounds(self) -> tuple[float, float]:
        """The interval of `damage`; a single source has that value as both ends."""
        return self.damage_interval or (self.damage, self.damage)


@dataclass(frozen=True)
class SystemChanges:
    """The effects of all kinds of change on one system, the most damaging first."""

    system: str
    kinds: tuple[ChangeEffect, ...]


@dataclass(frozen=True)
class SegmentOutput:
    """The output of one system for one segment. Outputs made elsewhere have no scores of a network."""

    output: str
    chrf: float
    log_prob: float | None = None  # nats
    score: float | None = None  # length-normalised
    reference_score: float | None = None
    mean_nll: float | None = None  # mean negative log-likelihood, in nats per token
    cause: str | None = None  # the cause of a diagnosed output; `evidence` and `remedy` explain it
    evidence: str | None = None
    remedy: str | None = None


@dataclass(frozen=True)
class SegmentRow:
    """One segment with the outputs of all systems."""

    line: int
    source: str
    references: tuple[str, ...]
    scores: Mapping[str, float]  # scores that the test set's file has, by name of the column
    systems: Mapping[str, SegmentOutput]


@dataclass(frozen=True)
class EvaluationReport:
    """Everything that an evaluation says about systems on a test set."""

    date: str
    segments: int
    references: int
    notes: tuple[str, ...]
    left_out: tuple[Malformed, ...]
    left_out_count: int
    systems: tuple[SystemReport, ...]
    differences: tuple[MetricDifference, ...]
    changes: tuple[SystemChanges, ...]
    width_curves: tuple[WidthCurve, ...]  # see `models.evaluation.beam_widths`
    breakdowns: tuple[Breakdown, ...]
    rows: tuple[SegmentRow, ...]  # one for each segment

    @property
    def names(self) -> list[str]:
        """The names of the systems."""
        return [system.name for system in self.systems]

    @property
    def title(self) -> str:
        """The names of the systems, after the names of checkpoints that no system's name contains."""
        names = ", ".join(self.names)
        checkpoints = dict.fromkeys(system.checkpoint for system in self.systems)
        return ": ".join((*(name for name in checkpoints if name not in names), names))

    @property
    def causes(self) -> dict[str, CauseShare]:
        """The causes that any system has, by name."""
        triages = (system.triage for system in self.systems if system.triage is not None)
        return {cause.name: cause for triage in triages for cause in triage.causes}


# JSON keeps the first names of these fields, so that all versions of the program read all reports.
REPORT_JSON_NAMES = {
    "mean_nll": "doubt",
    "remedy": "knob",
    "metric_scores": "figures",
    "width_changes": "steps",
}


def as_json(value: Any) -> Any:
    """The plain JSON types of a report. An optional field that is None is left out."""
    if is_dataclass(value):
        present = (
            (REPORT_JSON_NAMES.get(field.name, field.name), getattr(value, field.name))
            for field in fields(value)
            if field.default is not None or getattr(value, field.name) is not None
        )
        return {name: as_json(part) for name, part in present}
    if isinstance(value, Mapping):
        return {name: as_json(part) for name, part in value.items()}
    return [as_json(part) for part in value] if isinstance(value, tuple | list) else value
