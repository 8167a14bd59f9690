"""Generates the scripts' types of the payload: `python -m tests.demo.scripts.payload_types`."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from demo.trace import payload
from models.decoding import trace
from models.decoding.record_json import with_json_names
from models.decoding.trace import DecodingTrace, NextToken

PATH = Path(payload.__file__).with_name("payload.d.ts")
HEAD = """// Made from payload.py and models/decoding/trace.py by `make payload-types`.

/** A list for each field of a record. */
export type Table<Kind> = { [Name in keyof Kind]: Kind[Name][] };
"""
SIMPLE = {str: "string", int: "number", float: "number", bool: "boolean", type(None): "null", Any: "any"}


def declarations() -> str:
    """The text of payload.d.ts."""
    return HEAD + "\n" + "\n\n".join(_interfaces()) + "\n"


def _interfaces() -> Iterator[str]:
    yield from (_interface(kind) for kind in payload.TABLES.values())
    others = {
        "AttentionOverride",
        "Exploration",
        "GreedyOutput",
        "OutputWithoutWords",
        "RequiredPhrase",
        "Utilities",
    }
    yield from (_interface(getattr(trace, name)) for name in sorted(others))
    yield _interface(NextToken)
    dictionaries = (payload.Picture, payload.WordPieces, payload.PackedRows, payload.PackedAttention)
    yield from map(_interface, dictionaries)
    packed = {name: f"Table<{kind.__name__}>" for name, kind in payload.TABLES.items()}
    packed |= {
        "steps": "[rows: number, nodes: number][]",
        "rows": "PackedRows",
        "attention": "PackedAttention | null",
    }
    fields_of_trace = {name: _text(hint) for name, hint in with_json_names(_hints(DecodingTrace)).items()}
    yield _declared("PackedTrace", fields_of_trace | packed)
    members = {name: _text(hint) for name, hint in _hints(payload.TracePayload).items()}
    yield _declared("TracePayload", members | {"trace": "PackedTrace", "[ofACard: string]": "any"})


def _interface(kind: type) -> str:
    return _declared(
        kind.__name__, {name: _text(hint) for name, hint in with_json_names(_hints(kind)).items()}
    )


def _declared(name: str, members: Mapping[str, str]) -> str:
    return "\n".join(
        (f"export interface {name} {{", *(f"  {key}: {text};" for key, text in members.items()), "}")
    )


def _hints(kind: type) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)} if is_dataclass(kind) else hints


def _text(hint: Any) -> str:
    """The TypeScript type of a value after JSON. Raises TypeError for an unknown type."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint in SIMPLE:
        return SIMPLE[hint]
    if origin in (types.UnionType, typing.Union):
        return " | ".join(map(_text, arguments))
    if origin is tuple and arguments[-1] is not Ellipsis:
        return f"[{', '.join(map(_text, arguments))}]"
    if origin in (list, tuple, Sequence):
        inner = _text(arguments[0])
        return f"({inner})[]" if "|" in inner else f"{inner}[]"
    if origin in (dict, Mapping):
        return f"Record<string, {_text(arguments[1])}>"
    if isinstance(hint, type) and issubclass(hint, Enum):
        return " | ".join(f'"{member.value}"' for member in hint)
    if isinstance(hint, type) and (is_dataclass(hint) or typing.is_typeddict(hint)):
        return hint.__name__
    raise TypeError(f"no TypeScript for {hint}: teach it here")


if __name__ == "__main__":
    PATH.write_text(declarations(), encoding="utf-8")
