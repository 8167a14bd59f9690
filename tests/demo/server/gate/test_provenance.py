"""Requests of other sites and under other host names, with headers of browsers, scripts and proxies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from demo.page.interface import build_demo, launch_settings
from demo.server.gate import provenance
from demo.server.gate.provenance import FOREIGN_HOST, FOREIGN_PAGE, Provenance, Refusal
from demo.work.context import AppContext
from models.registry.registry import Registry
from tests.fakes.calls import http_client, served

EVIL = "https://evil.example"
PROXIED = {"x-forwarded-for": "192.0.2.1", "x-forwarded-proto": "https"}
LOOPBACK, OPEN = ("127.0.0.1", 7860), ("192.0.2.9", 7860)


def refusal(
    headers: Mapping[str, str],
    server: tuple[str, int] | None = LOOPBACK,
    hosts: tuple[str, ...] = (),
    acts: bool = True,
) -> Refusal | None:
    """The refusal of a request with these headers."""
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    return Provenance(hosts).refusal({"type": "http", "headers": raw, "server": server}, acts)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"host": "127.0.0.1:7860"},
        {"host": "localhost:7860", "origin": "http://localhost:7860"},
        {"host": "localhost:7860", "origin": "http://127.0.0.1:7860"},
        {"host": "[::1]:7860", "origin": "http://localhost:5173"},
        {"host": "page.localhost:7860", "origin": "http://page.localhost:7860"},
        {"host": "0.0.0.0:7860", "origin": "http://0.0.0.0:7860"},
        {"host": "192.0.2.5:8080", "origin": "http://192.0.2.5:8080"},  # a forwarded port
        {"host": "example.org", "origin": "https://example.org", **PROXIED},
        {"host": "Example.ORG.:8443", "origin": "https://example.org:8443", **PROXIED},
        {"host": "example.org", "origin": "https://example.org", "via": "1.1 Caddy"},
        {"host": "localhost:7860", "origin": "https://a.test", "x-forwarded-host": "a.test"},
        {"host": "localhost:7860", "origin": "https://a.test", "x-forwarded-host": "a.test, inner:80"},
    ],
    ids=str,
)
def test_requests_of_own_pages_programs_and_proxies_are_accepted(headers: Mapping[str, str]) -> None:
    assert refusal(headers) is None


@pytest.mark.parametrize(
    "origin",
    [
        EVIL,
        "null",
        "",
        "http://[",
        "http://localhost.evil.example:7860",
        "file://",
        "http://127.0.0.1.evil.example",
    ],
)
@pytest.mark.parametrize("server", [LOOPBACK, OPEN, None])
def test_requests_of_other_sites_are_refused(origin: str, server: tuple[str, int] | None) -> None:
    for host in ("localhost:7860", "127.0.0.1:7860", "192.0.2.9:7860"):
        assert refusal({"host": host, "origin": origin}, server) == FOREIGN_PAGE
        # Gradio's headers keep the other site from reading the answer.
        assert refusal({"host": host, "origin": origin}, server, acts=False) is None
    assert refusal({"host": "example.org", "origin": origin, **PROXIED}, server) == FOREIGN_PAGE


@pytest.mark.parametrize("host", ["192.0.2.9:7860", "[::1]:7860", "a.localhost:7860", "example.org"])
def test_forged_headers_do_not_make_a_page_trusted(host: str) -> None:
    """Gradio lets any site send any header to these names."""
    headers = {"host": host, "origin": EVIL, "x-forwarded-host": "evil.example"}
    assert refusal(headers, OPEN) == FOREIGN_PAGE


@pytest.mark.parametrize("more", [{}, PROXIED, {**PROXIED, "x-forwarded-host": "localhost"}], ids=str)
def test_dns_rebinding_is_refused(more: Mapping[str, str]) -> None:
    """A browser treats the name as one site, whose scripts may set most headers."""
    headers = {"host": "evil.example:7860", "origin": "http://evil.example:7860", **more}
    assert refusal(headers) == refusal(headers, acts=False) == FOREIGN_HOST
    assert refusal({"host": "evil.example", **more}, ("127.0.0.1", 80)) == FOREIGN_HOST
    assert refusal(headers, OPEN) is None  # others reach it too, by names that it cannot know
    assert refusal(headers, OPEN, hosts=("example.org",)) == FOREIGN_HOST


def test_a_foreign_host_name_without_a_proxy_is_refused() -> None:
    assert refusal({"host": "evil.example"}) == FOREIGN_HOST
    assert refusal({"host": "evil.example"}, OPEN) is None


def test_the_operator_may_name_the_server() -> None:
    named = ("example.org",)
    for server in (LOOPBACK, OPEN):
        assert refusal({"host": "example.org", "origin": "https://example.org"}, server, named) is None
        assert refusal({"host": "127.0.0.1:7860", "origin": "https://example.org"}, server, named) is None
        assert refusal({"host": "127.0.0.1:7860"}, server, named) is None
        assert (
            refusal({"host": "b.test", "origin": "https://b.test", **PROXIED}, server, named) == FOREIGN_HOST
        )


def test_the_machine_knows_its_own_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own requests under that name come to an address of the loopback, such as 127.0.1.1."""
    monkeypatch.setattr(provenance, "gethostname", lambda: "Nas")
    for hosts in ((), ("example.org",)):
        assert refusal({"host": "nas:7860", "origin": "http://nas:7860"}, ("127.0.1.1", 7860), hosts) is None
        assert refusal({"host": "nas:7860", "origin": EVIL}, ("127.0.1.1", 7860), hosts) == FOREIGN_PAGE


def test_a_space_knows_its_own_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its page in a frame of the Hub still belongs to its own site."""
    monkeypatch.setenv("SPACE_HOST", "me-page.hf.space")
    headers_of_page = {"origin": "https://me-page.hf.space"}
    for host in ("me-page.hf.space", "10.0.0.7:7860"):
        assert refusal({"host": host, **headers_of_page}, ("10.0.0.7", 7860)) is None
        assert refusal({"host": host, "origin": EVIL}, ("10.0.0.7", 7860)) == FOREIGN_PAGE
    custom = {"host": "demo.test", "origin": "https://demo.test"}
    assert refusal(custom, ("10.0.0.7", 7860)) is None


@pytest.mark.slow
def test_calls_and_uploads_of_other_sites_are_refused(shipped: Any) -> None:
    demo = build_demo(AppContext(Registry(shipped), "cpu"))
    call: dict[str, Any] = {"json": {"data": []}}
    tried = [("call/checkpoints", call), ("upload", {"files": {"files": ("a.tsv", b"a\tb\n")}})]
    with served(demo, **launch_settings(uploads=True)) as url, http_client(url) as http:
        for path, sent in tried:
            address = f"gradio_api/{path}"
            for headers, refused in (
                ({"origin": EVIL}, FOREIGN_PAGE),
                ({"origin": EVIL, "x-forwarded-host": "other.test"}, FOREIGN_PAGE),
                ({"host": "evil.example"}, FOREIGN_HOST),
            ):
                answer = http.post(address, headers=headers, **sent)
                assert (answer.status_code, answer.text) == refused
            preflight = {"origin": EVIL, "access-control-request-method": "POST"}
            assert "access-control-allow-origin" not in http.options(address, headers=preflight).headers
            for headers in ({}, {"origin": url}, {"origin": "http://localhost:1"}):
                assert http.post(address, headers=headers, **sent).status_code == 200
