"""The effect of changed sources on a checkpoint's outputs.

If a change keeps the meaning, the output should stay the same, and its loss of quality is damage. If a change
alters the meaning, such as another number, the output should change too; else the network ignored it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from models.decoding.limits import DecodingError, check_source
from models.decoding.options import DecodingOptions
from models.decoding.outputs import translate
from models.evaluation.counterfactuals import COUNTERFACTUALS
from models.evaluation.counterfactuals.counterfactual import Change, Counterfactual
from models.metrics.bootstrap import SentenceStatistics, wilson_interval
from models.metrics.sentence import sentence_utility
from models.registry.checkpoint import Checkpoint

Interval = tuple[float, float]
DAMAGE_METRIC = "chrf"
_POINTS_PER_UNIT = 1e-6  # the bootstrap sums whole numbers, here millionths of a point


@dataclass(frozen=True)
class ChangeOutcome:
    """The outputs of one text before and after one change. Scores are sentence chrF, 0 to 100."""

    row: int  # index of the text
    counterfactual: str  # the name of the kind of change
    keeps_meaning: bool  # whether the output should have stayed as it was
    source: str
    change: Change  # the change of the source
    before: str  # output of the source
    after: str  # output of the changed source
    scores: tuple[float, float]  # scores of both against their best reference

    @property
    def damage(self) -> float:
        """Points of chrF lost against the references.

        It is negative if the output became better. References translate the unchanged source, so some damage
        is right if the meaning changed.
        """
        return self.scores[0] - self.scores[1]

    @property
    def same(self) -> bool:
        """Whether the output has stayed the same."""
        return self.after == self.before

    @property
    def ignored(self) -> bool:
        """Whether the meaning changed but the output did not. This fault causes no damage."""
        return self.same and not self.keeps_meaning


@dataclass(frozen=True)
class Summary:
    """The effect of one kind of change on all texts that it could change."""

    counterfactual: str
    keeps_meaning: bool
    changed: int  # number of texts that it could change
    damage: float  # mean, in points of chrF
    damage_interval: Interval | None  # the 95 % interval by the bootstrap over texts; None for a single text
    same: float  # per cent of unchanged outputs: a fault unless the change keeps the meaning
    same_interval: Interval  # the 95 % interval by Wilson's formula


@dataclass(frozen=True)
class Damages:
    """All outcomes, the worst first, and a summary of each kind of change that could be made."""

    outcomes: tuple[ChangeOutcome, ...]
    summaries: tuple[Summary, ...]  # summaries in the order of the kinds


def measure_damage(
    checkpoint: Checkpoint,
    texts: Sequence[str],
    options: DecodingOptions,
    *,
    references: Sequence[Sequence[str]],
    counterfactuals: Sequence[Counterfactual] = tuple(COUNTERFACTUALS.values()),
) -> Damages:
    """Decode texts and their changed versions together.

    references: one or more for each text. Changed texts that are too long for the network are
    left out. Raises DecodingError for a text that cannot be decoded unchanged and for a checkpoint that reads
    pictures, and ValueError unless every text has its list of references.
    """
    if len(references) != len(texts):
        raise ValueError(
            f"texts and lists of references must be equally many; got {len(texts)} and {len(references)}"
        )
    if checkpoint.config.reads_pictures:
        raise DecodingError(
            "no_words_in_pictures",
            "The checkpoint {name} reads pictures: there are no words to change.",
            name=checkpoint.name,
        )
    for text in dict.fromkeys(texts):
        check_source(checkpoint.model, checkpoint.tokenizer, text)
    changes = [(row, kind, kind.apply(text)) for kind in counterfactuals for row, text in enumerate(texts)]
    readable = _readable(checkpoint, {change.text for _, _, change in changes if change})
    changed = [(row, kind, change) for row, kind, change in changes if change and change.text in readable]
    sources = list(dict.fromkeys((*texts, *(change.text for _, _, change in changed))))
    language = checkpoint.config.target_language
    translations = translate(checkpoint.model, checkpoint.tokenizer, sources, options, language=language)
    outputs = dict(zip(sources, translations, strict=True))
    outcomes = [
        _outcome(row, kind, texts[row], change, outputs, tuple(references[row]))
        for row, kind, change in changed
    ]
    by_kind = (
        (kind, [outcome for outcome in outcomes if outcome.counterfactual == kind.name])
        for kind in counterfactuals
    )
    summaries = [_summary(kind, group) for kind, group in by_kind if group]
    return Damages(worst_first(outcomes), tuple(summaries))


def worst_first(outcomes: Iterable[ChangeOutcome]) -> tuple[ChangeOutcome, ...]:
    """Sort the outcomes: ignored changes first, then by damage."""
    return tuple(sorted(outcomes, key=lambda outcome: (not outcome.ignored, -outcome.damage)))


def _readable(checkpoint: Checkpoint, texts: Iterable[str]) -> set[str]:
    """The texts that are not too long."""
    readable = set()
    for text in texts:
        with suppress(DecodingError):
            check_source(checkpoint.model, checkpoint.tokenizer, text)
            readable.add(text)
    return readable


def _outcome(
    row: int,
    kind: Counterfactual,
    source: str,
    change: Change,
    outputs: Mapping[str, str],
    references: tuple[str, ...],
) -> ChangeOutcome:
    before, after = outputs[source], outputs[change.text]
    scores = _best(before, references), _best(after, references)
    return ChangeOutcome(row, kind.name, kind.keeps_meaning, source, change, before, after, scores)


@lru_cache(maxsize=20_000)  # each kind of change needs the scores of the unchanged outputs
def _best(output: str, references: tuple[str, ...]) -> float:
    return max(_likeness(output, reference) for reference in references)


def _likeness(output: str, other: str) -> float:
    """Sentence chrF; 100 for equal texts, even if they are too short to have n-grams."""
    return 100.0 if output == other else sentence_utility(output, other, DAMAGE_METRIC)


def _summary(kind: Counterfactual, outcomes: Sequence[ChangeOutcome]) -> Summary:
    count = len(outcomes)
    damages = [round(outcome.damage / _POINTS_PER_UNIT) for outcome in outcomes]
    sums = SentenceStatistics(
        np.array([[damage, 1] for damage in damages], dtype=np.int64),
        lambda total: float(total[0] / total[1] * _POINTS_PER_UNIT),
    )
    unchanged = sum(outcome.same for outcome in outcomes)
    low, high = wilson_interval(unchanged / count, count)
    return Summary(
        counterfactual=kind.name,
        keeps_meaning=kind.keeps_meaning,
        changed=count,
        damage=sums.value(),
        damage_interval=sums.interval() if count > 1 else None,
        same=100 * unchanged / count,
        same_interval=(100 * low, 100 * high),
    )
