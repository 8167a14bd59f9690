"""A trace as the browser reads it: tables for records, rounded numbers, figures and sentences ready-made."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields, is_dataclass
from typing import Any

import numpy as np

from demo.captions import NO_ATTENTION, captions
from demo.figures.attention import attention_figure, attention_map
from demo.figures.beam_tree import beam_tree, beam_tree_figure
from demo.figures.palette import LIGHT, dark_by_light
from demo.figures.sample_cloud import sample_cloud, sample_cloud_figure
from demo.figures.score_curve import KINDS, score_curve_figure, score_curves, score_marks
from demo.figures.tree_layout import best_node
from demo.figures.utility_matrix import utility_map, utility_matrix_figure
from demo.i18n import say
from demo.picture_captions import picture_attention_caption, picture_cells
from demo.text import display_token, plotly_text, reason_sentence, status_sentence
from demo.words import can_merge, source_starts, surface_flags
from models.decoding.trace import BeamNode, DecodedRow, DecodingTrace, Hypothesis, Reason, Status, Token

DIGITS = 6  # decimals: the sum of a path's displayed steps stays its displayed total
FULL_SCALE = 65535  # a weight of 1 as an unsigned 16-bit integer

Table = dict[str, list[Any]]


def trace_payload(trace: DecodingTrace) -> str:
    """The JSON text that `TraceView` draws; `<` never occurs in it, so it may stand in a script element."""
    cells = picture_cells(trace)
    payload = {
        "trace": _packed(trace),
        "picture": cells and {"cells": cells},
        "labels": _labels(trace),
        "words": {
            "useful": can_merge(trace),
            "flags": surface_flags(node.token for node in trace.nodes.values()),
            "starts": source_starts(trace.source),
        },
        "statuses": {status.value: status_sentence(status) for status in Status},
        "reasons": {reason.value: reason_sentence(reason) for reason in Reason},
        "captions": {**asdict(captions(trace)), **_picture_captions(trace), "none": say(NO_ATTENTION)},
        "figures": _figures(trace),
        "ranking": _ranking(trace),
        "palette": asdict(LIGHT),
        "dark": dark_by_light(),
    }
    text = json.dumps(payload, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _picture_captions(trace: DecodingTrace) -> dict[str, Any]:
    """The sentences of a picture that differ from those of a text, where nothing moves forwards."""
    if not picture_cells(trace):
        return {}
    return {"attention": [picture_attention_caption(trace, found.node) for found in trace.hypotheses]}


def _packed(trace: DecodingTrace) -> dict[str, Any]:
    """Every field of the trace; records become tables, attention one block of bytes."""
    large = {"source", "steps", "hypotheses"}
    scalars = {
        field.name: _plain(getattr(trace, field.name)) for field in fields(trace) if field.name not in large
    }
    rows = [row for step in trace for row in step.rows]
    return {
        **scalars,
        "settings": {key: _json_safe(value) for key, value in trace.settings.items()},
        "source": _table(Token, trace.source),
        "hypotheses": _table(Hypothesis, trace.hypotheses),
        "steps": [[len(step.rows), len(step.nodes)] for step in trace],
        "nodes": _table(BeamNode, trace.nodes.values()),
        "rows": {
            "node": [row.node for row in rows],
            "entropy": [_number(row.entropy) for row in rows],
            "top": [[[top.token_id, top.token, _number(top.log_prob)] for top in row.top] for row in rows],
        },
        "attention": _attention(rows),
    }


def _plain(value: Any) -> Any:
    """Records within a record as JSON has them."""
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


def _table(kind: type, records: Iterable[Any]) -> Table:
    """One list per field: a name is written once, not once per record."""
    records = list(records)
    return {
        field.name: [_json_safe(getattr(record, field.name)) for record in records] for field in fields(kind)
    }


def _json_safe(value: Any) -> Any:
    return _number(value) if isinstance(value, float) else value


def _number(value: float) -> float | None:
    """Rounded; null for an infinity, as in the trace's own JSON."""
    return round(value, DIGITS) if abs(value) != float("inf") else None


def _attention(rows: Sequence[DecodedRow]) -> dict[str, Any] | None:
    """(rows, L, H, S) as little-endian 16-bit integers; None if the model has no attention."""
    if not rows or any(row.attention is None for row in rows):
        return None
    weights = np.asarray([row.attention for row in rows])
    data = np.rint(weights * FULL_SCALE).astype("<u2").tobytes()
    return {"shape": weights.shape[1:], "data": base64.b64encode(data).decode("ascii")}


def _labels(trace: DecodingTrace) -> dict[str, list[str]]:
    """For each spelling its text for the page, and the escaped one for a figure where that differs."""
    spellings = {token.surface for token in trace.source} | {node.token for node in trace.nodes.values()}
    spellings |= {top.token for step in trace for row in step.rows for top in row.top}
    pairs = ((surface, display_token(surface), plotly_text(surface)) for surface in sorted(spellings))
    return {surface: [shown] if shown == escaped else [shown, escaped] for surface, shown, escaped in pairs}


def _figures(trace: DecodingTrace) -> dict[str, Any]:
    best = best_node(trace)
    if best is None:
        return dict.fromkeys(("tree", "attention", "cloud", "utilities"))
    attention = attention_map(trace, best.id)
    heatmap = attention and attention_figure(attention, rows=len(trace.steps)).to_plotly_json()
    if heatmap:
        del heatmap["data"][0]["z"]  # filled in the browser, for whatever path is chosen
        if picture_cells(trace):
            heatmap["layout"]["xaxis"]["title"]["text"] = say("cells of the picture: row,column →")
    cloud, utilities = sample_cloud(trace), utility_map(trace)
    return {
        "tree": beam_tree_figure(beam_tree(trace)).to_plotly_json(),
        "attention": heatmap,
        "cloud": cloud and sample_cloud_figure(cloud).to_plotly_json(),
        "utilities": utilities and utility_matrix_figure(utilities).to_plotly_json(),
    }


def _ranking(trace: DecodingTrace) -> dict[str, Any] | None:
    """What ranking anew needs: the search's own setting, a frame, and what each normaliser changes in it."""
    curves = score_curves(trace)
    if curves is None:
        return None
    figure = score_curve_figure(curves, curves.kind).to_plotly_json()
    for line in figure["data"][: len(curves.curves)]:
        del line["y"], line["customdata"]  # filled in the browser, for whatever normaliser is chosen
    return {
        **{name: getattr(curves, name) for name in ("kind", "alpha", "low", "high")},
        "figure": figure,
        "marks": {kind: score_marks(curves, kind) for kind in KINDS},
    }
