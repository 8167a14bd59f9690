"""The required words, which every output contains, in the form of a trace: numbers and strings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class RequiredPhrase:
    """A word or several that every output contains."""

    text: str  # the text that was typed
    token_ids: tuple[int, ...]  # the ids that the tokenizer writes


@dataclass(frozen=True)
class OutputWithoutWords:
    """The best output of the same search without the required words."""

    text: str
    token_ids: tuple[int, ...]
    log_prob: float  # in nats
    score: float  # `log_prob`, length-normalised


def words_in(data: Mapping[str, Any]) -> dict[str, Any]:
    """Read the fields of a trace about required words from plain JSON types; older traces have none."""
    output = data.get("free")
    return {
        "words": tuple(RequiredPhrase(**with_ids(phrase)) for phrase in data.get("words", ())),
        "without_words": None if output is None else OutputWithoutWords(**with_ids(output)),
    }


def with_ids(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data with the token ids as a tuple."""
    return {**data, "token_ids": tuple(data["token_ids"])}


def drop_word_fields(fields: dict[str, Any]) -> dict[str, Any]:
    """Leave out the fields about required words of a trace without them, as older programs did."""
    hypotheses = tuple(
        {name: value for name, value in hypothesis.items() if name != "written"}
        for hypothesis in fields["hypotheses"]
    )
    other_fields = {name: value for name, value in fields.items() if name not in ("words", "free")}
    return {**other_fields, "hypotheses": hypotheses}
