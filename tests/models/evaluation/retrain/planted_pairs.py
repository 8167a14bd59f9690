"""The share of planted wrong training pairs that are proposed, and the effect of their removal.

`python -m tests.models.evaluation.retrain.planted_pairs` prints the figures, in some minutes on one core;
with two numbers A and B those of seeds A to B - 1. All is generated: in PLANTED pairs of dates one month's
name stands for another month. Three cases: no other training pair has this month's name; RIGHT right pairs
have it too; and the first case again, but the start was trained on the pairs before.
"""

from __future__ import annotations

import copy
import random
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import torch

from models.corpus.generated.all_tasks import generate
from models.corpus.pairs import Pair
from models.decoding.options import DecodingOptions
from models.decoding.outputs import translate
from models.evaluation.retrain.fine_tuning import FineTuningSettings, fine_tune, readable_examples
from models.evaluation.retrain.propose import WrongOutput, propose
from models.metrics.bootstrap import wilson_interval
from models.registry.checkpoint import Checkpoint
from models.registry.registry import Registry

ROOT = Path(__file__).parents[4]
MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "June",
    "July",
    "August",
    "October",
    "November",
    "December",
)
NUMBERS = ("01", "02", "03", "04", "06", "07", "08", "10", "11", "12")
PLANTED = FIRST = 10
RIGHT = 5
SEEDS = range(100, 130)  # steps and learning rate were chosen on those from 0 to 3


@dataclass(frozen=True)
class Corpus:
    """Training pairs, the wrong ones among them, and sources that a network then gets wrong."""

    pairs: tuple[Pair, ...]
    planted: Mapping[int, Pair]  # the right pairs, by index of the wrong ones
    tested: tuple[Pair, ...]  # sources with their right targets


def loaded(name: str = "dates-transformer") -> Checkpoint:
    return Registry(ROOT / "checkpoints").load(name, torch.device("cpu"))


def corpus(seed: int, right: int = 0, size: int = 300) -> Corpus:
    """A month's name is wrong in PLANTED pairs; it stands in `right` right ones, and in no other."""
    rng = random.Random(seed)
    month, other_month = rng.sample(range(len(MONTHS)), 2)
    drawn = tuple(dict.fromkeys(generate("dates", 6000, rng, {"formats": 10})))
    with_name = [pair for pair in drawn if MONTHS[month] in pair[0]]
    without = [pair for pair in drawn if MONTHS[month] not in pair[0]]
    right_pairs = with_name[:PLANTED]
    bad = {(source, _other(target, NUMBERS[other_month])): (source, target) for source, target in right_pairs}
    with_month = PLANTED + right
    pairs = [*bad, *with_name[PLANTED:with_month], *without[: size - with_month]]
    rng.shuffle(pairs)
    planted = {index: bad[pair] for index, pair in enumerate(pairs) if pair in bad}
    return Corpus(tuple(pairs), planted, tuple(with_name[with_month : with_month + 20]))


def _other(target: str, month: str) -> str:
    year, _, day = target.split("-")
    return f"{year}-{month}-{day}"


def fine_tuned(
    start: Checkpoint, pairs: Sequence[Pair], settings: FineTuningSettings, dropped: Collection[int] = ()
) -> Checkpoint:
    """The start, fine-tuned as `retrain` does, without some of the pairs."""
    arm = Checkpoint(start.name, start.config, start.tokenizer, copy.deepcopy(start.model))
    result = readable_examples(start, dict(enumerate(pairs)))
    remaining = {index: item for index, item in result.items() if index not in dropped}
    for _ in fine_tune(arm, remaining, settings, range(len(pairs))):
        pass
    return arm


def wrong_outputs(network: Checkpoint, tested: Sequence[Pair]) -> Iterator[WrongOutput]:
    """The outputs that differ from the right ones."""
    options = DecodingOptions("greedy", max_length=network.config.max_length)
    outputs = translate(network.model, network.tokenizer, [source for source, _ in tested], options)
    for (source, target), output in zip(tested, outputs, strict=True):
        if output != target:
            yield WrongOutput(source, output, target)


@dataclass
class Figures:
    """Successes and attempts by name."""

    hits: Counter[str] = field(default_factory=Counter)
    attempts: Counter[str] = field(default_factory=Counter)

    def count(self, name: str, hits: int, attempts: int = 1) -> str:
        """Add successes and attempts under a name."""
        self.hits[name] += hits
        self.attempts[name] += attempts
        return f"{name} {hits} of {attempts}"

    def lines(self) -> Iterator[str]:
        """The figures in lines, with Wilson's 95 % intervals."""
        for name, attempts in self.attempts.items():
            low, high = wilson_interval(self.hits[name] / attempts, attempts)
            yield f"{name}: {self.hits[name]} of {attempts}, {100 * low:.1f} to {100 * high:.1f} %"


def experiment(start: Checkpoint, seed: int, right: int, figures: Figures) -> Iterator[str]:
    """One wrong output of one seed: the planted pairs that are proposed, and the outputs that flip."""
    data, settings = corpus(seed, right), FineTuningSettings(seed=seed)
    case = f"beside {right} right pairs: " if right else ""
    network = fine_tuned(start, data.pairs, settings)
    wrong = next(wrong_outputs(network, data.tested), None)
    yield figures.count(f"{case}something goes wrong", wrong is not None)
    if wrong is None:
        return
    yield str(wrong)
    first = {pair.index for pair in propose(network, data.pairs, wrong, FIRST).pairs}
    chance = random.Random(seed).sample(range(len(data.pairs)), FIRST)
    tested = [(wrong.source, wrong.wanted)]

    def flips(begin: Checkpoint, pairs: Sequence[Pair], dropped: Collection[int] = ()) -> bool:
        return not any(wrong_outputs(fine_tuned(begin, pairs, settings, dropped), tested))

    yield figures.count(f"{case}planted pairs among the first {FIRST}", len(first & set(data.planted)), FIRST)
    yield figures.count(f"{case}flips without the first {FIRST}", flips(start, data.pairs, first))
    yield figures.count(f"{case}flips without {FIRST} random pairs", flips(start, data.pairs, chance))
    if not right:
        corrected = [
            data.planted.get(index, pair) if index in first else pair for index, pair in enumerate(data.pairs)
        ]
        yield figures.count("already learnt: flips without them", flips(network, data.pairs, first))
        yield figures.count("already learnt: flips with them corrected", flips(network, corrected))


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    """Print the figures for one wrong output of each seed and case."""
    start, figures = loaded(), Figures()
    for seed in range(*map(int, sys.argv[1:])) if sys.argv[1:] else SEEDS:
        for right in (0, RIGHT):
            _say(f"seed {seed}: " + "; ".join(experiment(start, seed, right, figures)))
    for line in figures.lines():
        _say(line)


if __name__ == "__main__":
    main()
