"""An experiment: its pairs, changes, test set and settings; and its result as JSON for a run and a page."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from models.corpus.pairs import DataError, Pair
from models.errors import cannot_be_read
from models.evaluation.retrain.arms import (
    Changes,
    ExperimentProgress,
    ExperimentResult,
    ExperimentTestSet,
    retrain,
)
from models.evaluation.retrain.fine_tuning import FineTuningSettings
from models.evaluation.retrain.propose import Proposal, WrongOutput
from models.registry.checkpoint import Checkpoint

HELD_OUT_ONE_IN = 5  # no more than one pair in five is held out


@dataclass(frozen=True)
class Experiment:
    """The description of an experiment, without the weights from which both arms start."""

    pairs: tuple[Pair, ...]
    changes: Changes
    test_set: ExperimentTestSet
    settings: FineTuningSettings

    def __post_init__(self) -> None:
        """Raise DataError for an index without a pair."""
        check_indices((*self.changes.dropped, *self.changes.corrected), len(self.pairs))

    @classmethod
    def with_held_out(
        cls,
        pairs: Sequence[Pair],
        changes: Changes,
        wrong: WrongOutput,
        max_held_out: int,
        settings: FineTuningSettings,
    ) -> Experiment:
        """An experiment that takes at most `max_held_out` of the training pairs as held-out pairs.

        Raises DataError if `changes` has an index without a pair.
        """
        changed = (*changes.dropped, *changes.corrected)
        check_indices(changed, len(pairs))
        training, held_out = hold_out(pairs, max_held_out, changed, wrong.source, settings.seed)
        new_index = {old: new for new, old in enumerate(training)}
        moved_changes = Changes(
            frozenset(new_index[old] for old in changes.dropped),
            {new_index[old]: pair for old, pair in changes.corrected.items()},
        )
        test_set = ExperimentTestSet(wrong, tuple(pairs[index] for index in held_out))
        return cls(tuple(pairs[index] for index in training), moved_changes, test_set, settings)

    def run(self, start: Checkpoint) -> Iterator[ExperimentProgress]:
        """Run the experiment; see `retrain`."""
        return retrain(start, self.pairs, self.changes, self.test_set, self.settings)

    def to_json(self) -> str:
        """One JSON object."""
        changes = {
            "dropped": sorted(self.changes.dropped),
            "corrected": {str(index): pair for index, pair in self.changes.corrected.items()},
        }
        values = {
            "pairs": self.pairs,
            "changes": changes,
            "wrong": asdict(self.test_set.wrong),
            "held_out": self.test_set.held_out,
            "settings": asdict(self.settings),
        }
        return json.dumps(values, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Experiment:
        """The inverse of `to_json`. Raises DataError for other texts."""
        try:
            values = json.loads(text)
            changes = values["changes"]
            corrected = {int(index): _pair(pair) for index, pair in changes["corrected"].items()}
            wrong, held_out = WrongOutput(**values["wrong"]), tuple(map(_pair, values["held_out"]))
            return cls(
                tuple(map(_pair, values["pairs"])),
                Changes(frozenset(changes["dropped"]), corrected),
                ExperimentTestSet(wrong, held_out),
                FineTuningSettings(**values["settings"]),
            )
        except DataError:
            raise
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise DataError(cannot_be_read("experiment.json", type(error).__name__)) from error


def check_indices(indices: Sequence[int], count: int) -> None:
    """Raise DataError for an index outside 0 to `count` - 1."""
    outside = [index for index in indices if not 0 <= index < count]
    if outside:
        raise DataError(
            "no_such_training_pair",
            "There is no training pair number {number}: there are {count}.",
            count=f"{count:,}",
            number=f"{min(outside) + 1:,}",
        )


def result_json(experiment: Experiment, result: ExperimentResult) -> dict[str, Any]:
    """A result as plain JSON types.

    `source`, `output` and `wanted` describe the wrong output. `before` and `after` are the arms with all
    pairs and with the changes: each has its `output` and the log-probabilities of the wrong and of the wanted
    text, in nats. `others` has counts and chrF with intervals, None without held-out pairs; `held_out` lists
    the pairs whose output changed.
    """
    wrong, held_out = experiment.test_set.wrong, experiment.test_set.held_out
    rows = zip(held_out, result.before.held_out, result.after.held_out, strict=True)
    return {
        **asdict(wrong),
        "pairs": len(experiment.pairs),
        "dropped": len(experiment.changes.dropped),
        "corrected": len(experiment.changes.corrected),
        "steps": experiment.settings.steps,
        **{name: _arm(getattr(result, name)) for name in ("before", "after")},
        "flipped": result.flipped,
        "others": None if result.held_out_scores is None else _with_lists(asdict(result.held_out_scores)),
        "held_out": [
            {"source": source, "reference": reference, "before": before, "after": after}
            for (source, reference), before, after in rows
            if before != after
        ],
    }


def rows_of(proposal: Proposal) -> list[dict[str, Any]]:
    """The proposed pairs as plain JSON types, the most likely first; `place` counts from 0."""
    return [
        {
            "place": proposed.index,
            "source": proposed.pair[0],
            "target": proposed.pair[1],
            "score": proposed.score,
            "evidence": [_with_lists(asdict(part)) for part in proposed.evidence],
        }
        for proposed in proposal.pairs
    ]


def hold_out(
    pairs: Sequence[Pair], max_held_out: int, changed: Sequence[int], tested: str, seed: int = 0
) -> tuple[list[int], list[int]]:
    """Split pairs into training pairs and at most `max_held_out` held-out pairs, which share no source.

    Returns the indices of both. The pairs at the indices `changed`, and all pairs with one of their sources
    or with the source `tested`, stay in training.
    """
    training_sources = {tested, *(pairs[index][0] for index in changed)}
    candidates = sorted({source for source, _ in pairs} - training_sources)
    count = min(max_held_out, len(pairs) // HELD_OUT_ONE_IN, len(candidates))
    held_out = set(random.Random(seed).sample(candidates, count))
    first_index = {
        source: index for index, (source, _) in reversed(list(enumerate(pairs))) if source in held_out
    }
    return [i for i, (source, _) in enumerate(pairs) if source not in held_out], sorted(first_index.values())


def _arm(arm: Any) -> dict[str, Any]:
    return {name: value for name, value in asdict(arm).items() if name != "held_out"}


def _with_lists(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values with lists for tuples, as JSON reads them back."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def _pair(values: Sequence[str]) -> Pair:
    source, target = values
    if not isinstance(source, str) or not isinstance(target, str):
        raise TypeError("a pair is two texts")
    return source, target
