"""An address that is too long leads to a shorter one, and a short one is left alone."""

from __future__ import annotations

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient

from demo.links.wiring import MAX_PARAMETER_BYTES, MAX_PARAMETERS, MAX_QUERY_BYTES, TOO_LONG, ShortAddress


@pytest.fixture
def visitor() -> TestClient:
    """A visitor of a page that answers with its query, and does not follow redirects."""

    async def page(scope, receive, send) -> None:
        await PlainTextResponse(Request(scope).url.query)(scope, receive, send)

    return TestClient(ShortAddress(page), follow_redirects=False)


def test_an_address_of_the_largest_size_is_answered(visitor: TestClient) -> None:
    query = "text=".ljust(MAX_QUERY_BYTES, "a")
    assert visitor.get(f"/?{query}").text == query


def test_a_longer_one_leads_to_its_first_short_parameters(visitor: TestClient) -> None:
    first = ["a=".ljust(MAX_PARAMETER_BYTES, "1"), *(f"p{number}=1" for number in range(MAX_PARAMETERS - 1))]
    query = "&".join(
        ["text=".ljust(MAX_QUERY_BYTES, "a"), "b=".ljust(MAX_PARAMETER_BYTES + 1, "1"), *first, "last=1"]
    )
    answer = visitor.get(f"/?{query}")
    assert answer.status_code == 303
    assert answer.headers["location"] == "?" + "&".join([f"{TOO_LONG}={len(query)}", *first])


def test_other_requests_are_left_alone(visitor: TestClient) -> None:
    assert visitor.post("/?text=".ljust(MAX_QUERY_BYTES + 100, "a")).status_code == 200
