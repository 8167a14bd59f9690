"""The options that the commands of this package share: checkpoints, decoding and data.

Data may be new pairs of a generated task: the checkpoint was not trained on them.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from models.corpus.files.reading import Reading, add_columns, hints_of, read_parallel
from models.corpus.generated.all_tasks import TASKS, generate, generate_split
from models.corpus.pairs import DataError, Pair
from models.decoding.limits import MAX_LENGTH
from models.decoding.options import DecodingOptions, settings
from models.decoding.strategies import description_of, meaning
from models.device import resolve_device
from models.errors import Message, cannot_be_read
from models.networks.packed import PRECISIONS, pack_linears
from models.records import record
from models.registry.checkpoint import Checkpoint
from models.registry.registry import Registry
from models.whole_file import read_bytes

FRESH_SEED = 20_000  # no recipe has this seed
RECIPE_FILE = "recipe.json"


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


@dataclass(frozen=True)
class TaskRecipe:
    """The parts of a recipe that determine the training pairs of a generated task."""

    seed: int = 0
    train_size: int = 20_000
    options: Mapping[str, int] = field(default_factory=dict)


def task_recipe(folder: Path) -> TaskRecipe | None:
    """The recipe beside a checkpoint's weights, if there is one. Raises DataError if it is damaged."""
    path = folder / RECIPE_FILE
    if not path.exists():
        return None
    try:
        recipe = json.loads(read_bytes(path))
        data, default = recipe["data"], TaskRecipe()
        values = {
            "seed": recipe.get("seed", default.seed),
            "train_size": data.get("train_size", default.train_size),
            "options": dict(data.get("options", {})),
        }
        return record(TaskRecipe, values)
    except OSError as error:
        raise DataError(cannot_be_read(RECIPE_FILE, error.strerror)) from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DataError(
            "recipe_damaged",
            "{name} is not a recipe ({reason}): restore it",
            name=RECIPE_FILE,
            reason=type(error).__name__,
        ) from error


def needs_data(name: str) -> Message:
    """The message that the pairs of a checkpoint's task cannot be generated."""
    return Message(
        "data_needed", "checkpoint {name} needs --data, a TSV file of sources and references", name=repr(name)
    )


def training_sources(task: str, recipe: TaskRecipe) -> frozenset[str]:
    """The sources of the recipe's training pairs, generated again. Raises DataError."""
    pairs = generate_split(task, recipe.train_size, 1, random.Random(recipe.seed), recipe.options).train
    return frozenset(source for source, _ in pairs)


def fresh_pairs(checkpoint: Checkpoint, folder: Path, count: int) -> tuple[tuple[Pair, ...], str]:
    """Return at most `count` pairs of the checkpoint's task, and their description for a card.

    Raises DataError if it was trained on files. Texts are the recipe's held-out sources. Pictures are drawn
    again, since no two are equal. Without a recipe the training data are unknown, so texts are drawn again
    too, and the description says so.
    """
    task = checkpoint.config.task
    if task not in TASKS:
        raise DataError(needs_data(checkpoint.name))
    recipe = task_recipe(folder)
    options = {} if recipe is None else recipe.options
    if TASKS[task].has_pictures or recipe is None:
        pairs = generate(task, count, random.Random(FRESH_SEED), options)
        what = "fresh pictures" if TASKS[task].has_pictures else "sources drawn at random"
        return pairs, f"{len(pairs):,} {what}"
    # The held-out sources depend on the seed alone, not on `count`.
    held_out = generate_split(task, recipe.train_size, count, random.Random(recipe.seed), options).valid
    return held_out, f"{len(held_out):,} held-out sources"
