"""The records of a trace as plain JSON types, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

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


def trace_within(data: Any) -> Any:
    """The trace in an answer of `/translate`, which HTTP sends as a list of one; other data as it is."""
    answer = data[0] if isinstance(data, list) and len(data) == 1 else data
    trace = answer.get("trace") if isinstance(answer, dict) else None
    return trace if isinstance(trace, dict) else data
