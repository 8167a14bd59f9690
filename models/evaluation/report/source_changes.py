"""The effects of changed sources on each system."""

from __future__ import annotations

from collections.abc import Sequence

from models.evaluation.counterfactuals import COUNTERFACTUALS
from models.evaluation.damage import ChangeOutcome, Damages, measure_damage
from models.evaluation.report.evaluation_report import ChangedOutput, ChangeEffect, SystemChanges
from models.evaluation.systems import SystemResult

MAX_OUTCOMES = 3  # outcomes in a report, for each kind of change


def changed_sources(results: Sequence[SystemResult], max_sources: int) -> tuple[SystemChanges, ...]:
    """Change the first `max_sources` sources, for each system that is run here and reads texts."""
    return tuple(
        SystemChanges(result.name, _effects(_damages(result, max_sources)))
        for result in results
        if result.system is not None and not result.system.checkpoint.config.reads_pictures
    )


def _damages(result: SystemResult, max_sources: int) -> Damages:
    assert result.system is not None
    return measure_damage(
        result.system.checkpoint,
        result.segments.sources[:max_sources],
        result.system.options,
        references=result.segments.references[:max_sources],
    )


def _effects(damages: Damages) -> tuple[ChangeEffect, ...]:
    """The effect of each kind of change, the most damaging first."""
    effects = []
    for summary in sorted(damages.summaries, key=lambda summary: -summary.damage):
        kind = COUNTERFACTUALS[summary.counterfactual]
        worst = [outcome for outcome in damages.outcomes if outcome.counterfactual == kind.name][
            :MAX_OUTCOMES
        ]
        effects.append(
            ChangeEffect(
                kind.name,
                kind.title,
                kind.sentence,
                kind.keeps_meaning,
                summary.changed,
                summary.damage,
                summary.damage_interval,
                summary.same,
                summary.same_interval,
                tuple(map(_changed_output, worst)),
            )
        )
    return tuple(effects)


def _changed_output(outcome: ChangeOutcome) -> ChangedOutput:
    return ChangedOutput(
        outcome.source,
        outcome.change.text,
        outcome.before,
        outcome.after,
        round(outcome.damage, 2),
        outcome.ignored,
    )
