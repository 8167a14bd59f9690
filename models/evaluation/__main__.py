"""`python -m models.evaluation --checkpoint NAME [--data FILE.tsv]`: metrics as JSON on the last line."""

from __future__ import annotations

import argparse
import json
import random
import sys
from dataclasses import asdict
from pathlib import Path

import torch

from models.corpus.generated.tasks import reversal_pairs
from models.corpus.pairs import DataError, Pair, read_pairs
from models.decoding.decode import decode
from models.decoding.scoring import LengthNormalizer
from models.decoding.strategies import BeamSearch, DecodingStrategy, Greedy
from models.device import resolve_device
from models.evaluation.alignment import anti_diagonal_share
from models.evaluation.evaluate import Report, evaluate
from models.networks.packed import PRECISIONS, pack_linears
from models.registry.card import CheckpointError
from models.registry.checkpoint import Checkpoint
from models.registry.registry import Registry, UnknownCheckpointError

FRESH_SEED = 20_000  # no recipe's seed: the strings are new to every checkpoint


def main() -> int:
    """Exit code 0, or 1 with one sentence on standard error."""
    options = _parser().parse_args()
    try:
        registry = Registry(options.root)
        checkpoint = registry.load(options.checkpoint, resolve_device(options.device))
        pack_linears(checkpoint.model, options.precision)
        pairs = _pairs(checkpoint, options)
        strategy = _strategy(options)
    except (CheckpointError, UnknownCheckpointError, DataError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    report = evaluate(checkpoint, pairs, strategy)
    result = _flat(report)
    if checkpoint.config.task == "reversal":
        result["anti_diagonal"] = round(_anti_diagonal(checkpoint, pairs), 2)
    print(f"{options.checkpoint}: {report.sources:,} sources, {strategy.name}, {report.seconds:.1f} s")
    print(json.dumps(result))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m models.evaluation", description=__doc__)
    parser.add_argument("--checkpoint", required=True)
    parser.add_argument("--data", type=Path, help="two tab-separated columns; a generated task needs none")
    parser.add_argument(
        "--swap",
        action=argparse.BooleanOptionalAction,
        help="the second column is the source (default: as in the checkpoint's recipe)",
    )
    parser.add_argument("--beam-size", type=int, default=0, help="0 for greedy")
    parser.add_argument("--length-penalty", type=float, default=0.0)
    parser.add_argument("--pairs", type=int, default=2000, help="how many to generate without --data")
    parser.add_argument("--root", type=Path, default=Path("checkpoints"))
    parser.add_argument("--device", default="auto")
    parser.add_argument("--precision", choices=tuple(PRECISIONS), default="fp16", help="of weights on a CPU")
    return parser


def _pairs(checkpoint: Checkpoint, options: argparse.Namespace) -> tuple[Pair, ...]:
    if options.data is not None:
        swap = options.swap if options.swap is not None else checkpoint.config.swapped_columns
        return read_pairs(options.data, swap)
    if checkpoint.config.task == "reversal":
        return reversal_pairs(options.pairs, random.Random(FRESH_SEED))
    raise DataError(f"checkpoint {checkpoint.name!r} needs --data, a TSV file of sources and references")


def _strategy(options: argparse.Namespace) -> DecodingStrategy:
    normalizer = LengthNormalizer("power", options.length_penalty)
    return BeamSearch(options.beam_size, normalizer) if options.beam_size else Greedy(normalizer)


def _flat(report: Report) -> dict[str, object]:
    flat = asdict(report)
    flat |= flat.pop("metrics")
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in flat.items()}


def _anti_diagonal(checkpoint: Checkpoint, pairs: tuple[Pair, ...]) -> float:
    limit = checkpoint.config.max_length
    return anti_diagonal_share(
        decode(checkpoint.model, checkpoint.tokenizer, source, Greedy(), max_length=limit)
        for source, _ in pairs[:500]
    )


if __name__ == "__main__":
    torch.set_grad_enabled(False)
    sys.exit(main())
