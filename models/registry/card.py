"""Model cards: the README of a checkpoint folder, readable without its weights."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import yaml

from models.errors import Message, UnrolledError, brief, not_a_mapping, reason_of
from models.whole_file import read_text

CARD = "README.md"
NO_CHAPTER = "other"
MAX_YAML_DEPTH = 50  # mappings and lists within each other
MAX_NUMBER = 1e15  # parameters, bytes, or what a metric measures
MAX_HEADER_CHARACTERS = 1 << 18  # a few lines of YAML can repeat themselves without end
MAX_CARD_METRICS = 200
COPY_AGAIN = Message("copy_again", "Copy its folder again, or choose another checkpoint.")


# PyYAML may lack libyaml, whose loader is ten times as fast.
class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """A YAML loader for the subset that JSON has, without aliases that grow."""

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Ignore merge keys: with them a few lines can make gigabytes."""


class CheckpointError(UnrolledError, RuntimeError):
    """A checkpoint that cannot be used; the message names the file and what to do."""

    def __init__(self, name: str, file: str, problem: str, remedy: str | None = None) -> None:
        """`problem` continues a sentence that begins with "config.json"; None: the `remedy` of any folder."""
        super().__init__(
            "checkpoint_unusable",
            "Checkpoint {name}: {file} {problem}. {remedy}",
            name=repr(name),
            file=file,
            problem=problem,
            remedy=remedy or COPY_AGAIN,
        )
        self.name, self.file, self.problem, self.remedy = name, file, problem, remedy

    def __reduce__(self) -> tuple[type[CheckpointError], tuple[str, str, str, str | None]]:
        return type(self), (self.name, self.file, self.problem, self.remedy)


class DescriptionError(UnrolledError, ValueError):
    """An invalid entry of a card or a configuration; the message names it."""


def restore(name: str) -> Message:
    """The remedy for a checkpoint that ships with the program."""
    return Message(
        "restore",
        "Restore it with `git checkout -- checkpoints/{folder}`, or copy the folder again.",
        folder=name,
    )


def unreadable(reason: str) -> Message:
    """The problem of a file that is missing, locked or damaged."""
    return Message("file_cannot_be_read", "cannot be read ({reason})", reason=reason)


def unusable(reason: str) -> Message:
    """The problem of a file that can be read but not used."""
    return Message("file_cannot_be_used", "cannot be used ({reason})", reason=reason)


def other_vocabulary(actual: int, expected: int, file: str) -> Message:
    """The problem of a tokenizer with another number of tokens than `file` says."""
    return Message(
        "other_vocabulary",
        "has {count} tokens where {config} says {wanted}",
        count=actual,
        config=file,
        wanted=expected,
    )


@dataclass(frozen=True)
class Metric:
    """One measured figure."""

    name: str  # "BLEU", "exact match", ...
    value: float
    dataset: str


@dataclass(frozen=True)
class CheckpointCard:
    """The facts about a checkpoint that help to choose one."""

    name: str
    summary: str  # one sentence
    task: str
    architecture: str  # "bidirectional GRU, additive attention"
    languages: tuple[str, ...]
    licence: str  # SPDX, of the weights
    data: str  # its training data
    parameters: int
    bytes: int  # bytes of the weights on disk
    metrics: tuple[Metric, ...]
    body: str  # the Markdown under the metadata
    chapter: str = NO_CHAPTER  # the chapter of the story that the checkpoints tell: "toys", "attention", ...
    lesson: str = ""  # one sentence about the use of this checkpoint in lessons


def read_card(folder: Path, language: str = "") -> CheckpointCard:
    """Read the YAML header and text of a Hub model card. Raises CheckpointError.

    The text is in `language`, such as "es", if there is a file README.es.md beside the card.
    """
    try:
        metadata, body = read_header(folder)
        translation = folder / translated_card(language)
        if language and translation.is_file():
            body = read_text(translation)
        return _card(folder, metadata, body.strip())
    except (OSError, UnicodeDecodeError) as error:
        raise CheckpointError(folder.name, CARD, unreadable(reason_of(error))) from error
    except (ValueError, KeyError, TypeError) as error:
        problem = Message("no_metadata", "has no usable metadata ({reason})", reason=reason_of(error))
        raise CheckpointError(folder.name, CARD, problem) from error


def translated_card(language: str) -> str:
    """The name of the file with the text of a card in another language."""
    return f"{Path(CARD).stem}.{language}{Path(CARD).suffix}"


def read_header(folder: Path) -> tuple[object, str]:
    """The YAML header of a card, and the text under it. Raises OSError, DescriptionError."""
    text = read_text(folder / CARD, encoding="utf-8-sig")
    parts = re.split(r"^---\n", text, maxsplit=2, flags=re.MULTILINE)
    if len(parts) < 3:
        raise DescriptionError("card_no_header", "there is no header between two lines of ---")
    _, header, body = parts
    if len(header) > MAX_HEADER_CHARACTERS:
        raise DescriptionError(
            "card_header_too_long",
            "the header must have at most {limit} characters; got {count}",
            limit=f"{MAX_HEADER_CHARACTERS:,}",
            count=f"{len(header):,}",
        )
    try:
        _check_depth(header)
        return yaml.load(header, _Loader), body
    except yaml.YAMLError as error:
        raise DescriptionError(
            "card_no_yaml", "the header is not YAML: {reason}", reason=" ".join(str(error).split())
        ) from error


def _check_depth(header: str) -> None:
    """Raise DescriptionError for nesting so deep that libyaml would crash the process."""
    depth = 0
    for event in yaml.parse(header, _Loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_YAML_DEPTH:
            raise DescriptionError(
                "card_nested_too_deep",
                "the header must be nested at most {limit} levels deep",
                limit=MAX_YAML_DEPTH,
            )


def _card(folder: Path, metadata: object, body: str) -> CheckpointCard:
    """Make the card from its metadata. Raises KeyError, TypeError or ValueError for invalid metadata."""
    top = _mapping("the metadata", metadata)
    entries = _mapping("unrolled", top["unrolled"])  # our own key; the Hub ignores keys that it does not know
    return CheckpointCard(
        name=folder.name,
        summary=_text("summary", entries["summary"]),
        task=_text("task", entries["task"]),
        architecture=_text("architecture", entries["architecture"]),
        languages=_languages(top.get("language")),
        licence=_text("license", top["license"]),
        data=_text("data", entries["data"]),
        parameters=int(_number("parameters", entries["parameters"])),
        bytes=int(_number("bytes", entries["bytes"])),
        metrics=tuple(islice(_metrics(top.get("model-index") or ()), MAX_CARD_METRICS)),
        body=body,
        chapter=_text("chapter", entries.get("chapter") or NO_CHAPTER),
        lesson=_text("lesson", entries.get("lesson") or ""),
    )


def _languages(value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    return tuple(_text("language", item) for item in (value if isinstance(value, list) else [value]))


def _metrics(index: Iterable[Any]) -> Iterator[Metric]:
    for model in index:
        for result in _mapping("model-index", model)["results"]:
            dataset = _mapping("dataset", _mapping("results", result)["dataset"])
            for metric in map(partial(_mapping, "metrics"), result["metrics"]):
                yield Metric(
                    _text("name of a metric", metric["name"]),
                    _number("value of a metric", metric["value"]),
                    _text("name of a dataset", dataset["name"]),
                )


def _mapping(name: str, value: object) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise DescriptionError(not_a_mapping(name, value))
    return value


def _text(name: str, value: object) -> str:
    # YAML reads 2024-01-01 as a date and an unquoted no as false.
    if not isinstance(value, str):
        raise DescriptionError(
            "card_no_text",
            "{name} must be a text, in quotes if need be; got {value}",
            name=name,
            value=brief(value),
        )
    value.encode()  # half a surrogate pair could not be sent to a browser
    return value


def _number(name: str, value: Any) -> float:
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (OverflowError, TypeError, ValueError):
        number = math.nan
    if not -MAX_NUMBER <= number <= MAX_NUMBER:
        raise DescriptionError(
            "card_no_number", "{name} must be a number; got {value}", name=name, value=brief(value)
        )
    return number
