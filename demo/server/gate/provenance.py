"""Whether a request comes under a name of this server, and from a page of its own or from a program.

A browser writes Host and Origin itself, and lets no script change them. Programs send no Origin.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from http import HTTPStatus
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import Scope

from models.environment.places import space_host

LOCAL = "localhost"
DEFAULT_PORTS = (80, 443)  # which a browser does not write

Refusal = tuple[int, str]
# What Gradio builds addresses from, and cannot build every one.
HOST_HEADERS = ("host", "x-forwarded-host", "x-gradio-server")
HOST = re.compile(r"(https?://)?(\[[0-9a-f:.%]+\]|[\w.~-]+)(:\d{1,5})?/?", re.ASCII | re.IGNORECASE)

NO_HOST: Refusal = (HTTPStatus.BAD_REQUEST, "A header of the request names no host.")
FOREIGN_HOST: Refusal = (
    HTTPStatus.FORBIDDEN,
    "This server is not known by that name. Whoever runs it can let it be, by UNROLLED_HOSTS.",
)
FOREIGN_PAGE: Refusal = (
    HTTPStatus.FORBIDDEN,
    "A page of another site may not ask this server. If it is the same site behind a proxy, whoever runs it "
    "can let the proxy pass on Host, or name the site in UNROLLED_HOSTS.",
)


class Provenance:
    """The names of one server, and what they let pass."""

    def __init__(self, hosts: Iterable[str] = ()) -> None:
        """`hosts`: the names that whoever runs the server gives it; then it is known by no other."""
        self._hosts = frozenset(hosts)
        self._told = self._hosts | {space_host()}

    def refusal(self, scope: Scope, asks_to_act: bool) -> Refusal | None:
        """Why a request may not pass; `asks_to_act` unless it only reads what anybody may."""
        headers = Headers(scope=scope)
        named = [
            name for header in HOST_HEADERS for value in headers.getlist(header) for name in value.split(",")
        ]
        if not all(HOST.fullmatch(name.strip()) for name in named):
            return NO_HOST
        host = _parts(headers.get("host"))
        if not self._is_known(scope, headers, host):
            return FOREIGN_HOST
        origin = headers.get("origin")
        if origin is None or not asks_to_act:
            return None
        asking = _parts(origin.partition("://")[2])[0]
        own = self._told | {host[0], *_forwarded_hosts(headers, host[0])}
        same = asking in own or (_is_loopback(asking) and _is_loopback(host[0]))
        return None if asking and same else FOREIGN_PAGE  # the port is no sign: proxies may lose it

    def _is_known(self, scope: Scope, headers: Headers, host: tuple[str, int | None]) -> bool:
        """Whether a page that was found under this Host may be one of ours.

        Any site may let its name lead to this machine (DNS rebinding), and its scripts may then write all
        headers but a few. What they cannot do is to come through a proxy: they come to our own port.
        """
        name, port = host
        if not name or _is_address(name) or _is_loopback(name) or name in self._told:
            return True
        server = scope.get("server")
        if self._hosts or server is None:
            return not self._hosts
        if not _is_loopback(server[0]):  # others reach it too, under names that nobody has told
            return True
        direct = port == server[1] or (port is None and server[1] in DEFAULT_PORTS)
        return not direct and _is_passed_on(headers)


def _parts(netloc: str | None) -> tuple[str, int | None]:
    """Name and port of `example.org:443`; no name if it can be none."""
    try:
        parts = urlsplit(f"//{netloc or ''}")
        return (parts.hostname or "").removesuffix("."), parts.port
    except ValueError:
        return "", None


def _is_address(name: str) -> bool:
    """Whether it is an address in numbers, which leads nowhere else."""
    try:
        return bool(ip_address(name))
    except ValueError:
        return False


def _is_loopback(name: str) -> bool:
    if name == LOCAL or name.endswith(f".{LOCAL}"):
        return True
    return _is_address(name) and ip_address(name).is_loopback


def _is_passed_on(headers: Headers) -> bool:
    """Whether a proxy says so."""
    return any(name.startswith("x-forwarded-") or name in {"forwarded", "via"} for name in headers)


def _forwarded_hosts(headers: Headers, host: str) -> list[str]:
    """What a proxy says that the browser asked for, where it asks us for this machine.

    A script of another site may write that header too, once a preflight lets it; for these names Gradio does
    not.
    """
    if host not in {LOCAL, "127.0.0.1"}:
        return []
    return [_parts(name.strip())[0] for name in headers.get("x-forwarded-host", "").split(",")]
