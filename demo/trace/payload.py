"""A trace for the browser: tables of records, figures and sentences."""

from __future__ import annotations

import base64
import sys
import unicodedata
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from itertools import chain, pairwise
from typing import Any, TypedDict

from demo.i18n.display import METASPACE, display_token, plotly_text, reason_sentence, status_sentence
from demo.trace.trace_card import drawn_cards
from demo.widgets.captions.trace import picture_cells
from demo.widgets.figures.figure import LIGHT, dark_by_light
from demo.widgets.view.payload import Table, json_text, table
from models.decoding.record_json import as_json, with_json_names
from models.decoding.status import Reason, Status
from models.decoding.trace import BeamNode, DecodedRow, DecodingTrace, Hypothesis, Token

FULL_SCALE = 65535  # a weight of 1 as an unsigned 16-bit integer
# Tokenizers mark spellings: `▁` before a word (BPE, Unigram), `##` before a further piece (WordPiece). Where
# neither occurs, each token is a word or a single character.
PIECE = "##"
CONTINUES, OPEN = 1, 2  # a piece that can follow another; a piece that another can follow
# The class of the records in each table of a trace.
TABLES: dict[str, type] = {"source": Token, "hypotheses": Hypothesis, "nodes": BeamNode}


class Picture(TypedDict):
    """The grid of cells, if the source is a picture."""

    cells: int  # cells on each side


class WordPieces(TypedDict):
    """The tokens that are pieces of one word."""

    useful: bool  # whether any word has several pieces
    flags: dict[str, int]  # flags by spelling; see `surface_flags`
    starts: list[bool]  # True for each source token that starts a word


class PackedRows(TypedDict):
    """The rows of all steps, one after the other."""

    node: list[int | None]
    entropy: list[float | None]  # nats
    # Id, spelling and log-probability of the likeliest next tokens.
    top: list[list[tuple[int, str, float | None]]]
    allowed: list[tuple[float | None, ...] | None]
    chances: list[tuple[float, ...] | None]


class PackedAttention(TypedDict):
    """Attention of shape (rows, L, H, S) as little-endian 16-bit integers in base64."""

    shape: tuple[int, ...]  # the shape without the rows
    data: str


class TracePayload(TypedDict):
    """The data for all cards; `Card.payload` adds data for single cards."""

    trace: dict[str, Any]  # the fields of a DecodingTrace, records as tables
    checkpoint: str  # its label on the page and in files
    picture: Picture | None
    labels: dict[str, list[str]]  # texts by spelling, and the escaped text for figures if that differs
    words: WordPieces
    statuses: dict[str, str]  # a sentence for each status
    reasons: dict[str, str]
    captions: dict[str, Any]  # see `Card.captions`
    figures: dict[str, Any]  # Plotly figures, or null
    palette: dict[str, str]  # colours of the light page, by meaning
    dark: dict[str, str]  # the colours of the dark page by those of the light one


def trace_payload(trace: DecodingTrace, label_of: Callable[[str], str] = str) -> str:
    """The JSON text of `trace_content`; `<` never occurs in it, so it may stand in a script element."""
    return json_text(trace_content(trace, label_of))


def trace_content(trace: DecodingTrace, label_of: Callable[[str], str] = str) -> dict[str, Any]:
    """The data that `TraceView` draws; `label_of` returns the label of a checkpoint."""
    cells = picture_cells(trace)
    content: TracePayload = {
        "trace": _pack(trace),
        "checkpoint": label_of(trace.checkpoint),
        "picture": {"cells": cells} if cells else None,
        "labels": _labels(trace),
        "words": {
            "useful": can_merge(trace),
            "flags": surface_flags(node.token for node in trace.nodes.values()),
            "starts": source_starts(trace.source),
        },
        "statuses": {status.value: status_sentence(status) for status in Status},
        "reasons": {reason.value: reason_sentence(reason) for reason in Reason},
        "captions": {
            name: caption(trace) for card in drawn_cards() for name, caption in card.captions.items()
        },
        "figures": {
            name: (figure := draw(trace)) and figure.to_plotly_json()
            for card in drawn_cards()
            for name, draw in card.figures.items()
        },
        "palette": asdict(LIGHT),
        "dark": dark_by_light(),
    }
    more = {name: value_of(trace) for card in drawn_cards() for name, value_of in card.payload.items()}
    return {**content, **more}


def _pack(trace: DecodingTrace) -> dict[str, Any]:
    """All fields of a trace with rounded numbers: records as tables, attention as a block of bytes."""
    scalars = {
        field.name: as_json(getattr(trace, field.name))
        for field in fields(DecodingTrace)
        if field.name not in {*TABLES, "steps"}
    }
    records = {"source": trace.source, "hypotheses": trace.hypotheses, "nodes": trace.nodes.values()}
    tables: dict[str, Table] = {
        name: with_json_names(table(kind, records[name])) for name, kind in TABLES.items()
    }
    rows = [row for step in trace for row in step.rows]
    return {
        **scalars,
        **tables,
        "steps": [(len(step.rows), len(step.nodes)) for step in trace],
        "rows": _rows(rows),
        "attention": _attention(rows),
    }


def _rows(rows: Sequence[DecodedRow]) -> PackedRows:
    return {
        "node": [row.node for row in rows],
        "entropy": [row.entropy for row in rows],
        "top": [[(top.token_id, top.token, top.log_prob) for top in row.top] for row in rows],
        "allowed": [row.allowed for row in rows],
        "chances": [row.chances for row in rows],
    }


def _attention(rows: Sequence[DecodedRow]) -> PackedAttention | None:
    """Attention of shape (rows, L, H, S) as bytes; None if the model has no attention."""
    attentions = [row.attention for row in rows if row.attention is not None]
    if not rows or len(attentions) < len(rows):
        return None
    first = attentions[0]
    heads = chain.from_iterable(chain.from_iterable(attentions))
    numbers = array("H", [round(weight * FULL_SCALE) for head in heads for weight in head])
    if sys.byteorder == "big":
        numbers.byteswap()
    shape = (len(first), len(first[0]), len(first[0][0]))
    return {"shape": shape, "data": base64.b64encode(numbers.tobytes()).decode("ascii")}


def _labels(trace: DecodingTrace) -> dict[str, list[str]]:
    """The text of each spelling, and the escaped text for figures if that differs."""
    spellings = {token.surface for token in trace.source} | {node.token for node in trace.nodes.values()}
    spellings |= {top.token for step in trace for row in step.rows for top in row.top}
    pairs = ((surface, display_token(surface), plotly_text(surface)) for surface in sorted(spellings))
    return {surface: [text] if text == escaped else [text, escaped] for surface, text, escaped in pairs}


def surface_flags(surfaces: Iterable[str]) -> dict[str, int]:
    """CONTINUES | OPEN by spelling, without spellings that have neither; empty if no token is a piece."""
    surfaces = set(surfaces)
    spaced = any(surface.startswith(METASPACE) for surface in surfaces)
    pieced = any(surface.startswith(PIECE) for surface in surfaces)
    if not spaced and not pieced:
        return {}
    flags = {surface: _flags(surface, spaced) for surface in surfaces}
    return {surface: flag for surface, flag in sorted(flags.items()) if flag}


def _flags(surface: str, spaced: bool) -> int:
    if surface.startswith("<") and surface.endswith(">") and len(surface) > 2:
        return 0  # a special token is never part of a word
    if spaced:
        bare, further = surface.removeprefix(METASPACE), not surface.startswith(METASPACE)
    else:
        bare, further = surface.removeprefix(PIECE), surface.startswith(PIECE)
    if not bare:
        return OPEN if surface.startswith(METASPACE) else 0  # a space alone, as before a rare word
    return (CONTINUES if further and _in_word(bare[0]) else 0) | (OPEN if _in_word(bare[-1]) else 0)


def source_starts(source: Sequence[Token]) -> list[bool]:
    """Whether a word starts with each source token, by its spelling."""
    flags = surface_flags(token.surface for token in source)
    starts = [not _joins(flags, before.surface, token.surface) for before, token in pairwise(source)]
    return [True, *starts] if source else []


def can_merge(trace: DecodingTrace) -> bool:
    """Whether any word of the source or of a recorded path has several pieces."""
    if not all(source_starts(trace.source)):
        return True
    nodes = trace.nodes
    flags = surface_flags(node.token for node in nodes.values())
    return any(
        node.parent is not None and _joins(flags, nodes[node.parent].token, node.token)
        for node in nodes.values()
    )


def _joins(flags: Mapping[str, int], before: str, surface: str) -> bool:
    """Whether a spelling continues the word of the one before it."""
    return bool(flags.get(surface, 0) & CONTINUES and flags.get(before, 0) & OPEN)


def _in_word(character: str) -> bool:
    # An apostrophe, a hyphen or an accent within a word joins; any other mark stands alone.
    return character.isalnum() or character in "'’-" or unicodedata.category(character).startswith("M")
