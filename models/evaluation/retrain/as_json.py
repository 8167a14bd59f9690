"""An experiment and its result as JSON: what a run's folder holds, and what a page shows."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from models.corpus.pairs import DataError, Pair
from models.errors import cannot_be_read
from models.evaluation.retrain.experiment import Changes, Progress, Question, Result, retrain
from models.evaluation.retrain.fine_tuning import Settings
from models.evaluation.retrain.propose import Proposal, WrongOutput
from models.registry.checkpoint import Checkpoint

HELD_OUT_SHARE = 5  # at most one pair of so many is held out


@dataclass(frozen=True)
class Experiment:
    """All that an experiment hangs on, but the weights that both arms start from."""

    pairs: tuple[Pair, ...]
    changes: Changes
    question: Question
    settings: Settings

    def __post_init__(self) -> None:
        """Raises DataError for a place where there is no pair."""
        check_places((*self.changes.dropped, *self.changes.corrected), len(self.pairs))

    @classmethod
    def holding_back(
        cls, pairs: Sequence[Pair], changes: Changes, wrong: WrongOutput, most: int, settings: Settings
    ) -> Experiment:
        """One whose held-out pairs, at most `most`, are taken from the training pairs themselves.

        Raises DataError for a place where there is no pair.
        """
        needed = (*changes.dropped, *changes.corrected)
        check_places(needed, len(pairs))
        training, held_out = hold_back(pairs, most, needed, wrong.source, settings.seed)
        index = {place: number for number, place in enumerate(training)}
        moved = Changes(
            frozenset(index[place] for place in changes.dropped),
            {index[place]: pair for place, pair in changes.corrected.items()},
        )
        question = Question(wrong, tuple(pairs[place] for place in held_out))
        return cls(tuple(pairs[place] for place in training), moved, question, settings)

    def run(self, start: Checkpoint) -> Iterator[Progress]:
        """As `retrain`."""
        return retrain(start, self.pairs, self.changes, self.question, self.settings)

    def to_json(self) -> str:
        """One JSON object."""
        changes = {
            "dropped": sorted(self.changes.dropped),
            "corrected": {str(place): pair for place, pair in self.changes.corrected.items()},
        }
        values = {
            "pairs": self.pairs,
            "changes": changes,
            "wrong": asdict(self.question.wrong),
            "held_out": self.question.held_out,
            "settings": asdict(self.settings),
        }
        return json.dumps(values, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Experiment:
        """The inverse of `to_json`. Raises DataError."""
        try:
            values = json.loads(text)
            changes = values["changes"]
            corrected = {int(place): _pair(pair) for place, pair in changes["corrected"].items()}
            question = Question(WrongOutput(**values["wrong"]), tuple(map(_pair, values["held_out"])))
            return cls(
                tuple(map(_pair, values["pairs"])),
                Changes(frozenset(changes["dropped"]), corrected),
                question,
                Settings(**values["settings"]),
            )
        except DataError:
            raise
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise DataError(cannot_be_read("experiment.json", type(error).__name__)) from error


def check_places(places: Sequence[int], count: int) -> None:
    """Raises DataError for a place, from 0, beyond so many pairs."""
    beyond = [place for place in places if not 0 <= place < count]
    if beyond:
        raise DataError(
            "no_such_training_pair",
            "There are {count} training pairs, and none is number {number}.",
            count=f"{count:,}",
            number=f"{min(beyond) + 1:,}",
        )


def told(experiment: Experiment, result: Result) -> dict[str, Any]:
    """A result as plain JSON types.

    `source`, `output`, `wanted`: what was asked. `before` and `after`: the arm with all pairs and that with
    the changes, each with its `output` and the log-probabilities of the wrong and of the wanted text in nats.
    `flipped`. `others`: counts and chrF with intervals, None without held-out pairs. `held_out`: those of
    them whose output changed.
    """
    wrong, held_out = experiment.question.wrong, experiment.question.held_out
    rows = zip(held_out, result.before.held_out, result.after.held_out, strict=True)
    return {
        **asdict(wrong),
        "pairs": len(experiment.pairs),
        "dropped": len(experiment.changes.dropped),
        "corrected": len(experiment.changes.corrected),
        "steps": experiment.settings.steps,
        **{name: _arm(getattr(result, name)) for name in ("before", "after")},
        "flipped": result.flipped,
        "others": None if result.others is None else _listed(asdict(result.others)),
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
            "place": pair.place,
            "source": pair.pair[0],
            "target": pair.pair[1],
            "score": pair.score,
            "evidence": [_listed(asdict(part)) for part in pair.evidence],
        }
        for pair in proposal.pairs
    ]


def hold_back(
    pairs: Sequence[Pair], most: int, needed: Sequence[int], asked: str, seed: int = 0
) -> tuple[list[int], list[int]]:
    """Places of training pairs, and of at most `most` held-out ones, which share no source with them.

    The pairs at the places `needed`, and all with the source `asked` or one of theirs, stay in training.
    """
    kept = {asked, *(pairs[place][0] for place in needed)}
    free = sorted({source for source, _ in pairs} - kept)
    count = min(most, len(pairs) // HELD_OUT_SHARE, len(free))
    drawn = set(random.Random(seed).sample(free, count))
    first = {source: place for place, (source, _) in reversed(list(enumerate(pairs))) if source in drawn}
    return [i for i, (source, _) in enumerate(pairs) if source not in drawn], sorted(first.values())


def _arm(arm: Any) -> dict[str, Any]:
    return {name: value for name, value in asdict(arm).items() if name != "held_out"}


def _listed(values: Mapping[str, Any]) -> dict[str, Any]:
    """JSON has no tuples: what is read back shall be what was written."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def _pair(values: Sequence[str]) -> Pair:
    source, target = values
    if not isinstance(source, str) or not isinstance(target, str):
        raise TypeError("a pair is two texts")
    return source, target
