"""Checks that a request uses a name of this server, and comes from its page or from a program.

A browser writes Host and Origin itself, and lets no script change them. Programs send no Origin.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from http import HTTPStatus
from ipaddress import ip_address
from socket import gethostname
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import Scope

from models.environment import space_host

LOCAL = "localhost"
DEFAULT_PORTS = (80, 443)  # browsers omit them

Refusal = tuple[int, str]
# Headers from which Gradio builds addresses; it fails for malformed ones.
HOST_HEADERS = ("host", "x-forwarded-host", "x-gradio-server")
HOST = re.compile(r"(https?://)?(\[[0-9a-f:.%]+\]|[\w.~-]+)(:\d{1,5})?/?", re.ASCII | re.IGNORECASE)

NO_HOST: Refusal = (HTTPStatus.BAD_REQUEST, "A header of the request has an invalid host name.")
FOREIGN_HOST: Refusal = (
    HTTPStatus.FORBIDDEN,
    "This server does not accept requests for that host name. Its operator can allow the name in "
    "UNROLLED_HOSTS.",
)
FOREIGN_PAGE: Refusal = (
    HTTPStatus.FORBIDDEN,
    "This server does not accept requests from pages of other sites. If the page belongs to this server "
    "and a proxy is in between, the operator can let the proxy pass on Host, or allow the site in "
    "UNROLLED_HOSTS.",
)


class Provenance:
    """The names of a server, and the requests that they allow."""

    def __init__(self, hosts: Iterable[str] = ()) -> None:
        """`hosts` are the names that the operator has set; then no others are accepted."""
        self._hosts = frozenset(hosts)
        self._names = self._hosts | {space_host(), gethostname().lower()}

    def refusal(self, scope: Scope, does_more: bool) -> Refusal | None:
        """The refusal of a request, or None; `does_more` is False if it only reads public content."""
        headers = Headers(scope=scope)
        names = [
            name for header in HOST_HEADERS for value in headers.getlist(header) for name in value.split(",")
        ]
        if not all(HOST.fullmatch(name.strip()) for name in names):
            return NO_HOST
        host = _parts(headers.get("host"))
        if not self._is_ours(scope, headers, host):
            return FOREIGN_HOST
        origin = headers.get("origin")
        if origin is None or not does_more:
            return None
        origin_name = _parts(origin.partition("://")[2])[0]
        own_names = self._names | {host[0], *_forwarded_hosts(headers, host[0])}
        same = origin_name in own_names or (_is_loopback(origin_name) and _is_loopback(host[0]))
        # Ports are not compared, since proxies may drop them.
        return None if origin_name and same else FOREIGN_PAGE

    def _is_ours(self, scope: Scope, headers: Headers, host: tuple[str, int | None]) -> bool:
        """Whether a page under this Host may be ours.

        Any site may point its name to this machine (DNS rebinding), and its scripts may then set most
        headers. But they cannot come through a proxy: they come to our own port.
        """
        name, port = host
        if not name or _is_address(name) or _is_loopback(name) or name in self._names:
            return True
        server = scope.get("server")
        if self._hosts or server is None:
            return not self._hosts
        if not _is_loopback(server[0]):  # reachable from other machines, by names that are not set
            return True
        direct = port == server[1] or (port is None and server[1] in DEFAULT_PORTS)
        return not direct and _is_passed_on(headers)


def _parts(netloc: str | None) -> tuple[str, int | None]:
    """The name and port of `example.org:443`; the name is "" if it is invalid."""
    try:
        parts = urlsplit(f"//{netloc or ''}")
        return (parts.hostname or "").removesuffix("."), parts.port
    except ValueError:
        return "", None


def _is_address(name: str) -> bool:
    """Whether a name is an IP address, which DNS cannot redirect."""
    try:
        return bool(ip_address(name))
    except ValueError:
        return False


def _is_loopback(name: str) -> bool:
    if name == LOCAL or name.endswith(f".{LOCAL}"):
        return True
    return _is_address(name) and ip_address(name).is_loopback


def _is_passed_on(headers: Headers) -> bool:
    """Whether the headers show that a proxy passed the request on."""
    return any(name.startswith("x-forwarded-") or name in {"forwarded", "via"} for name in headers)


def _forwarded_hosts(headers: Headers, host: str) -> list[str]:
    """The hosts that a proxy names as requested by the browser, if it calls us by a name of this machine.

    A script of another site may set that header only after a preflight, which Gradio refuses for these names.
    """
    if host not in {LOCAL, "127.0.0.1"}:
        return []
    return [_parts(name.strip())[0] for name in headers.get("x-forwarded-host", "").split(",")]
