"""Files of texts as tables: TSV, CSV, JSON Lines, JSON and TMX, gzipped or not, and pasted text."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import Path

from models.corpus.files import headers
from models.corpus.files.delimited import (
    CSV_DELIMITERS,
    Dialect,
    csv_delimiter,
    is_quoted,
    read_delimited,
    records_of,
)
from models.corpus.files.encoding import GZIP_MAGIC, decode_text, refuse_binary, unpack
from models.corpus.files.headers import HEADER_WORDS
from models.corpus.files.json_lines import read_json
from models.corpus.files.signatures import read_signed, refuse_scores
from models.corpus.files.table import USUAL_LIMITS, Limits, RowCollector, TextTable, check_columns, lines_of
from models.corpus.files.translation_memory import read_tmx
from models.corpus.pairs import DataError
from models.errors import Message
from models.whole_file import read_bytes

MAX_BYTES = Limits.size  # the default limit of a file
_FORMAT_OF_SUFFIX = {
    ".tsv": "TSV",
    ".csv": "CSV",
    ".jsonl": "JSON",
    ".ndjson": "JSON",
    ".json": "JSON",
    ".tmx": "TMX",
    ".txt": "",  # the text decides
}
SUFFIXES = (*_FORMAT_OF_SUFFIX, *(f"{suffix}.gz" for suffix in _FORMAT_OF_SUFFIX))
_DECLARED_DELIMITER = re.compile(r"sep=(.)\r?(?:\n|\Z)")  # the first line of some files for Excel
# Marks that people write between two texts, the least ambiguous first.
_PAIR_MARKS = ("\t", "|||", "=>", "→", "->", "|")


def read_table_files(
    paths: Sequence[Path],
    *,
    encoding: str | None = None,
    header_names: Collection[str] = (),
    limits: Limits = USUAL_LIMITS,
) -> TextTable:
    """The table of a file, or of line-aligned files such as test.es and test.en, a column each (Moses).

    One such file brings those beside it whose names differ in the language alone. Raises DataError.
    """
    if len(paths) == 1 and _names_side(paths[0].name) and paths[0].is_file():
        paths = (*paths, *_other_sides(paths[0]))
        if len(paths) == 1:
            raise DataError(
                "other_side_missing",
                "{name} seems to have one side of pairs: choose the file of the other language with it",
                name=paths[0].name,
            )
    if len(paths) == 1:
        return read_table_file(paths[0], encoding=encoding, header_names=header_names, limits=limits)
    texts = [
        decode_text(_plain_content(_content(path, path.name, limits), path.name, limits), path.name, encoding)
        for path in paths
    ]
    sides = [lines_of(text.removesuffix("\n"), limits.rows) for text, _ in texts]
    if len(set(map(len, sides))) > 1:
        raise DataError(
            "sides_not_aligned",
            "{names} have {counts} lines: choose one table, or files in which the same line has the same "
            "sentence",
            names=", ".join(path.name for path in paths),
            counts=", ".join(f"{len(side):,}" for side in sides),
        )
    check_columns(paths[0].name, len(sides))
    collector = RowCollector(limits.rows)
    for line, cells in enumerate(zip(*sides, strict=True), 1):
        if any(map(str.strip, cells)):
            collector.add(line, cells)
    encodings = ", ".join(dict.fromkeys(name for _, name in texts))
    return collector.table(paths[0].name, "aligned lines", encodings, [_side(path.name) for path in paths])


def _side(name: str) -> str:
    """The end of a file's name that tells it from the others: "es" of test.es, test.es.gz and test.es.txt."""
    return name.removesuffix(".gz").removesuffix(".txt").rpartition(".")[2]


def _names_side(name: str) -> bool:
    """Whether the name of a file ends with a language or a role: "test.es", "test.pt_BR", "test.hyp"."""
    beginning, _, side = name.removesuffix(".gz").rpartition(".")
    return bool(beginning) and (headers.is_language_code(side) or side.lower() in HEADER_WORDS)


def _other_sides(path: Path) -> list[Path]:
    beginning = path.name.removesuffix(".gz").rpartition(".")[0]
    return sorted(
        other
        for other in path.parent.glob("*")
        if _names_side(other.name)
        and _side(other.name) != _side(path.name)
        and other.name.removesuffix(".gz") == f"{beginning}.{_side(other.name)}"
    )


def read_table_file(
    path: Path,
    name: str | None = None,
    *,
    encoding: str | None = None,
    header_names: Collection[str] = (),
    limits: Limits = USUAL_LIMITS,
) -> TextTable:
    """The `read_table` of a file; its size is checked before it is read. Raises DataError."""
    name = name or path.name
    content = _content(path, name, limits)
    return read_table(content, name, encoding=encoding, header_names=header_names, limits=limits)


def _content(path: Path, name: str, limits: Limits) -> bytes:
    try:
        if path.stat().st_size > limits.size:
            raise DataError(_too_large(name, limits.size))
        return read_bytes(path, limits.size)
    except OSError as error:
        raise DataError(
            "file_unreadable",
            "{name} cannot be read ({reason}): choose it again",
            name=name,
            reason=error.strerror,
        ) from error


def read_table(
    content: bytes,
    name: str,
    *,
    encoding: str | None = None,
    header_names: Collection[str] = (),
    limits: Limits = USUAL_LIMITS,
) -> TextTable:
    """The table of a file's bytes, by the suffix of its name, or by its text if the suffix is .txt.

    `encoding` is one of ENCODINGS, or None to detect it. A first row that has all `header_names` is a header.
    Raises DataError with a sentence that says what to do.
    """
    name = re.sub(r"[\x00-\x1f]", " ", Path(name).name)[-80:] or "the file"
    if len(content) > limits.size:
        raise DataError(_too_large(name, limits.size))
    suffix = Path(name.lower().removesuffix(".gz")).suffix
    content = _plain_content(content, name, limits)
    refuse_binary(content, name)
    if suffix not in _FORMAT_OF_SUFFIX:
        raise DataError(
            "file_kind_unknown",
            "{name} is not of a kind that can be read: choose {kinds}, or .gz of these",
            name=name,
            kinds=", ".join(_FORMAT_OF_SUFFIX),
        )
    if _FORMAT_OF_SUFFIX[suffix] == "TMX" and encoding is None:
        return read_tmx(content, name)
    text, encoding_name = decode_text(content, name, encoding)
    known_format = _FORMAT_OF_SUFFIX[suffix]
    format_name = known_format or _format(text)
    if (table := _read_labelled(text, name, encoding_name, format_name, limits)) is not None:
        return table
    is_marked = not known_format and "\t" not in text and not _DECLARED_DELIMITER.match(text)
    marked = _split_at_mark(text, limits.rows) if is_marked else None
    text, dialect = marked or _dialect(text, format_name, limits.rows)
    return read_delimited(text, name, encoding_name, dialect, header_names, limits)


def _read_labelled(text: str, name: str, encoding: str, format: str, limits: Limits) -> TextTable | None:
    """The table of a text whose format says what its columns are; None for delimited columns."""
    if format == "TMX":
        return read_tmx(re.sub("[\ud800-\udfff]", "\ufffd", text).encode(), name, "utf-8")
    if format == "JSON":
        return refuse_scores(read_json(text, name, encoding, limits.rows), name)
    return read_signed(text, name, encoding, limits)


def _plain_content(content: bytes, name: str, limits: Limits) -> bytes:
    """The bytes of a file, decompressed if need be. Raises DataError for an empty file."""
    if content.startswith(GZIP_MAGIC):
        content = unpack(content, name, limits.unpacked)
    if not content.strip():
        raise DataError(
            "file_empty", "{name} is empty: choose a file with a source and a target in each row", name=name
        )
    return content


def _dialect(text: str, format: str, max_rows: int) -> tuple[str, Dialect]:
    """The dialect of a text, and the text with a line that declares its delimiter made blank."""
    declared = _DECLARED_DELIMITER.match(text)
    if declared is None and format == "TSV":
        return text, Dialect("TSV", "\t", is_quoted(text, "\t", max_rows))
    if declared is None:
        delimiter = csv_delimiter(text)
    else:
        delimiter, text = declared[1], "\n" + text[declared.end() :]
    return text, Dialect(f"CSV with {CSV_DELIMITERS.get(delimiter, delimiter)}", delimiter, quoted=True)


def read_pasted(text: str) -> TextTable:
    """The table of pasted lines: a tab, |||, =>, -> or → between source and target, CSV, or JSON Lines.

    Raises DataError if no format fits.
    """
    name, encoding = "the pasted text", "UTF-8"
    if len(text) > MAX_BYTES:
        raise DataError(_too_large(name, MAX_BYTES))
    if not text.strip():
        raise DataError(
            "nothing_pasted",
            "nothing is pasted: put a source and its target on each line, with a tab between",
        )
    text = text.lstrip("\ufeff")
    if _DECLARED_DELIMITER.match(text):
        text, dialect = _dialect(text, "CSV", Limits.rows)
        return read_delimited(text, name, encoding, dialect, (), USUAL_LIMITS)
    if (table := _read_labelled(text, name, encoding, _format(text), USUAL_LIMITS)) is not None:
        return table
    if (marked := _split_at_mark(text, Limits.rows)) is not None:
        return read_delimited(marked[0], name, encoding, marked[1], (), USUAL_LIMITS)
    for mark in (";", ","):
        records = [*records_of(text, mark, quoted=True)]
        # A sentence may have a comma, so each line must have just one.
        if all(len(record) == 2 and len(record[1]) == 2 for record in records):
            dialect = Dialect(f"CSV with {CSV_DELIMITERS[mark]}", mark, quoted=True)
            return read_delimited(text, name, encoding, dialect, (), USUAL_LIMITS)
    raise DataError(
        "columns_not_evident",
        "source and target cannot be told apart: put a tab, or ||| or =>, between them on each line",
    )


def _split_at_mark(text: str, max_rows: int) -> tuple[str, Dialect] | None:
    """The text and its dialect if most lines have the same mark between two texts; otherwise None."""
    lines = [line for line in lines_of(text, max_rows) if line.strip()]
    for mark in _PAIR_MARKS:
        if 2 * sum(mark in line for line in lines) > len(lines):
            mark_name = "tabs" if mark == "\t" else mark
            quoted = mark == "\t" and is_quoted(text, mark)
            return text, Dialect(f"lines with {mark_name}", mark, quoted)
    return None


def _format(text: str) -> str:
    """The format of a text, by its beginning: "TMX", "JSON" or "TSV"."""
    beginning = text[:1000].lstrip()
    if re.match(r"<\?xml|<tmx|<!DOCTYPE tmx", beginning):
        return "TMX"
    return "JSON" if re.match(r"\{\s*\"|\[\s*[\[{\"]", beginning) else "TSV"


def _too_large(name: str, limit: int) -> Message:
    return Message(
        "file_too_large",
        "{name} is larger than {limit} MB: take a part of it, or compress it with gzip",
        name=name,
        limit=limit // 1_000_000,
    )
