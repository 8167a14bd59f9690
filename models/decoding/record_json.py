"""The records of a trace as plain JSON types, and back; the version and the errors of a trace."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from models.errors import Message, UnrolledError, reason_of

SCHEMA_VERSION = 2
READABLE_VERSIONS = (1, SCHEMA_VERSION)  # fields that version 1 lacks have defaults
UPDATE = Message("update_program", "Update the program")
DECODE_AGAIN = Message("decode_again", "Decode the text again")

# JSON keeps the first names of these fields, so that all versions of the program read all traces.
JSON_NAMES = {"rank_score": "order", "word_steps": "written", "ranked": "seen", "without_words": "free"}
# Fields that older programs did not write are left out where they are empty.
LATER_FIELDS = {"greedy", "task", "languages", "allowed", "chances", "chance"}
EMPTY = (None, "", ())
FIELD_NAMES = {json_name: name for name, json_name in JSON_NAMES.items()}


def as_json(value: Any) -> Any:
    """Convert records at any depth to dictionaries."""
    if isinstance(value, float | int | str) or value is None:
        return value
    if is_dataclass(value):
        return _by_json_name({field.name: getattr(value, field.name) for field in fields(value)})
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return _by_json_name(value._asdict())
    if isinstance(value, Mapping):
        return {name: as_json(part) for name, part in value.items()}
    return tuple(map(as_json, value))


def _by_json_name(values: Mapping[str, Any]) -> dict[str, Any]:
    present = {name: part for name, part in values.items() if name not in LATER_FIELDS or part not in EMPTY}
    return {JSON_NAMES.get(name, name): as_json(part) for name, part in present.items()}


def with_json_names(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values by the names of JSON instead of those of fields: the inverse of `by_field`."""
    return {JSON_NAMES.get(name, name): value for name, value in data.items()}


def without_infinity(value: Any) -> Any:
    """Replace infinite numbers at any depth by None, which JSON writes as null."""
    if isinstance(value, dict):
        return {key: without_infinity(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_infinity(item) for item in value]
    return None if isinstance(value, float) and value in (float("inf"), float("-inf")) else value


def by_field(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values by the names of fields instead of those of JSON."""
    return {FIELD_NAMES.get(name, name): value for name, value in data.items()}


def tuples(value: Any) -> Any:
    """Convert lists at any depth to tuples."""
    return tuple(map(tuples, value)) if isinstance(value, list | tuple) else value


def log_prob(value: float | None) -> float:
    """Read a log-probability: null stands for minus infinity."""
    return float("-inf") if value is None else float(value)


def with_ids(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data with the token ids as a tuple."""
    return {**data, "token_ids": tuple(data["token_ids"])}


def drop_word_fields(trace: dict[str, Any]) -> dict[str, Any]:
    """Leave out the fields about required words of a trace without them, as older programs did."""
    hypotheses = tuple(
        {name: value for name, value in hypothesis.items() if name != "written"}
        for hypothesis in trace["hypotheses"]
    )
    other_fields = {name: value for name, value in trace.items() if name not in ("words", "free")}
    return {**other_fields, "hypotheses": hypotheses}


class TraceError(UnrolledError, ValueError):
    """A trace that cannot be read: not JSON, incomplete, or of another schema version."""


def damage_error(reason: object) -> TraceError:
    """The error for an incomplete or damaged trace."""
    return TraceError(
        "trace_damaged",
        "This trace is incomplete or damaged ({reason}). Decode the text again.",
        reason=reason,
    )


def readable(text: str) -> Mapping[str, Any]:
    """The trace in a JSON text, of a version that is read here. Raises TraceError with a remedy."""
    try:
        data = _trace_within(json.loads(text))
    except json.JSONDecodeError as error:
        raise TraceError(
            "trace_no_json",
            "This is not a trace: it is not JSON (line {line}, column {column}). Download it again.",
            line=error.lineno,
            column=error.colno,
        ) from error
    except (ValueError, RecursionError) as error:  # a number may have thousands of digits
        raise damage_error(reason_of(error)) from error
    version = data.get("schema_version") if isinstance(data, dict) else None
    if version not in READABLE_VERSIONS:
        newer = isinstance(version, int) and version > SCHEMA_VERSION
        raise TraceError(
            "trace_other_schema",
            "This trace has schema version {version}; this program reads versions {readable}. {remedy}, "
            "or use the program that wrote it.",
            version=repr(version)[:40],
            readable=" and ".join(map(str, READABLE_VERSIONS)),
            remedy=UPDATE if newer else DECODE_AGAIN,
        )
    trace: Mapping[str, Any] = data
    return trace


def _trace_within(data: Any) -> Any:
    """The trace in an answer of `/translate`, which HTTP sends as a list of one; other data as it is."""
    answer = data[0] if isinstance(data, list) and len(data) == 1 else data
    trace = answer.get("trace") if isinstance(answer, dict) else None
    return trace if isinstance(trace, dict) else data
