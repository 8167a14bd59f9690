"""How often a method's strongest token is one that the output is known to hang on.

Of a generated task that is known of every step. A method is worth something there if it beats a token drawn
at random, and it looks at what was learnt only if it does not do so for random weights (Adebayo et al. 2018,
"Sanity checks for saliency maps"; Bastings et al. 2022, section 3, with planted shortcuts).
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import torch

from models.budget import rest
from models.corpus.generated.all_tasks import TASKS
from models.corpus.generated.task import Known
from models.inspection.attribution import Question, attribute
from models.inspection.methods import METHODS
from models.inspection.question import Inquiry, InspectionError
from models.inspection.trial.curves import Curves, curves, mean_of
from models.metrics.bootstrap import wilson_interval
from models.networks.architectures import build_model, network_config
from models.networks.base import Seq2SeqModel
from models.registry.checkpoint import Checkpoint
from models.tokenization.tokenizer import Tokenizer

SEED, SOURCES = 7, 40
RANDOM_NETWORKS = 3  # whose steps count together: one may have a preference of its own


@dataclass(frozen=True)
class Rate:
    """How often a method's strongest token of the source is one that the output hangs on."""

    hits: int
    steps: int
    chance: float  # of a token drawn at random
    curves: Curves | None = field(default=None, kw_only=True)  # mean of all steps, if they were asked for

    @property
    def share(self) -> float:
        """From 0 to 1."""
        return self.hits / self.steps

    @property
    def interval(self) -> tuple[float, float]:
        """Of the share, 95 % (Wilson 1927)."""
        return wilson_interval(self.share, self.steps)


def known_pairs(task: str, count: int, seed: int = SEED) -> tuple[Known, ...]:
    """So many random pairs of a task. Raises InspectionError if it is not known what its outputs hang on."""
    result = TASKS.get(task)
    if result is None or result.known is None:
        known = ", ".join(name for name, task in TASKS.items() if task.known)
        raise InspectionError(
            "truth_unknown",
            "What an output hangs on is known for the tasks {known}; this one is {task}.",
            known=known,
            task=repr(task),
        )
    rng = random.Random(seed)
    return tuple(result.known(rng, result.defaults) for _ in range(count))


def trial(
    model: Seq2SeqModel,
    tokenizer: Tokenizer,
    pairs: Iterable[Known],
    methods: Collection[str] | None = None,
    *,
    with_curves: bool = False,
) -> Mapping[str, Rate]:
    """For each method that applies, its rate over all steps of which it is known what they hang on.

    methods: names of METHODS, all of them unless given.
    """
    hits: dict[str, int] = defaultdict(int)
    chances: dict[str, list[float]] = defaultdict(list)
    drawn: dict[str, list[Curves]] = defaultdict(list)
    for pair in pairs:
        for question, relevant in questions(tokenizer, pair):
            rest()
            inquiry = Inquiry(model, question)
            right = inquiry.places[:, sorted(relevant)].any(dim=1)  # (P,)
            result = attribute(model, question, methods)[1]
            for name, entry in result.items():
                strongest = max(range(len(entry.source)), key=lambda index: abs(entry.source[index]))
                hits[name] += bool(right[strongest])
                chances[name].append(float(right.float().mean()))
            if with_curves:
                of_each = curves(inquiry, [item.source for item in result.values()])
                for name, drawn_one in zip(result, of_each, strict=True):
                    drawn[name].append(drawn_one)
    return {
        name: Rate(
            hits[name],
            len(chances[name]),
            math.fsum(chances[name]) / len(chances[name]),
            curves=mean_of(drawn[name]) if drawn[name] else None,
        )
        for name in METHODS
        if name in chances
    }


def questions(tokenizer: Tokenizer, pair: Known) -> Iterator[tuple[Question, frozenset[int]]]:
    """Why each token of the right output is written, after those before it, and what it hangs on."""
    read = tuple(tokenizer.encode(pair.source).ids)
    written = [token for token in tokenizer.target.encode(pair.target).ids if token != tokenizer.eos_id]
    if len(written) != len(pair.relevant):
        raise InspectionError(
            "truth_of_other_tokens",
            "What this output hangs on is known for {count} tokens, but this vocabulary makes "
            "{others} of it.",
            count=len(pair.relevant),
            others=len(written),
        )
    for index, (token, relevant) in enumerate(zip(written, pair.relevant, strict=True)):
        if relevant:
            prefix = (tokenizer.bos_id, *written[:index])
            yield Question(read, prefix, token, replacement=tokenizer.unk_id), relevant


def random_networks(checkpoint: Checkpoint, count: int = RANDOM_NETWORKS) -> Iterator[Seq2SeqModel]:
    """Networks of the same form that have learnt nothing."""
    config = checkpoint.config
    for seed in range(count):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            network = network_config(config.network)
            yield build_model(network, config.vocab_size, checkpoint.tokenizer.pad_id).eval()


def put_on_trial(
    checkpoint: Checkpoint,
    count: int = SOURCES,
    seed: int = SEED,
    *,
    with_curves: bool = False,
    networks: int = RANDOM_NETWORKS,
) -> tuple[Mapping[str, Rate], Mapping[str, Rate]]:
    """The rates of a checkpoint on so many random sources of its task, and those of random weights.

    networks: so many of random weights, whose steps count together. Raises InspectionError.
    """
    pairs = known_pairs(checkpoint.config.task, count, seed)
    trained = trial(checkpoint.model, checkpoint.tokenizer, pairs, with_curves=with_curves)
    untrained = random_networks(checkpoint, networks)
    return trained, _together([trial(model, checkpoint.tokenizer, pairs) for model in untrained])


def _together(rates: Sequence[Mapping[str, Rate]]) -> Mapping[str, Rate]:
    """Over the steps of several networks."""
    return {
        name: Rate(
            sum(rate[name].hits for rate in rates),
            sum(rate[name].steps for rate in rates),
            rates[0][name].chance,
        )
        for name in rates[0]
    }
