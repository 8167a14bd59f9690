"""Pairs of sentences in the languages of a checkpoint.

The texts in `examples/` were written for this page. A file has a column for each language and a line for each
meaning.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from models.corpus.pairs import Pair
from models.registry.checkpoint import CheckpointConfig

EXAMPLES = Path(__file__).parent / "examples"


def example_pairs(config: CheckpointConfig) -> tuple[Pair, ...]:
    """The example pairs of a checkpoint's languages; empty if there are none."""
    # Phonemes have no language code.
    target = config.target_language or "phonemes"
    for columns, rows in _texts():
        if config.source_language in columns and target in columns:
            first, second = columns.index(config.source_language), columns.index(target)
            return tuple((row[first], row[second]) for row in rows)
    return ()


@cache
def _texts() -> tuple[tuple[list[str], list[list[str]]], ...]:
    """Columns and rows of each file."""
    result = []
    for path in sorted(EXAMPLES.glob("*.tsv")):
        head, *lines = path.read_text(encoding="utf-8").splitlines()
        result.append((head.split("\t"), [line.split("\t") for line in lines]))
    return tuple(result)
