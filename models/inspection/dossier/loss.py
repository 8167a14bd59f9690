"""The loss of quality on a test set without a part of the network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from models.corpus.generated.all_tasks import TASKS
from models.corpus.pairs import Pair
from models.decoding.limits import MAX_LENGTH
from models.decoding.options import DecodingOptions
from models.decoding.outputs import translate
from models.decoding.strategies.greedy import Greedy
from models.inspection.dossier.ablation import NetworkPart, Without
from models.metrics.bootstrap import SentenceStatistics, bleu_statistics, chrf_statistics, exact_matches
from models.registry.checkpoint import Checkpoint


@dataclass(frozen=True)
class QualityLoss:
    """A score, 0 to 100, with the part and without it."""

    metric: str
    whole: float
    without: float
    low: float  # the lower end of the 95 % interval of whole - without, paired bootstrap (Koehn 2004)
    high: float
    signature: str = ""  # sacrebleu's

    @property
    def lost(self) -> float:
        """The loss in points."""
        return self.whole - self.without


@dataclass(frozen=True)
class Outputs:
    """Outputs of greedy search for each distinct source, with the part and without it."""

    sources: tuple[str, ...]
    references: tuple[tuple[str, ...], ...]
    whole: tuple[str, ...]
    without: tuple[str, ...]

    @property
    def changed(self) -> float:
        """The share of outputs that differ, 0 to 1."""
        pairs = zip(self.whole, self.without, strict=True)
        return sum(output != output_without_head for output, output_without_head in pairs) / len(self.sources)


def both_outputs(checkpoint: Checkpoint, part: NetworkPart, pairs: Sequence[Pair]) -> Outputs:
    """Decode each distinct source with the part and without it; there must be at least one."""
    grouped: dict[str, list[str]] = {}
    for source, reference in pairs:
        grouped.setdefault(source, []).append(reference)
    max_length = min(checkpoint.config.max_length, MAX_LENGTH)
    options = DecodingOptions(strategy=Greedy.name, max_length=max_length)
    whole, without = (
        translate(model, checkpoint.tokenizer, list(grouped), options)
        for model in (checkpoint.model, Without(checkpoint.model, part))
    )
    return Outputs(tuple(grouped), tuple(map(tuple, grouped.values())), tuple(whole), tuple(without))


def losses(checkpoint: Checkpoint, outputs: Outputs) -> tuple[QualityLoss, ...]:
    """Exact match and chrF, and BLEU for translations."""
    language = checkpoint.config.target_language
    metrics = {"exact_match": exact_matches, "chrf": chrf_statistics}
    scores = {
        name: tuple(score(texts, outputs.references) for texts in (outputs.whole, outputs.without))
        for name, score in metrics.items()
    }
    if checkpoint.config.task not in TASKS:
        both_sides = (outputs.whole, outputs.without)
        scores["bleu"] = tuple(bleu_statistics(texts, outputs.references, language) for texts in both_sides)
    return tuple(_quality_loss(name, whole, without) for name, (whole, without) in scores.items())


def _quality_loss(metric: str, whole: SentenceStatistics, without: SentenceStatistics) -> QualityLoss:
    _, low, high = whole.paired_difference(without)
    return QualityLoss(metric, whole.value(), without.value(), low, high, whole.signature)
