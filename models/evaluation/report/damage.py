"""The effect of changed sources on a checkpoint's outputs.

If a change keeps the meaning, the output should stay the same, and its loss of quality is damage. If a change
alters the meaning, such as another number, the output should change too; else the network ignored it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache

import numpy as np

from models.decoding.limits import DecodingError, check_source
from models.decoding.options import DecodingOptions
from models.decoding.outputs import translate
from models.evaluation.counterfactuals import COUNTERFACTUALS
from models.evaluation.counterfactuals.counterfactual import Counterfactual
from models.evaluation.report.evaluation_report import ChangedOutput, ChangeEffect, SystemChanges
from models.evaluation.segments import Segment
from models.evaluation.systems import SystemResult
from models.metrics.bootstrap import SentenceStatistics, wilson_interval
from models.metrics.sentence import sentence_utility
from models.registry.checkpoint import Checkpoint

DAMAGE_METRIC = "chrf"
MAX_OUTCOMES = 3  # outputs in a report, for each kind of change
_POINTS_PER_UNIT = 1e-6  # the bootstrap sums whole numbers, here millionths of a point


def changed_sources(results: Sequence[SystemResult], max_sources: int) -> tuple[SystemChanges, ...]:
    """Change the first `max_sources` sources, for each system that is run here and reads texts.

    The effects on a system are in order of their damage, the most damaging kind of change first.
    """
    every = []
    for result in results:
        if result.system is not None and not result.system.checkpoint.config.reads_pictures:
            segments = result.segments.all[:max_sources]
            outputs = changed_outputs(result.system.checkpoint, segments, result.system.options)
            effects = [effect_of(COUNTERFACTUALS[name], group) for name, group in outputs.items()]
            every.append(SystemChanges(result.name, tuple(sorted(effects, key=lambda item: -item.damage))))
    return tuple(every)


def changed_outputs(
    checkpoint: Checkpoint,
    segments: Sequence[Segment],
    options: DecodingOptions,
    counterfactuals: Iterable[Counterfactual] = tuple(COUNTERFACTUALS.values()),
) -> dict[str, list[ChangedOutput]]:
    """Decode sources and their changed versions together; the outputs by the name of the kind of change.

    A kind that changes no source has no entry. Changed sources that are too long for the network are left
    out. Raises DecodingError for a source that cannot be decoded unchanged.
    """
    sources = dict.fromkeys(segment.source for segment in segments)
    for text in sources:
        check_source(checkpoint.model, checkpoint.tokenizer, text)
    changes = [
        (kind, segment, changed)
        for kind in counterfactuals
        for segment in segments
        if (changed := kind.apply(segment.source)) is not None
    ]
    readable = _readable(checkpoint, {changed for _, _, changed in changes})
    changes = [change for change in changes if change[2] in readable]
    texts = [*sources, *dict.fromkeys(changed for _, _, changed in changes if changed not in sources)]
    language = checkpoint.config.target_language
    translations = translate(checkpoint.model, checkpoint.tokenizer, texts, options, language=language)
    output_of = dict(zip(texts, translations, strict=True))
    by_kind: dict[str, list[ChangedOutput]] = {}
    for kind, segment, changed in changes:
        before, after = output_of[segment.source], output_of[changed]
        damage = _best(before, segment.references) - _best(after, segment.references)
        ignored = before == after and not kind.keeps_meaning
        output = ChangedOutput(segment.source, changed, before, after, damage, ignored)
        by_kind.setdefault(kind.name, []).append(output)
    return by_kind


def _readable(checkpoint: Checkpoint, texts: Iterable[str]) -> set[str]:
    """The texts that are not too long."""
    readable = set()
    for text in texts:
        with suppress(DecodingError):
            check_source(checkpoint.model, checkpoint.tokenizer, text)
            readable.add(text)
    return readable


@lru_cache(maxsize=20_000)  # each kind of change needs the scores of the unchanged outputs
def _best(output: str, references: tuple[str, ...]) -> float:
    # Equal texts are alike even if they are too short to have n-grams.
    return max(
        100.0 if output == reference else sentence_utility(output, reference, DAMAGE_METRIC)
        for reference in references
    )


def effect_of(kind: Counterfactual, outputs: Sequence[ChangedOutput]) -> ChangeEffect:
    """The effect of a kind of change on one output or more; the worst are ignored changes, then by damage."""
    count = len(outputs)
    damages = [round(output.damage / _POINTS_PER_UNIT) for output in outputs]
    sums = SentenceStatistics(
        np.array([[damage, 1] for damage in damages], dtype=np.int64),
        lambda total: float(total[0] / total[1] * _POINTS_PER_UNIT),
    )
    unchanged = sum(output.after == output.before for output in outputs)
    low, high = wilson_interval(unchanged / count, count)
    worst = sorted(outputs, key=lambda output: (not output.ignored, -output.damage))[:MAX_OUTCOMES]
    return ChangeEffect(
        kind.name,
        kind.title,
        kind.sentence,
        kind.keeps_meaning,
        changed=count,
        damage=sums.value(),
        damage_interval=sums.interval() if count > 1 else None,
        same=100 * unchanged / count,
        same_interval=(100 * low, 100 * high),
        worst=tuple(replace(output, damage=round(output.damage, 2)) for output in worst),
    )
