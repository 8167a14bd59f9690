"""`python -m models.evaluation.by_length --checkpoint NAME [--data FILE.tsv]`: quality against source length.

Writes `quality_by_length.json` into each checkpoint's folder and prints it as a table.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import torch

from models.corpus.generated.all_tasks import GENERATED, generate
from models.corpus.generated.task import GeneratedTask
from models.corpus.pairs import DataError, Pair
from models.decoding.limits import DecodingError
from models.decoding.options import DecodingOptions
from models.decoding.outputs import translate
from models.evaluation.command import (
    FRESH_SEED,
    build_parser,
    decoding_options,
    file_pairs,
    fresh_pairs,
    load,
    name_of,
    needs_data,
    task_recipe,
    training_sources,
)
from models.metrics.bootstrap import SentenceStatistics, bleu_statistics, exact_matches
from models.registry.card import CheckpointError
from models.registry.checkpoint import Checkpoint
from models.registry.quality_by_length import BLEU, EXACT_MATCH, LengthBin, QualityByLength
from models.registry.registry import QUALITY, Registry, UnknownCheckpointError
from models.whole_file import write_whole

FRESH_PER_LENGTH = 200  # the most generated pairs of each length
FRESH_PAIRS = 2000  # generated pairs of a task that does not generate by length
MIN_FRESH, NUM_GENERATED_SOURCES = 20, 4000  # a length counts if 20 of 4000 sources are new
MAX_FRESH_LENGTH = 20  # letters or tokens; the recipes train on shorter sources
MIN_BIN_SOURCES = 50  # the fewest sources of a bin
MAX_LENGTH_BINS = 40
MAX_SHORT_WORDS = 3  # the first bin has all sources of at most this many words; they have no 4-grams for BLEU

Edges = tuple[tuple[int, int], ...]  # first and last length of each bin


def source_unit(sources: Sequence[str], task: str) -> str:
    """The unit of source lengths, words or characters, the same for all checkpoints.

    A generated task knows its unit; other texts are counted in words if most have two or more.
    """
    if task in GENERATED:
        return "words" if GENERATED[task].tokenizer == "word" else "characters"
    return "words" if sum(len(text.split()) > 1 for text in sources) > len(sources) / 2 else "characters"


def source_length(source: str, unit: str) -> int:
    """The length of a source in words or characters, at least 1."""
    return max(1, len(source.split()) if unit == "words" else len(source))


def length_bins(lengths: Sequence[int], min_sources: int, min_last: int = 1) -> Edges:
    """Join neighbouring lengths until each bin has `min_sources` sources; gaps belong to no bin.

    The first bin ends at the length `min_last` or later. Raises ValueError if there is none.
    """
    if not lengths:
        raise ValueError("lengths must hold at least one length")
    counts = sorted(Counter(lengths).items())
    bins: list[tuple[int, int]] = []
    first, size = counts[0][0], 0
    for length, count in counts:
        first, size = (first, size + count) if size else (length, count)
        if size >= min_sources and length >= min_last:
            bins.append((first, length))
            size = 0
    if size:  # too few for another bin
        bins[-1:] = [(bins[-1][0] if bins else first, counts[-1][0])]
    return tuple(bins)


def strings_of_every_length(
    task: GeneratedTask, rng: random.Random, options: Mapping[str, int], training_sources: Collection[str]
) -> tuple[Pair, ...]:
    """Draw at most FRESH_PER_LENGTH different pairs of each length, with no source of `training_sources`.

    `options` are the other settings of the task. A length with fewer than MIN_FRESH new sources is left out.
    Raises DataError for invalid options.
    """
    pairs: list[Pair] = []
    for length in range(1, MAX_FRESH_LENGTH + 1):
        candidates = generate(
            task.name, NUM_GENERATED_SOURCES, rng, {**options, "shortest": length, "longest": length}
        )
        unseen = list(dict.fromkeys(pair for pair in candidates if pair[0] not in training_sources))
        pairs += unseen[:FRESH_PER_LENGTH] if len(unseen) >= MIN_FRESH else []
    return tuple(pairs)


def longer_histories(task: GeneratedTask, rng: random.Random, options: Mapping[str, int]) -> tuple[Pair, ...]:
    """Draw about FRESH_PER_LENGTH pairs of each length beyond the horizon in `options`.

    Raises DataError for invalid options.
    """
    longer: list[Pair] = []
    for horizon in range(options["horizon"] + 1, MAX_FRESH_LENGTH // 2 + 1):
        count = (horizon + 1) * FRESH_PER_LENGTH  # one pair in horizon + 1 has the full length
        pairs = generate(task.name, count, rng, {**options, "horizon": horizon})
        longer += [pair for pair in pairs if len(pair[0].split()) == 2 * horizon + 1]
    return tuple(longer)


def quality_by_length(
    checkpoint: Checkpoint, pairs: Sequence[Pair], options: DecodingOptions
) -> QualityByLength:
    """Decode every distinct source once and score each bin.

    The bins depend on the pairs alone, so that checkpoints can be compared. Raises DecodingError.
    """
    config = checkpoint.config
    grouped: dict[str, list[str]] = {}
    for source, reference in pairs:
        grouped.setdefault(source, []).append(reference)
    sources, references = list(grouped), list(grouped.values())
    unit = source_unit(sources, config.task)
    lengths = [source_length(source, unit) for source in sources]
    min_sources = max(MIN_BIN_SOURCES, len(sources) // MAX_LENGTH_BINS)
    translation = config.task == "translation"
    edges = length_bins(lengths, min_sources, MAX_SHORT_WORDS if translation and unit == "words" else 1)
    outputs = translate(
        checkpoint.model, checkpoint.tokenizer, sources, options, language=config.target_language
    )
    scored = (
        bleu_statistics(outputs, references, config.target_language)
        if translation
        else exact_matches(outputs, references)
    )
    return QualityByLength(
        checkpoint=checkpoint.name,
        task=config.task,
        source_language=config.source_language,
        target_language=config.target_language,
        test_set=_digest(grouped),
        metric=BLEU if translation else EXACT_MATCH,
        signature=scored.signature,
        strategy=name_of(options),
        unit=unit,
        resamples=scored.resamples,
        bins=tuple(_bin(scored, lengths, first, last) for first, last in edges),
    )


def _bin(scored: SentenceStatistics, lengths: Sequence[int], first: int, last: int) -> LengthBin:
    indices = [index for index, length in enumerate(lengths) if first <= length <= last]
    sentences = scored.subset(indices)
    value, (low, high) = sentences.value(), sentences.interval()
    return LengthBin(first, last, len(indices), round(value, 2), round(low, 2), round(high, 2))


def _digest(grouped: dict[str, list[str]]) -> str:
    content = json.dumps([[source, sorted(grouped[source])] for source in sorted(grouped)])
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def table(quality: QualityByLength) -> str:
    """The record as lines of text."""
    lines = [f"{quality.checkpoint}: {quality.metric} by source length, {quality.strategy}"]
    lines.append(f"{quality.unit:>12}{'sources':>9}{quality.metric:>13}   95 % interval")
    for group in quality.bins:
        span = str(group.first) if group.first == group.last else f"{group.first}-{group.last}"
        interval = f"{group.low:.1f} to {group.high:.1f}"
        lines.append(f"{span:>12}{group.sources:>9,}{group.value:>13.1f}   {interval}")
    return "\n".join(lines)


def main() -> int:
    """The exit status: 0, or 1 with one sentence on standard error."""
    parser = build_parser("python -m models.evaluation.by_length", __doc__)
    parser.add_argument("--checkpoint", required=True, action="append", help="may be given several times")
    options = parser.parse_args()
    registry = Registry(options.root)
    try:
        for name in options.checkpoint:
            checkpoint = load(registry, name, options)
            pairs = _pairs(checkpoint, registry.folder(name), options)
            quality = quality_by_length(checkpoint, pairs, decoding_options(options, checkpoint))
            write_whole(registry.folder(name) / QUALITY, quality.to_json() + "\n")
            sys.stdout.write(table(quality) + "\n\n")
    except (CheckpointError, UnknownCheckpointError, DataError, DecodingError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def _pairs(checkpoint: Checkpoint, folder: Path, options: argparse.Namespace) -> tuple[Pair, ...]:
    if checkpoint.tokenizer.picture is not None:
        raise DataError(
            "pictures_have_no_length",
            "checkpoint {name} reads pictures, which have no length: choose one that reads text",
            name=repr(checkpoint.name),
        )
    if options.data is not None:
        return file_pairs(checkpoint, options)
    if checkpoint.config.task in GENERATED:
        return _fresh(checkpoint, folder)
    raise DataError(needs_data(checkpoint.name))


def _fresh(checkpoint: Checkpoint, folder: Path) -> tuple[Pair, ...]:
    """The recipe's held-out sources, and longer ones if the task has them.

    Without a recipe the training data are unknown, so sources are drawn at random. Raises DataError.
    """
    task, rng = GENERATED[checkpoint.config.task], random.Random(FRESH_SEED)
    recipe = task_recipe(folder)
    options = task.check({} if recipe is None else recipe.options)
    if "longest" in options:
        excluded: Collection[str] = () if recipe is None else training_sources(task.name, recipe)
        return strings_of_every_length(task, rng, options, excluded)
    pairs, _ = fresh_pairs(checkpoint, folder, FRESH_PAIRS)
    return pairs + longer_histories(task, rng, options) if "horizon" in options else pairs


if __name__ == "__main__":
    torch.set_grad_enabled(False)
    sys.exit(main())
