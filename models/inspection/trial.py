"""`python -m models.inspection.trial --checkpoint NAME`: explanations put on trial where the truth is known.

Of a generated task it is known which token of the source an output token hangs on. For each method: the share
of steps whose strongest token is such a one, beside the same network with random weights, which must fall to
chance. Bastings et al. 2022, section 3, do so with planted shortcuts.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import torch

from models.corpus.generated.all_tasks import GENERATED, generate
from models.corpus.pairs import Pair
from models.inspection.attribution import Question, attribute
from models.inspection.methods import METHODS
from models.metrics.bootstrap import wilson_interval
from models.networks.architectures import build_model, network_config
from models.networks.base import Seq2SeqModel
from models.registry.card import CheckpointError
from models.registry.checkpoint import Checkpoint
from models.registry.registry import Registry
from models.tokenization.tokenizer import Tokenizer

SEED, SOURCES = 7, 40
RANDOM_NETWORKS = 3  # whose steps count together: one may have a preference of its own


@dataclass(frozen=True)
class Rate:
    """How often a method's strongest token of the source is one that the output hangs on."""

    hits: int
    steps: int
    chance: float  # of a token drawn at random

    @property
    def share(self) -> float:
        """From 0 to 1."""
        return self.hits / self.steps

    @property
    def interval(self) -> tuple[float, float]:
        """Of the share, 95 % (Wilson 1927)."""
        return wilson_interval(self.share, self.steps)


def trial(model: Seq2SeqModel, tokenizer: Tokenizer, task: str, pairs: Sequence[Pair]) -> Mapping[str, Rate]:
    """For each method that applies its rate over all steps of the right outputs of a task.

    Raises ValueError for a task of which it is not known what its outputs hang on.
    """
    relevant = GENERATED[task].relevant if task in GENERATED else None
    if relevant is None:
        known = ", ".join(name for name, each in GENERATED.items() if each.relevant)
        raise ValueError(f"what an output hangs on is known of the tasks {known}; got {task!r}")
    hits: dict[str, int] = defaultdict(int)
    steps: dict[str, int] = defaultdict(int)
    chances: list[float] = []
    for source, target in pairs:
        for position, question in enumerate(_questions(tokenizer, source, target)):
            places = relevant(source, position)
            chances.append(len(places) / len(question.source))
            for name, found in attribute(model, question)[1].items():
                strongest = max(range(len(found.source)), key=lambda at: abs(found.source[at]))
                hits[name] += strongest in places
                steps[name] += 1
    chance = math.fsum(chances) / len(chances)
    return {name: Rate(hits[name], steps[name], chance) for name in METHODS if name in steps}


def _questions(tokenizer: Tokenizer, source: str, target: str) -> Iterator[Question]:
    """Why each letter of the right output is written, after the letters before it."""
    read = tuple(tokenizer.encode(source).ids)
    written = [token for token in tokenizer.target.encode(target).ids if token != tokenizer.eos_id]
    for at, token in enumerate(written):
        prefix = (tokenizer.bos_id, *written[:at])
        yield Question(read, prefix, token, replacement=tokenizer.unk_id)


def random_networks(checkpoint: Checkpoint, count: int = RANDOM_NETWORKS) -> Iterator[Seq2SeqModel]:
    """Networks of the same form that have learnt nothing."""
    config = checkpoint.config
    for seed in range(count):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            network = network_config(config.network)
            yield build_model(network, config.vocab_size, checkpoint.tokenizer.pad_id).eval()


def put_on_trial(
    checkpoint: Checkpoint, count: int = SOURCES, seed: int = SEED
) -> tuple[Mapping[str, Rate], Mapping[str, Rate]]:
    """The rates of a checkpoint on so many random sources of its task, and those of random weights."""
    task = checkpoint.config.task
    pairs = generate(task, count, random.Random(seed)) if task in GENERATED else ()
    trained = trial(checkpoint.model, checkpoint.tokenizer, task, pairs)
    untrained = [trial(model, checkpoint.tokenizer, task, pairs) for model in random_networks(checkpoint)]
    together = {
        name: Rate(
            sum(rates[name].hits for rates in untrained),
            sum(rates[name].steps for rates in untrained),
            trained[name].chance,
        )
        for name in trained
    }
    return trained, together


def main() -> None:
    """A table for people; the last line is one JSON object."""
    parser = argparse.ArgumentParser(prog="python -m models.inspection.trial", description=__doc__)
    parser.add_argument("--checkpoint", default="reverse-gru")
    parser.add_argument("--checkpoints", type=Path, default=Path("checkpoints"), help="the folder of all")
    parser.add_argument("--sources", type=int, default=SOURCES, help="random ones of the task")
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    try:
        checkpoint = Registry(options.checkpoints).load(options.checkpoint, torch.device("cpu"))
        trained, untrained = put_on_trial(checkpoint, options.sources, options.seed)
    except (CheckpointError, ValueError) as error:
        sys.exit(str(error))
    sys.stdout.write(_table(options.checkpoint, trained, untrained))
    figures = {
        "checkpoint": options.checkpoint,
        "trained": {name: asdict(rate) for name, rate in trained.items()},
        "random": {name: asdict(rate) for name, rate in untrained.items()},
    }
    sys.stdout.write(f"{json.dumps(figures)}\n")


def _table(checkpoint: str, trained: Mapping[str, Rate], untrained: Mapping[str, Rate]) -> str:
    chance = next(iter(trained.values())).chance
    lines = [f"{checkpoint}: steps whose strongest token is the right one; chance {chance:.1%}"]
    for name, rate in trained.items():
        low, high = rate.interval
        by_chance = f"random weights {untrained[name].share:.1%}"
        lines.append(f"  {name:22}{rate.share:7.1%}  ({low:.1%} to {high:.1%})  {by_chance}")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    main()
