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
from models.decoding.decode import DecodingError
from models.decoding.options import DecodingOptions
from models.decoding.outputs import translate
from models.evaluation.command import build_parser, decoding_options, file_pairs, load, name_of
from models.evaluation.fresh import FRESH_SEED, fresh_pairs, needs_data, task_recipe, trained_sources
from models.metrics.bootstrap import Sentences, bleu_sentences, exact_matches
from models.registry.card import CheckpointError
from models.registry.checkpoint import Checkpoint
from models.registry.quality_by_length import BLEU, EXACT_MATCH, LengthBin, QualityByLength
from models.registry.registry import QUALITY, Registry, UnknownCheckpointError
from models.whole_file import write_whole

FRESH_PER_LENGTH, FRESH = 200, 2000  # generated sources: of each length, or of all together
FEWEST_FRESH, DRAWS = 20, 4000  # of a length; fewer unseen ones among so many draws say too little
LONGEST_FRESH = 20  # letters or tokens, beyond what the recipes train on
FEWEST, MOST_BINS = 50, 40  # sources in a bin; one bin has no less than so small a part of all
SHORTEST_SENTENCES = 3  # words: shorter ones hardly have the runs of four tokens that BLEU counts

Edges = tuple[tuple[int, int], ...]  # first and last length of each bin


def source_unit(sources: Sequence[str], task: str) -> str:
    """What sources are counted in, words or characters, whatever the checkpoint makes of them.

    A generated task says so itself; of other texts most must have two words for words to tell them apart.
    """
    if task in GENERATED:
        return "words" if GENERATED[task].tokenizer == "word" else "characters"
    return "words" if sum(len(text.split()) > 1 for text in sources) > len(sources) / 2 else "characters"


def source_length(source: str, unit: str) -> int:
    """How long a source is in that unit, at least 1."""
    return max(1, len(source.split()) if unit == "words" else len(source))


def length_bins(lengths: Sequence[int], fewest: int, shortest: int = 1) -> Edges:
    """Neighbouring lengths put together until there are `fewest` sources in each bin; gaps belong to none.

    The first bin holds all sources of at most `shortest`. Raises ValueError without a length.
    """
    if not lengths:
        raise ValueError("lengths must hold at least one length")
    counts = sorted(Counter(lengths).items())
    bins: list[tuple[int, int]] = []
    first, held = counts[0][0], 0
    for length, count in counts:
        first, held = (first, held + count) if held else (length, count)
        if held >= fewest and length >= shortest:
            bins.append((first, length))
            held = 0
    if held:  # too few for a bin of their own
        bins[-1:] = [(bins[-1][0] if bins else first, counts[-1][0])]
    return tuple(bins)


def strings_of_every_length(
    task: GeneratedTask, rng: random.Random, options: Mapping[str, int], seen: Collection[str]
) -> tuple[Pair, ...]:
    """At most 200 different sources of each length, none of them in `seen`.

    `options` say how hard the task is in all else. A length that has hardly any unseen source, as that of
    one letter, is left out. Raises DataError.
    """
    result: list[Pair] = []
    for length in range(1, LONGEST_FRESH + 1):
        drawn = generate(task.name, DRAWS, rng, {**options, "shortest": length, "longest": length})
        unseen = list(dict.fromkeys(pair for pair in drawn if pair[0] not in seen))
        result += unseen[:FRESH_PER_LENGTH] if len(unseen) >= FEWEST_FRESH else []
    return tuple(result)


def longer_histories(task: GeneratedTask, rng: random.Random, options: Mapping[str, int]) -> tuple[Pair, ...]:
    """About as many pairs of each length beyond the horizon that `options` name. Raises DataError."""
    result: list[Pair] = []
    for horizon in range(options["horizon"] + 1, LONGEST_FRESH // 2 + 1):
        count = (horizon + 1) * FRESH_PER_LENGTH  # one in horizon + 1 is as long as it allows
        pairs = generate(task.name, count, rng, {**options, "horizon": horizon})
        result += [pair for pair in pairs if len(pair[0].split()) == 2 * horizon + 1]
    return tuple(result)


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
    fewest = max(FEWEST, len(sources) // MOST_BINS)
    translation = config.task == "translation"
    edges = length_bins(lengths, fewest, SHORTEST_SENTENCES if translation and unit == "words" else 1)
    outputs = translate(
        checkpoint.model, checkpoint.tokenizer, sources, options, language=config.target_language
    )
    scored = (
        bleu_sentences(outputs, references, config.target_language)
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


def _bin(scored: Sentences, lengths: Sequence[int], first: int, last: int) -> LengthBin:
    chosen = [i for i, length in enumerate(lengths) if first <= length <= last]
    those = scored.of(chosen)
    value, (low, high) = those.value(), those.interval()
    return LengthBin(first, last, len(chosen), round(value, 2), round(low, 2), round(high, 2))


def _digest(grouped: dict[str, list[str]]) -> str:
    content = json.dumps([[source, sorted(grouped[source])] for source in sorted(grouped)])
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def table(quality: QualityByLength) -> str:
    """The record as lines of text."""
    lines = [f"{quality.checkpoint}: {quality.metric} by source length, {quality.strategy}"]
    lines.append(f"{quality.unit:>12}{'sources':>9}{quality.metric:>13}   95 % interval")
    for bin in quality.bins:
        span = str(bin.first) if bin.first == bin.last else f"{bin.first}-{bin.last}"
        interval = f"{bin.low:.1f} to {bin.high:.1f}"
        lines.append(f"{span:>12}{bin.sources:>9,}{bin.value:>13.1f}   {interval}")
    return "\n".join(lines)


def main() -> int:
    """Exit code 0, or 1 with one sentence on standard error."""
    options = _parser().parse_args()
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


def _parser() -> argparse.ArgumentParser:
    parser = build_parser("python -m models.evaluation.by_length", __doc__)
    parser.add_argument("--checkpoint", required=True, action="append", help="may be given several times")
    return parser


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
    """Sources that its recipe kept from training, and longer ones than it saw where the task has them.

    Without a recipe nobody knows what training saw: then any sources, drawn anew. Raises DataError.
    """
    task, rng = GENERATED[checkpoint.config.task], random.Random(FRESH_SEED)
    recipe = task_recipe(folder)
    options = task.check({} if recipe is None else recipe.options)
    if "longest" in options:
        seen: Collection[str] = () if recipe is None else trained_sources(task.name, recipe)
        return strings_of_every_length(task, rng, options, seen)
    kept = fresh_pairs(checkpoint, folder, FRESH).pairs
    return kept + longer_histories(task, rng, options) if "horizon" in options else kept


if __name__ == "__main__":
    torch.set_grad_enabled(False)
    sys.exit(main())
