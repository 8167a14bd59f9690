"""Bodies of calls: the limit on the number of values, for any texts."""

from __future__ import annotations

import json

import pytest
from starlette.datastructures import Headers

from demo.server.calls.call_bodies import MAX_VALUES, UnfitBodyError, read_body

JSON = Headers({"content-type": "application/json"})
MANY = MAX_VALUES + 1


@pytest.mark.parametrize(
    "data",
    [
        [1] * MANY,
        [0.5] * MANY,
        [[]] * MANY,
        [{}] * MANY,
        ["a"] * MANY,
        ['"'] * MANY,
        ["\\"] * MANY,
        {str(number): None for number in range(MANY)},
        [[["a, b"] * 10] * 10] * 100,
    ],
    ids=lambda data: json.dumps(data)[:20],
)
def test_a_body_of_very_many_values_is_refused(data: object) -> None:
    with pytest.raises(UnfitBodyError, match=f"{MAX_VALUES:,}"):
        read_body(JSON, json.dumps({"data": data}).encode())


@pytest.mark.parametrize("mark", [",", "[", "{", '",', "\\,", '\\",', '"[', "[{,", "\n,"], ids=repr)
def test_a_text_counts_as_one_value(mark: str) -> None:
    body = {"data": [mark * MANY, "a", mark * MANY]}
    assert read_body(JSON, json.dumps(body).encode()) == body


@pytest.mark.parametrize("piece", ['"', '"\\', '\\"', '"a\\,', '",', "\\"], ids=repr)
def test_a_text_that_never_ends_is_soon_refused(piece: str) -> None:
    """A pattern that tried each of its beginnings would take hours."""
    with pytest.raises(UnfitBodyError):
        read_body(JSON, f'{{"data": ["{piece * 200_000}'.encode())


def test_bodies_of_usual_size_are_accepted() -> None:
    body = {"sources": ["a, b"] * 200, "references": ['say "c"'] * 200, "data": [[1]] * 4000}
    assert read_body(JSON, json.dumps(body).encode()) == body
