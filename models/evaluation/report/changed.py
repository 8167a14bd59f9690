"""What changed sources do to each system, as plain JSON types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from models.evaluation.counterfactuals import COUNTERFACTUALS
from models.evaluation.damage import Damages, Outcome, measure_damage
from models.evaluation.systems import Result

WORST = 3  # outcomes of each kind that are shown


def changed_sources(results: Sequence[Result], most: int) -> list[dict[str, Any]]:
    """Of the first `most` segments, for each system that is run here and reads texts."""
    return [
        {"system": result.name, "kinds": _kinds(_measured(result, most))}
        for result in results
        if result.system is not None and not result.system.checkpoint.config.reads_pictures
    ]


def _measured(result: Result, most: int) -> Damages:
    assert result.system is not None
    return measure_damage(
        result.system.checkpoint,
        result.segments.sources[:most],
        result.system.options,
        references=result.segments.references[:most],
    )


def _kinds(found: Damages) -> list[dict[str, Any]]:
    """The most damaging kind first."""
    kinds = []
    for summary in sorted(found.summaries, key=lambda each: -each.damage):
        kind = COUNTERFACTUALS[summary.counterfactual]
        worst = [each for each in found.outcomes if each.counterfactual == kind.name][:WORST]
        kinds.append(
            {
                "name": kind.name,
                "title": kind.title,
                "sentence": kind.sentence,
                "keeps_meaning": kind.keeps_meaning,
                "changed": summary.changed,
                "damage": summary.damage,
                "damage_interval": summary.damage_interval,
                "same": summary.same,
                "same_interval": summary.same_interval,
                "worst": [_outcome(each) for each in worst],
            }
        )
    return kinds


def _outcome(each: Outcome) -> dict[str, Any]:
    return {
        "source": each.source,
        "changed": each.change.text,
        "before": each.before,
        "after": each.after,
        "damage": round(each.damage, 2),
        "ignored": each.ignored,
    }
