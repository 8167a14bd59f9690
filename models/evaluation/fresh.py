"""New pairs of a generated task: the checkpoint was not trained on them."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from models.corpus.generated.all_tasks import TASKS, generate, generate_split
from models.corpus.pairs import DataError, Pair
from models.errors import Message, cannot_be_read
from models.records import record
from models.registry.checkpoint import Checkpoint
from models.whole_file import read_bytes

FRESH_SEED = 20_000  # no recipe has this seed
RECIPE_FILE = "recipe.json"


@dataclass(frozen=True)
class TaskRecipe:
    """The parts of a recipe that determine the training pairs of a generated task."""

    seed: int = 0
    train_size: int = 20_000
    options: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class FreshPairs:
    """Pairs with their description for a card."""

    pairs: tuple[Pair, ...]
    description: str


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


def fresh_pairs(checkpoint: Checkpoint, folder: Path, count: int) -> FreshPairs:
    """Return at most `count` pairs of the checkpoint's task. Raises DataError if it was trained on files.

    Texts are the recipe's held-out sources. Pictures are drawn again, since no two are equal. Without a
    recipe the training data are unknown, so texts are drawn again too, and the description says so.
    """
    task = checkpoint.config.task
    if task not in TASKS:
        raise DataError(needs_data(checkpoint.name))
    recipe = task_recipe(folder)
    options = {} if recipe is None else recipe.options
    if TASKS[task].has_pictures or recipe is None:
        pairs = generate(task, count, random.Random(FRESH_SEED), options)
        what = "fresh pictures" if TASKS[task].has_pictures else "sources drawn at random"
        return FreshPairs(pairs, f"{len(pairs):,} {what}")
    # The held-out sources depend on the seed alone, not on `count`.
    held_out = generate_split(task, recipe.train_size, count, random.Random(recipe.seed), options).valid
    return FreshPairs(held_out, f"{len(held_out):,} held-out sources")
