"""Formats that their lines give away: files of Anki, logs of fairseq, n-best lists of Marian and Moses."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import replace

from models.corpus.files.column_kinds import is_feature_list
from models.corpus.files.delimited import SNIFFED_CHARACTERS, Dialect, csv_delimiter, read_delimited
from models.corpus.files.table import Limits, RowCollector, TextTable, lines_of, unique_names
from models.corpus.pairs import DataError
from models.errors import Message

SCORES_ALONE = Message("scores_alone", "a report of sacreBLEU")
_ANKI_LINE = re.compile(
    r"#(separator|html|columns|tags|(?:deck|notetype|tags|guid) column|deck|notetype):(.*)"
)
_ANKI_SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "space": " ", "pipe": "|", "colon": ":"}
_TAG = re.compile(r"</?(\w+)\b[^<>]*>|\[sound:[^\[\]]*\]")
_TAGS_BETWEEN_WORDS = frozenset({"br", "div", "p", "li", "tr", "td"})
# S is a source, T a reference, H a tokenized output, D a plain one, P the log-probabilities of its tokens.
_SCORE_LINE = re.compile(r"\w+2?\|(?:[\w.+-]+:[^|\s]+\|?){3,} = ")  # sacreBLEU writes it
_FAIRSEQ_LINE = re.compile(r"([STHDPW])-(\d+)\t(.*)")


def read_signed(text: str, name: str, encoding: str, limits: Limits) -> TextTable | None:
    """The table of a text in one of these formats, None for any other text. Raises DataError."""
    if _ANKI_LINE.match(text):
        return _anki(text, name, encoding, limits)
    if _most_lines(text, lambda line: _FAIRSEQ_LINE.match(line) is not None):
        return _fairseq(text, name, encoding, limits)
    if _most_lines(text, lambda line: _SCORE_LINE.match(line) is not None):
        raise DataError(_no_pairs(name, SCORES_ALONE))
    if _most_lines(text, _is_in_n_best_list):
        raise DataError(_no_pairs(name, Message("n_best_list", "an n-best list of Marian or Moses")))
    return None


def refuse_scores(table: TextTable, name: str) -> TextTable:
    """The table. Raises DataError if it has the scores that sacreBLEU writes."""
    if {"score", "signature"}.issubset(table.columns):
        raise DataError(_no_pairs(name, SCORES_ALONE))
    return table


def _no_pairs(name: str, format_name: Message) -> Message:
    return Message(
        "format_without_pairs",
        "{name} is {format} without pairs of a source and a reference: put each source, its reference and "
        "its first output into the columns of a table",
        name=name,
        format=format_name,
    )


def _most_lines(text: str, is_of_format: Callable[[str], bool]) -> bool:
    lines = [line for line in text[:SNIFFED_CHARACTERS].splitlines() if line.strip()]
    return 2 * sum(map(is_of_format, lines)) > len(lines)


def _is_in_n_best_list(line: str) -> bool:
    """Whether a line has the number of a sentence, an output, and features of the model or a score."""
    parts = [part.strip() for part in line.split("|||")]
    return len(parts) > 2 and parts[0].isdecimal() and is_feature_list(parts[2])


def _anki(text: str, name: str, encoding: str, limits: Limits) -> TextTable:
    """The cards of Anki: the lines at the beginning say how they are written, and which columns have none."""
    lines = lines_of(text, limits.rows)
    settings: dict[str, tuple[int, str]] = {}
    for number, line in enumerate(lines):
        if not (match := _ANKI_LINE.match(line)):
            break
        settings[match[1]], lines[number] = (number, match[2]), ""
    has_html = settings.get("html", (0, ""))[1].strip().lower() == "true"
    separator = settings.get("separator", (0, ""))[1]
    delimiter = _ANKI_SEPARATORS.get(separator.strip().lower(), separator[:1]) or csv_delimiter(text)
    names = []
    if "columns" in settings:
        number, lines[number] = settings["columns"]
        names = [cell.strip() for cell in lines[number].split(delimiter)]
    body = "\n".join(lines)
    if has_html:
        body = body.replace("&nbsp;", " ")  # before its semicolon may pass for a separator
    table = read_delimited(body, name, encoding, Dialect("Anki", delimiter, quoted=True), names, limits)
    left_out = {value.strip() for key, (_, value) in settings.items() if key.endswith(" column")}
    text_columns = [index for index in range(len(table.columns)) if str(index + 1) not in left_out]
    rows = tuple(
        tuple(_without_html(row[i]) if has_html else row[i] for i in text_columns) for row in table.rows
    )
    columns = unique_names([table.columns[index] if table.has_names else "" for index in text_columns])
    return replace(table, columns=columns, rows=rows)


def _without_html(cell: str) -> str:
    without_tags = _TAG.sub(lambda tag: " " if tag[1] in _TAGS_BETWEEN_WORDS else "", cell)
    return html.unescape(without_tags)


def _fairseq(text: str, name: str, encoding: str, limits: Limits) -> TextTable:
    """Sources, references, and the first output of each with its score."""
    sentences: dict[str, tuple[int, dict[str, str]]] = {}
    for line, record in enumerate(lines_of(text, limits.rows), 1):
        if match := _FAIRSEQ_LINE.match(record):
            sentences.setdefault(match[2], (line, {}))[1].setdefault(match[1], match[3])
    if not any(parts.keys() >= {"S", "T"} for _, parts in sentences.values()):
        raise DataError(_no_pairs(name, Message("fairseq_log", "a log of fairseq")))
    collector = RowCollector(limits.rows)
    for line, parts in sentences.values():
        score, _, output = parts.get("D", parts.get("H", "")).partition("\t")
        collector.add(line, [parts.get("S", ""), parts.get("T", ""), output, score])
    return collector.table(name, "fairseq", encoding, ["source", "reference", "output", "score"])
