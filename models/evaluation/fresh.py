"""Pairs of a generated task that a checkpoint never saw, made when they are wanted."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models.corpus.generated.tasks import TASKS, generate, generate_split, reversal_pairs
from models.corpus.pairs import DataError, Pair
from models.registry.checkpoint import Checkpoint

FRESH_SEED = 20_000  # no recipe's seed: what it draws is new to every checkpoint


@dataclass(frozen=True)
class FreshPairs:
    """Pairs, and what they are in words, for a card."""

    pairs: tuple[Pair, ...]
    description: str


def fresh_pairs(checkpoint: Checkpoint, folder: Path, count: int) -> FreshPairs:
    """At most `count` pairs of the checkpoint's task. Raises DataError if it was trained on files.

    Where the space is small, as that of histories, only sources that its recipe kept from training are new.
    """
    task = checkpoint.config.task
    if task not in TASKS:
        raise DataError(f"checkpoint {checkpoint.name!r} needs --data, a TSV file of sources and references")
    if task == "reversal":
        pairs = reversal_pairs(count, random.Random(FRESH_SEED))
        return FreshPairs(pairs, f"{len(pairs):,} fresh strings of 1-12 letters")
    recipe = _recipe(folder)
    data = recipe.get("data", {})
    options = data.get("options", {})
    if TASKS[task].has_pictures:
        pairs = generate(task, count, random.Random(FRESH_SEED), options)
        return FreshPairs(pairs, f"{len(pairs):,} fresh pictures")
    seed = random.Random(recipe.get("seed", 0))
    # The sources that are kept back depend on the seed alone, not on how many are asked for.
    pairs = generate_split(task, data.get("train_size", 20_000), count, seed, options).valid
    return FreshPairs(pairs, f"{len(pairs):,} sources kept from training")


def _recipe(folder: Path) -> dict[str, Any]:
    try:
        found = json.loads((folder / "recipe.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
