"""The test sets that a visitor may choose: an example for each checkpoint, a file, or pasted lines."""

from __future__ import annotations

from demo.work.context import AppContext
from demo.work.operator.caps import MAX_PASTED_CHARACTERS
from demo.work.pairs import chosen_files, example_pairs, read_upload
from demo.work.requests.checks import RequestError, check_name, check_short_text
from models.corpus.files.columns import Hints, columns_of
from models.corpus.files.formats import read_pasted
from models.corpus.files.reading import Reading
from models.corpus.files.table import TextTable
from models.corpus.pairs import Pair
from models.evaluation.segments import Segments, segments_of_pairs

EXAMPLE, FILE, PASTE = "example", "file", "paste"  # kinds of test sets
GENERATED_PAIRS = 60  # pairs of a generated task


def example(context: AppContext, name: object) -> Segments:
    """Pairs that fit a checkpoint: of its generated task, or of its languages.

    Raises RequestError if there are none, UnknownCheckpointError, CheckpointError, DataError.
    """
    check_name(name)
    config = context.config(str(name))
    if config.task != "translation":
        from models.evaluation.fresh import fresh_pairs

        folder = context.registry.folder(str(name))
        return segments_of_pairs(fresh_pairs(context.checkpoint(str(name)), folder, GENERATED_PAIRS).pairs)
    pairs = example_pairs(config)
    if not pairs:
        raise RequestError(
            "no_example_test_set",
            "There is no example for {name}. Choose a file, or paste lines: a source, a tab, its reference.",
            name=str(name),
        )
    return segments_of_pairs(pairs)


def table_of(kind: object, path: object, text: object) -> TextTable:
    """The table of an uploaded file or of pasted lines. Raises RequestError, DataError."""
    if kind == FILE:
        return read_upload(chosen_files(path))
    check_short_text("pasted text", text or "", MAX_PASTED_CHARACTERS)
    if not str(text or "").strip():
        raise RequestError("no_lines_pasted", "Paste some lines first: a source, a tab, its reference.")
    return read_pasted(str(text))


def training_pairs(path: object, hints: Hints) -> tuple[Pair, ...]:
    """The pairs of an uploaded file, sources first; empty without one. Raises RequestError, DataError."""
    if not path:
        return ()
    table = read_upload(chosen_files(path))
    return Reading("", table, columns_of(table, hints)).select().pairs
