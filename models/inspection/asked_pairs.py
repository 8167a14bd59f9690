"""The pairs that a command of this room goes over: how they are asked for, and where they are from."""

from __future__ import annotations

import argparse
import random
from pathlib import Path

from models.corpus.generated.all_tasks import TASKS, generate
from models.corpus.pairs import DataError, Pair, read_pairs
from models.registry.checkpoint import Checkpoint


def add_pairs(parser: argparse.ArgumentParser, generated: int | None = None) -> None:
    """`--pairs`, `--generated` and `--swap`; so many are generated unless asked, None = one must be asked."""
    source = parser.add_mutually_exclusive_group(required=generated is None)
    source.add_argument("--pairs", type=Path, help="two tab-separated columns")
    told = "so many pairs of a generated task"
    source.add_argument("--generated", type=int, default=generated, metavar="N", help=told)
    parser.add_argument(
        "--swap",
        action=argparse.BooleanOptionalAction,
        help="the second column is the source (default: as in the checkpoint's recipe)",
    )


def asked_pairs(checkpoint: Checkpoint, options: argparse.Namespace, seed: int) -> tuple[Pair, ...]:
    """What those flags ask for. Raises DataError."""
    config = checkpoint.config
    if options.pairs is not None:
        return read_pairs(options.pairs, config.swapped_columns if options.swap is None else options.swap)
    if config.task not in TASKS:
        raise DataError(
            "pairs_needed",
            "the pairs of {checkpoint} cannot be generated: give --pairs, a TSV file of them",
            checkpoint=checkpoint.name,
        )
    return generate(config.task, options.generated, random.Random(seed))
