"""The rate at which the token with a method's largest score is relevant to the output.

The relevant tokens are known for each step of a generated task. A useful method beats a random token, and it
does so for the trained network but not for random weights (Adebayo et al. 2018, "Sanity checks for saliency
maps"; Bastings et al. 2022, with planted shortcuts).
Deletion and insertion curves show the prediction without the strongest tokens, and with these alone: with a
good method the probability falls at once by deletion, and rises at once by insertion (Petsiuk et al. 2018).
`python -m models.inspection.attribution_test --write` stores the results of the shipped checkpoints in
`measured.json` beside this file.
"""

from __future__ import annotations

import json
import math
import random
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

import torch

from models.budget import let_others_run
from models.corpus.generated.all_tasks import TASKS
from models.corpus.generated.task import AlignedPair
from models.inspection.methods import METHODS, attribute
from models.inspection.methods.occlusion import values_without
from models.inspection.question import ExplainedPrediction, InspectionError, Question
from models.metrics.bootstrap import wilson_interval
from models.networks.architectures import build_model, network_config
from models.networks.base import Seq2SeqModel
from models.registry.checkpoint import Checkpoint
from models.tokenization.tokenizer import Tokenizer

TOKEN_SHARES = tuple(tenth / 10 for tenth in range(11))  # shares of the source's tokens
ATTRIBUTION_TEST_SEED, NUM_SOURCES = 7, 40
NUM_RANDOM_NETWORKS = 3  # their steps are pooled, since one network may have a bias
RESULTS_FILE = Path(__file__).with_name("measured.json")
RESULT_DECIMALS = 4


@dataclass(frozen=True)
class Curves:
    """The probability of the token, at each of TOKEN_SHARES."""

    deletion: tuple[float, ...]  # the curve without the strongest tokens
    insertion: tuple[float, ...]  # the curve of the strongest tokens alone

    @property
    def areas(self) -> tuple[float, float]:
        """Areas under deletion and insertion, 0 to 1: a good method has a small first and a large second."""
        return _area(self.deletion), _area(self.insertion)


def curves(prediction: ExplainedPrediction, scores: Sequence[Sequence[float]]) -> list[Curves]:
    """Curves for the scores (P) of several methods at one step; the largest absolute scores come first.

    For a question with a rival the curves show the exponential of the margin instead of a probability.
    """
    size = len(prediction.places)
    counts = torch.tensor([round(share * size) for share in TOKEN_SHARES])
    strength = torch.tensor([list(method_scores) for method_scores in scores]).abs()  # (M, P)
    by_strength = strength.argsort(dim=1, descending=True, stable=True)
    ranks = by_strength.argsort(dim=1)  # (M, P): 0 is the strongest
    is_strongest = ranks.unsqueeze(1) < counts.view(1, -1, 1)  # (M, K, P)
    rows = torch.cat((is_strongest, ~is_strongest)).flatten(0, 1).to(prediction.places.device)
    remaining = values_without(prediction, rows).exp().view(2, len(scores), len(TOKEN_SHARES)).tolist()
    return [Curves(tuple(deletion), tuple(insertion)) for deletion, insertion in zip(*remaining, strict=True)]


def mean_of(curves: Sequence[Curves]) -> Curves:
    """The mean of several curves, point by point."""
    kinds = [curve.deletion for curve in curves], [curve.insertion for curve in curves]
    return Curves(*(tuple(map(fmean, zip(*kind, strict=True))) for kind in kinds))


def _area(points: Sequence[float]) -> float:
    """The area under a curve by the trapezoidal rule."""
    return fmean((a + b) / 2 for a, b in pairwise(points))


@dataclass(frozen=True)
class Rate:
    """The rate at which the source token with a method's largest score is relevant."""

    hits: int
    steps: int
    chance: float  # the rate of a random token
    curves: Curves | None = field(default=None, kw_only=True)  # mean over all steps; None if not computed

    @property
    def share(self) -> float:
        """Hits per step, 0 to 1."""
        return self.hits / self.steps

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the share (Wilson 1927)."""
        return wilson_interval(self.share, self.steps)


def known_pairs(task: str, count: int, seed: int = ATTRIBUTION_TEST_SEED) -> tuple[AlignedPair, ...]:
    """Random pairs of a task with their relevant tokens. Raises InspectionError if these are not known."""
    generated = TASKS.get(task)
    if generated is None or generated.aligned is None:
        tasks = ", ".join(name for name, candidate in TASKS.items() if candidate.aligned)
        raise InspectionError(
            "truth_unknown",
            "What an output depends on is known for the tasks {known}; this one is {task}.",
            known=tasks,
            task=repr(task),
        )
    rng = random.Random(seed)
    return tuple(generated.aligned(rng, generated.defaults) for _ in range(count))


def rates_of_methods(
    model: Seq2SeqModel,
    tokenizer: Tokenizer,
    pairs: Iterable[AlignedPair],
    methods: Collection[str] | None = None,
    *,
    with_curves: bool = False,
) -> Mapping[str, Rate]:
    """The rate of each method that applies, over all steps with relevant tokens.

    methods: names of METHODS; None = all.
    """
    hits: dict[str, int] = defaultdict(int)
    chances: dict[str, list[float]] = defaultdict(list)
    curves_of: dict[str, list[Curves]] = defaultdict(list)
    for pair in pairs:
        for question, relevant in questions(tokenizer, pair):
            let_others_run()
            prediction = ExplainedPrediction(model, question)
            right = prediction.places[:, sorted(relevant)].any(dim=1)  # (P,)
            attributions = attribute(model, question, methods)[1]
            for name, attribution in attributions.items():
                sizes = list(map(abs, attribution.source))
                hits[name] += bool(right[sizes.index(max(sizes))])
                chances[name].append(float(right.float().mean()))
            if with_curves:
                of_methods = curves(prediction, [attribution.source for attribution in attributions.values()])
                for name, curve in zip(attributions, of_methods, strict=True):
                    curves_of[name].append(curve)
    return {
        name: Rate(
            hits[name],
            len(chances[name]),
            math.fsum(chances[name]) / len(chances[name]),
            curves=mean_of(curves_of[name]) if curves_of[name] else None,
        )
        for name in METHODS
        if name in chances
    }


def questions(tokenizer: Tokenizer, pair: AlignedPair) -> Iterator[tuple[Question, frozenset[int]]]:
    """A question about each token of the right output, with the source positions relevant to it."""
    source = tuple(tokenizer.encode(pair.source).ids)
    target = [token for token in tokenizer.target.encode(pair.target).ids if token != tokenizer.eos_id]
    if len(target) != len(pair.relevant):
        raise InspectionError(
            "truth_of_other_tokens",
            "What this output depends on is known only if it has {count} tokens, but this vocabulary "
            "divides it into {others}.",
            count=len(pair.relevant),
            others=len(target),
        )
    for step, (token, relevant) in enumerate(zip(target, pair.relevant, strict=True)):
        if relevant:
            prefix = (tokenizer.bos_id, *target[:step])
            yield Question(source, prefix, token, replacement=tokenizer.unk_id), relevant


def random_networks(checkpoint: Checkpoint, count: int = NUM_RANDOM_NETWORKS) -> Iterator[Seq2SeqModel]:
    """Networks of the same architecture with random weights."""
    config = checkpoint.config
    for seed in range(count):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            network = network_config(config.network)
            yield build_model(network, config.vocab_size, checkpoint.tokenizer.pad_id).eval()


def measure_rates(
    checkpoint: Checkpoint,
    count: int = NUM_SOURCES,
    seed: int = ATTRIBUTION_TEST_SEED,
    networks: int = NUM_RANDOM_NETWORKS,
) -> tuple[Mapping[str, Rate], Mapping[str, Rate]]:
    """The rates of a checkpoint on `count` random sources of its task, and the rates of random weights.

    networks: number of random networks, whose steps are pooled. Raises InspectionError.
    """
    pairs = known_pairs(checkpoint.config.task, count, seed)
    trained = rates_of_methods(checkpoint.model, checkpoint.tokenizer, pairs, with_curves=True)
    untrained = random_networks(checkpoint, networks)
    return trained, _pool([rates_of_methods(model, checkpoint.tokenizer, pairs) for model in untrained])


def _pool(rates: Sequence[Mapping[str, Rate]]) -> Mapping[str, Rate]:
    """The rates over the pooled steps of several networks."""
    return {
        name: Rate(
            sum(rates_of[name].hits for rates_of in rates),
            sum(rates_of[name].steps for rates_of in rates),
            rates[0][name].chance,
        )
        for name in rates[0]
    }


@dataclass(frozen=True)
class AttributionTestResult:
    """The result of one checkpoint."""

    checkpoint: str
    task: str
    sources: int
    seed: int
    trained: Mapping[str, Rate]  # rates by method
    random: Mapping[str, Rate]  # rates by method, of the same network with random weights


@cache
def shipped_results() -> Mapping[str, AttributionTestResult]:
    """The results in the file, by checkpoint."""

    def rate(entry: Mapping[str, Any]) -> Rate:
        curves = entry["curves"] and Curves(
            *(tuple(entry["curves"][kind]) for kind in ("deletion", "insertion"))
        )
        return Rate(entry["hits"], entry["steps"], entry["chance"], curves=curves)

    return {
        name: AttributionTestResult(
            name,
            *(result[part] for part in ("task", "sources", "seed")),
            *(
                {method: rate(entry) for method, entry in result[part].items()}
                for part in ("trained", "random")
            ),
        )
        for name, result in json.loads(RESULTS_FILE.read_text(encoding="utf-8")).items()
    }


def as_json(result: AttributionTestResult) -> dict[str, Any]:
    """A result as an entry of the file: its fields by the checkpoint's name."""
    fields = json.dumps({name: value for name, value in asdict(result).items() if name != "checkpoint"})
    rounded = json.loads(fields, parse_float=lambda digits: round(float(digits), RESULT_DECIMALS))
    return {result.checkpoint: rounded}


def write(results: Mapping[str, Any]) -> None:
    """Write the file, a line for each checkpoint."""
    lines = [f"{json.dumps(name)}: {json.dumps(result)}" for name, result in sorted(results.items())]
    RESULTS_FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
