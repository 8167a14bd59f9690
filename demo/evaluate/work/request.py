"""The request of an evaluation: systems, and an example, a file or pasted lines to translate, checked.

Imports no torch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from demo.widgets.captions.options import short_names
from demo.work.context import AppContext
from demo.work.operator.caps import MAX_BEAM_SIZE, MAX_CHARACTERS, MAX_PASTED_CHARACTERS
from demo.work.pairs import chosen_files, example_pairs, read_upload
from demo.work.requests.checks import RequestError, check_name, check_short_text, is_picture
from demo.work.requests.decode import decoding_options
from models.corpus.files.columns import Hints, columns_of
from models.corpus.files.formats import read_pasted
from models.corpus.files.reading import Reading
from models.corpus.files.table import TextTable
from models.corpus.pairs import Pair
from models.decoding.options import DecodingOptions
from models.errors import not_texts
from models.evaluation.beam_widths.curve import DEFAULT_WIDTHS
from models.evaluation.segments import MAX_SYSTEMS, Segments, segments_of_pairs
from models.tokenization.plain_text import plain_text

EXAMPLE, FILE, PASTE = "example", "file", "paste"  # kinds of test sets
GENERATED_PAIRS = 60  # pairs of an example of a generated task
MAX_SEGMENTS = 2_000  # the most on the page; the command line takes more
MAX_REFERENCE = 4 * MAX_CHARACTERS
MAX_PAIRS = 200  # the most pairs of one request by a program
MAX_CHANGED, DEFAULT_CHANGED = 100, 10  # most sources to change, and the default


@dataclass(frozen=True)
class RequestedSystem:
    """A checkpoint with a way to decode."""

    name: str  # unique in the request
    checkpoint: str
    options: DecodingOptions


def allowed_widths() -> tuple[int, ...]:
    """The beam widths that this server allows in a curve."""
    return tuple(width for width in DEFAULT_WIDTHS if width <= MAX_BEAM_SIZE)


@dataclass(frozen=True)
class EvaluateRequest:
    """A test set and the systems that translate it."""

    systems: tuple[RequestedSystem, ...]  # may be empty if the test set has outputs
    segments: Segments
    training: tuple[Pair, ...] = ()  # sources first; empty if they are not known
    changes: int = 0  # number of sources that are changed in every way that makes sense
    widths: tuple[int, ...] = ()  # beam widths at which the same searches are run too


def requested_systems(
    checkpoints: Sequence[object],
    strategies: Sequence[object],
    longest: int,
    label_of: Callable[[str], str] = str,
) -> tuple[RequestedSystem, ...]:
    """Each checkpoint with each strategy; `longest`, in tokens, is for strategies without a maximum length.

    `label_of` returns the label of a checkpoint. Raises RequestError for more than MAX_SYSTEMS systems, and
    for a value that is not a name or no strategy.
    """
    for name in checkpoints:
        check_name(name)
    options = [decoding_options(values, longest) for values in strategies]
    count = len(checkpoints) * len(options)
    if count > MAX_SYSTEMS:
        raise RequestError(
            "too_many_systems",
            "{checkpoints} checkpoints by {strategies} strategies are {count} systems; at most {limit} "
            "are evaluated at once. Choose fewer.",
            checkpoints=len(checkpoints),
            strategies=len(options),
            count=count,
            limit=MAX_SYSTEMS,
        )
    if checkpoints and not options:
        raise RequestError("strategy_missing", "Choose a strategy: how the checkpoints decode.")
    return tuple(
        RequestedSystem(
            _name(label_of(str(checkpoint)), label, len(checkpoints), len(options)), str(checkpoint), option
        )
        for checkpoint in dict.fromkeys(checkpoints)
        for option, label in zip(options, short_names(options), strict=True)
    )


def _name(checkpoint: str, label: str, checkpoints: int, strategies: int) -> str:
    if strategies == 1:
        return checkpoint
    return label if checkpoints == 1 else f"{checkpoint}, {label}"


def checked_segments(segments: Segments) -> Segments:
    """The segments, if the page takes them. Raises RequestError for too many segments and for long texts."""
    if len(segments) > MAX_SEGMENTS:
        raise RequestError(
            "too_many_segments",
            "The test set has {count} segments; on the page at most {limit} are evaluated. Choose some of "
            "them, or use the command line: python -m models.evaluation.",
            count=f"{len(segments):,}",
            limit=f"{MAX_SEGMENTS:,}",
        )
    for segment in segments.all:
        _check_length(segment.line, segment.source, MAX_CHARACTERS)
        for reference in segment.references:
            _check_length(segment.line, reference, MAX_REFERENCE)
    return segments


def _check_length(line: int, text: str, limit: int) -> None:
    if len(text) > limit and not is_picture(text):
        count = f"{len(text):,}"
        raise RequestError(
            "segment_too_long",
            "Line {line} has a text of {count} characters; at most {limit} are read. Shorten it.",
            line=line,
            count=count,
            limit=f"{limit:,}",
        )


def checked_pairs(sources: object, references: object) -> tuple[Pair, ...]:
    """Pairs of two lists of texts. Raises RequestError unless there is one reference for each source."""
    lists = [_texts("sources", sources), _texts("references", references)]
    if len(lists[0]) != len(lists[1]):
        raise RequestError(
            "sources_without_references",
            "There are {sources} sources and {references} references. Give one for each.",
            sources=len(lists[0]),
            references=len(lists[1]),
        )
    if not 1 <= len(lists[0]) <= MAX_PAIRS:
        count = len(lists[0])
        raise RequestError(
            "pair_count_out_of_range",
            "Give 1 to {most} pairs; you gave {count}.",
            most=MAX_PAIRS,
            count=f"{count:,}",
        )
    for number, pair in enumerate(zip(*lists, strict=True), 1):
        if not all(map(plain_text, pair)):
            raise RequestError(
                "pair_lacks_text", "Pair {number} lacks a text. Fill it in or leave it out.", number=number
            )
    return tuple(zip(lists[0], lists[1], strict=True))


def _texts(name: str, value: object) -> Sequence[str]:
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise RequestError(not_texts(name, value))
    for number, text in enumerate(value[:MAX_PAIRS], 1):
        check_short_text(f"text {number} of {name}", text, MAX_CHARACTERS)
    return value


def example(context: AppContext, name: object) -> Segments:
    """Pairs that fit a checkpoint: of its generated task, or of its languages.

    Raises RequestError if there are none, UnknownCheckpointError, CheckpointError, DataError.
    """
    check_name(name)
    config = context.config(str(name))
    if config.task != "translation":
        from models.evaluation.command import fresh_pairs

        folder = context.registry.folder(str(name))
        return segments_of_pairs(fresh_pairs(context.checkpoint(str(name)), folder, GENERATED_PAIRS)[0])
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
