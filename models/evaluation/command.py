"""What the commands of this package have in common: how a checkpoint decodes which pairs."""

from __future__ import annotations

import argparse
from pathlib import Path

from models.corpus.pairs import Pair, read_pairs
from models.decoding.scoring import LengthNormalizer
from models.decoding.strategies import BeamSearch, DecodingStrategy, Greedy
from models.device import resolve_device
from models.networks.packed import PRECISIONS, pack_linears
from models.registry.checkpoint import Checkpoint
from models.registry.registry import Registry


def build_parser(prog: str, description: str | None) -> argparse.ArgumentParser:
    """A parser with the options that every command has; which checkpoints is the command's own."""
    parser = argparse.ArgumentParser(prog=prog, description=description)
    parser.add_argument("--data", type=Path, help="two tab-separated columns; a generated task needs none")
    parser.add_argument(
        "--swap",
        action=argparse.BooleanOptionalAction,
        help="the second column is the source (default: as in the checkpoint's recipe)",
    )
    parser.add_argument("--beam-size", type=int, default=0, help="0 for greedy")
    parser.add_argument("--root", type=Path, default=Path("checkpoints"))
    parser.add_argument("--device", default="auto")
    parser.add_argument("--precision", choices=tuple(PRECISIONS), default="fp16", help="of weights on a CPU")
    return parser


def load(registry: Registry, name: str, options: argparse.Namespace) -> Checkpoint:
    """The checkpoint, ready to decode. Raises UnknownCheckpointError, CheckpointError, ValueError."""
    checkpoint = registry.load(name, resolve_device(options.device))
    pack_linears(checkpoint.model, options.precision)
    return checkpoint


def file_pairs(checkpoint: Checkpoint, options: argparse.Namespace) -> tuple[Pair, ...]:
    """The pairs of `--data`, sources first. Raises DataError."""
    swap = options.swap if options.swap is not None else checkpoint.config.swapped_columns
    return read_pairs(options.data, swap)


def strategy_of(options: argparse.Namespace, length_penalty: float = 0.0) -> DecodingStrategy:
    """Greedy or beam search. Raises ValueError for a size that cannot be."""
    normalizer = LengthNormalizer("power", length_penalty)
    return BeamSearch(options.beam_size, normalizer) if options.beam_size else Greedy(normalizer)
