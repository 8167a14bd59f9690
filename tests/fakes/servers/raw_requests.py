"""Raw, malformed HTTP requests that no browser or client sends; a seed determines them."""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import Sequence
from urllib.parse import quote, urlsplit

PART = re.compile(r"{[^}]*}")
CALLED = re.compile("queue/join|/call|cancel|reset|component_server|/run|/api/|upload$|mcp")
METHODS = ("POST",) * 6 + ("GET",) * 4 + ("HEAD", "OPTIONS", "PUT", "DELETE", "PATCH", "TRACE", "BREW")
KEYS = (
    "data",
    "fn_index",
    "session_hash",
    "event_id",
    "event_data",
    "trigger_id",
    "batched",
    "simple_format",
)
KEYS += ("component_id", "fn_name", "oauth_token", "text", "checkpoint", "strategy", "beam_size", "jsonrpc")
NUMBERS = (
    "0",
    "1",
    "7",
    "-1",
    "1e9",
    "1e999",
    "-1e999",
    "NaN",
    "Infinity",
    "9" * 30,
    "9" * 5000,
    "0.5",
    "1E400",
)
TEXTS = ('"x"', '""', '"\\ud800"', '"\\u0000"', '"' + "a" * 3000 + '"', '"/etc/passwd"', '"hola"', '"é漢"')
OTHERS = (
    "null",
    "true",
    "false",
    "[]",
    "{}",
    '{"path":"http://192.0.2.1/x","meta":{"_type":"gradio.FileData"}}',
)
TYPES = ("application/json",) * 20 + (
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
)
TYPES += ("multipart/form-data; boundary=b", "application/json; charset=utf-16", "image/png", "\xff", "")
QUERIES = (
    "",
    "",
    "",
    "?",
    "?session_hash=x",
    "?upload_id=%00",
    "?session_hash=" + "x" * 2000,
    "?__lang=%ff&a=b",
)
QUERIES += ("?checkpoint=%C3%28&text=%F0%9F", "?" + "a&" * 500, "?session_hash=x&session_hash=y")
HEADERS = ("Accept-Language: \xff;q=nan", "Cookie: session=\xff\xfe; a", "Range: bytes=-9-", "Accept: \x7f")
HEADERS += (
    "If-None-Match: W/",
    "X-Forwarded-For: ,,\xff",
    "X-Forwarded-Proto: ws",
    "Origin: http://[",
    "Te: x",
)
HEADERS += (
    "X-Gradio-User: mcp",
    "X-Forwarded-Host: ,",
    "X-Forwarded-Host: [",
    "X-Gradio-Server: http://[",
    "Accept-Encoding: br;q=x",
    "Upgrade: websocket",
)
HOSTS = ("localhost",) * 30 + ("[", "a b", "\xff", "localhost:99999999", "[::1]:x", "", "evil.example", "a,b")
FILLED = (
    "x",
    "%00",
    "0",
    "..%2f..%2fetc",
    "%ff",
    "translate",
    "checkpoints",
    "x" * 300,
    "%F0%9F%98",
    "a/b",
    "512",
)
UPLOADS = (
    b'--b\r\nContent-Disposition: form-data; name="files"; filename="a.tsv"\r\n\r\na\tb\r\n--b--\r\n',
    b'--b\r\nContent-Disposition: form-data; name="files"; filename="../\x00\xff"\r\n\r\nx\r\n--b--\r\n',
    b'--b\r\nContent-Disposition: form-data; name="files"\r\n\r\nno file\r\n--b--\r\n',
    b"--b\r\n\r\n--b--",
    b"--b",
)
BROKEN = (
    b"GET\r\n\r\n",
    b"\x00\xff\x16\x03\r\n\r\n",
    b"GET / HTTP/9.9\r\n\r\n",
    b"POST /x HTTP/1.1\r\nA",
    b"",
)


class RawRequests:
    """Draws random requests to the addresses of a page."""

    def __init__(
        self, seed: int, paths: Sequence[str], functions: Sequence[int], names: Sequence[str]
    ) -> None:
        """`paths`: patterns of routes, with fields such as "{event_id}"; `names`: names of endpoints."""
        self._random, self._paths = random.Random(seed), sorted(paths)
        self._functions, self._names = list(functions), list(names)

    def draw(self) -> bytes:
        """Return a random request, which may be incomplete."""
        pick = self._random.choice
        if self._random.random() < 0.03:
            return pick(BROKEN)
        path = self._path()
        kind, body = pick(TYPES), self._body()
        if path.endswith("upload") or kind.startswith("multipart"):
            kind, body = pick((kind, "multipart/form-data; boundary=b")), pick(UPLOADS)
        method = pick((pick(METHODS), "POST" if CALLED.search(path) else "GET"))
        lines = [f"{method} {path}{pick(QUERIES)} HTTP/1.1", f"Host: {pick(HOSTS)}"]
        lines += [f"Content-Type: {kind}"] if kind else []
        lines += [pick(HEADERS)] if self._random.random() < 0.3 else []
        if self._random.random() < 0.1:
            lines.append("Transfer-Encoding: chunked")
            body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
        else:
            lines.append(f"Content-Length: {len(body)}")
        return "\r\n".join([*lines, "Connection: close", "", ""]).encode("latin-1") + body

    def _path(self) -> str:
        pick = self._random.choice
        path = pick(self._paths)
        if self._random.random() < 0.4:  # prefer addresses that run code
            path = pick([path for path in self._paths if CALLED.search(path)])
        return PART.sub(lambda _: pick((*FILLED, *map(quote, self._names))), path)

    def _body(self) -> bytes:
        chance = self._random.random()
        if chance < 0.1:
            return self._random.randbytes(self._random.randrange(80))
        if chance < 0.15:
            return b"[" * self._random.choice((3, 300, 900, 100_000))
        text = self._object() if chance < 0.9 else self._value(0)
        text = text[: -self._random.randrange(1, 9)] if self._random.random() < 0.1 else text
        return text.encode(self._random.choice(("utf-8",) * 8 + ("utf-16", "utf-32-be", "utf-8-sig")))

    def _object(self) -> str:
        """Return an object that resembles a call."""
        pick, some = self._random.choice, self._random.random
        fields = {"data": self._list(0), "session_hash": f'"s{self._random.randrange(9)}"'}
        fields |= {"fn_index": pick((str(pick(self._functions)), self._value(0))), "event_id": '"e"'}
        fields |= {key: self._value(0) for key in self._random.sample(KEYS, 2)}
        members = [f"{json.dumps(key)}:{value}" for key, value in fields.items() if some() < 0.85]
        return f"{{{','.join(members)}}}"

    def _value(self, depth: int) -> str:
        if depth < 3 and self._random.random() < 0.15:
            return self._list(depth)
        if self._random.random() < 0.01:
            return "[" * 300 + "]" * 300
        return self._random.choice(self._random.choice((NUMBERS, TEXTS, OTHERS)))

    def _list(self, depth: int) -> str:
        values = [self._value(depth + 1) for _ in range(self._random.randrange(12))]
        return f"[{','.join(values)}]"


async def status_of(url: str, request: bytes) -> int | None:
    """Return the status of the answer, or None if the connection is closed without one."""
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    try:
        writer.write(request)
        if request in BROKEN:
            writer.write_eof()
        line = await reader.readline()
        return int(line.split()[1]) if line else None
    except ConnectionError:
        return None
    finally:
        writer.close()
