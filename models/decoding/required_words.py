"""Words that every output must contain, as a trace tells of them. Numbers and strings only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class RequiredPhrase:
    """A word or several that every output contains."""

    text: str  # as typed
    token_ids: tuple[int, ...]  # as the tokenizer writes them


@dataclass(frozen=True)
class FreeOutput:
    """What the same search finds first if no words must occur."""

    text: str
    token_ids: tuple[int, ...]
    log_prob: float  # in nats
    score: float  # length-normalised, as that of a hypothesis


def words_in(data: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a trace that tell of them, from plain JSON types; an earlier program wrote none."""
    free = data.get("free")
    return {
        "words": tuple(RequiredPhrase(**with_ids(phrase)) for phrase in data.get("words", ())),
        "free": None if free is None else FreeOutput(**with_ids(free)),
    }


def with_ids(data: Mapping[str, Any]) -> dict[str, Any]:
    """The same, with the token ids as a tuple."""
    return {**data, "token_ids": tuple(data["token_ids"])}


def without_words(plain: dict[str, Any]) -> dict[str, Any]:
    """The plain JSON types of a trace without what tells of no words: as programs wrote it before."""
    hypotheses = tuple(
        {name: value for name, value in item.items() if name != "written"} for item in plain["hypotheses"]
    )
    others = {name: value for name, value in plain.items() if name not in ("words", "free")}
    return {**others, "hypotheses": hypotheses}
