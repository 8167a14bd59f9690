"""The options that the commands of this package share: checkpoints, decoding and data."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from models.corpus.files.reading import Reading, add_columns, hints_of, read_parallel
from models.corpus.pairs import Pair
from models.decoding.limits import MAX_LENGTH
from models.decoding.options import DecodingOptions, settings
from models.decoding.strategies import description_of, meaning
from models.device import resolve_device
from models.networks.packed import PRECISIONS, pack_linears
from models.registry.checkpoint import Checkpoint
from models.registry.registry import Registry


def build_parser(prog: str, description: str | None) -> argparse.ArgumentParser:
    """A parser with the options of every command, except the one that names checkpoints."""
    parser = argparse.ArgumentParser(prog=prog, description=description)
    parser.add_argument(
        "--data", type=Path, help="a table: TSV, CSV, JSON Lines or TMX; a generated task needs none"
    )
    add_columns(parser)
    parser.add_argument("--root", type=Path, default=Path("checkpoints"))
    parser.add_argument("--device", default="auto")
    parser.add_argument(
        "--precision", choices=tuple(PRECISIONS), default="fp16", help="precision of the weights on a CPU"
    )
    decoding = parser.add_argument_group(
        "decoding", "greedy search by default; --beam-size alone chooses beam search"
    )
    for name, setting in settings().items():
        words = {"choices": setting.words} if setting.choices else {"type": setting.kind}
        decoding.add_argument(
            f"--{name.replace('_', '-')}", help=meaning(setting).replace("%", "%%"), **words
        )
    return parser


def load(registry: Registry, name: str, options: argparse.Namespace) -> Checkpoint:
    """The checkpoint, ready to decode. Raises UnknownCheckpointError, CheckpointError, ValueError."""
    checkpoint = registry.load(name, resolve_device(options.device))
    pack_linears(checkpoint.model, options.precision)
    return checkpoint


def read_data(path: Path, options: argparse.Namespace, checkpoint: Checkpoint | None) -> Reading:
    """Read the table of a file, and print how it was read on standard error. Raises DataError."""
    reading = read_parallel(path, hints_of(options, checkpoint.config.hints if checkpoint else None))
    sys.stderr.write("".join(f"{line}\n" for line in reading.lines()))
    return reading


def file_pairs(checkpoint: Checkpoint, options: argparse.Namespace) -> tuple[Pair, ...]:
    """The pairs of `--data`, sources first. Raises DataError."""
    return read_data(options.data, options, checkpoint).select().pairs


def decoding_options(options: argparse.Namespace, checkpoint: Checkpoint) -> DecodingOptions:
    """The options of the command line for decoding by a checkpoint. Raises DecodingError."""
    values = {name: getattr(options, name) for name in settings() if getattr(options, name) is not None}
    if "strategy" not in values and not values.get("beam_size"):
        values = {**values, "strategy": "greedy", "beam_size": DecodingOptions.beam_size}
    return DecodingOptions(**{"max_length": max_output_length(checkpoint), **values})


def max_output_length(checkpoint: Checkpoint) -> int:
    """The maximum length of a checkpoint's outputs, in tokens."""
    return min(checkpoint.config.max_length, MAX_LENGTH)


def settings_of(options: DecodingOptions) -> dict[str, Any]:
    """The settings that the strategy uses, and others that are not at their defaults."""
    relevant = description_of(options.strategy).settings
    values = {name: (getattr(options, name), setting.default) for name, setting in settings().items()}
    del values["strategy"]
    return {name: value for name, (value, default) in values.items() if name in relevant or value != default}


def name_of(options: DecodingOptions) -> str:
    """The strategy in a few words: "beam 4"."""
    values = {name: getattr(options, name) for name in settings()}
    return description_of(options.strategy).short.format(**values).lower()
