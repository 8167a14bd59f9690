"""A Hugging Face Hub on the loopback, with the dataset files and the faults that a test gives it."""

from __future__ import annotations

import contextlib
import hashlib
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class FakeHub:
    """Serves `files[repo][path]`; each attribute below is a fault."""

    def __init__(self, files: dict[str, dict[str, bytes]]) -> None:
        self.files = files
        self.gated: set[str] = set()
        self.status = 0  # answered to everything
        self.claimed: dict[str, int] = {}  # sizes that HEAD gives instead of the true ones
        self.truncated = False  # bodies stop half-way
        self.corrupted = False  # one byte of each body is another
        self.large = False  # the hash is SHA-256, as for files in large file storage
        self.silent = ""  # the method that is never answered
        self.trickle = 0.0  # seconds between the bytes of a body
        self.requests: list[str] = []
        self.headers: list[dict[str, str]] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=[0.02], daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def _handler(hub: FakeHub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = unquote(urlsplit(self.path).path)
            hub.requests.append(f"{self.command} {path}")
            hub.headers.append({name.lower(): value for name, value in self.headers.items()})
            if hub.silent == self.command:
                time.sleep(30)
            if hub.status:
                return self.fail(hub.status, "", "")
            name, _, rest = path.removeprefix("/datasets/").partition("/resolve/")
            revision, _, file = rest.partition("/")
            if not path.startswith("/datasets/") or name not in hub.files:
                # As the Hub does, which does not tell strangers what is private.
                return self.fail(401, "RepoNotFound", "Repository not found")
            if name in hub.gated:
                return self.fail(403, "GatedRepo", "Access to this dataset is restricted")
            if revision not in {"main", "v1", COMMIT}:
                return self.fail(404, "RevisionNotFound", "Invalid rev id")
            if file not in hub.files[name]:
                return self.fail(404, "EntryNotFound", "Entry not found")
            return self.serve(file, hub.files[name][file])

        do_HEAD = do_GET  # noqa: N815

        def fail(self, status: int, code: str, message: str) -> None:
            self.send_response(status)
            if code:
                self.send_header("X-Error-Code", code)
                self.send_header("X-Error-Message", message)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def serve(self, file: str, body: bytes) -> None:
            digest = hashlib.sha256(body) if hub.large else hashlib.sha1(b"blob %d\0" % len(body) + body)
            size = hub.claimed.get(file, len(body)) if self.command == "HEAD" else len(body)
            self.send_response(200)
            self.send_header("ETag", f'"{digest.hexdigest()}"')
            self.send_header("X-Repo-Commit", COMMIT)
            self.send_header("Content-Length", str(size))
            self.end_headers()
            if self.command == "HEAD":
                return
            if hub.corrupted:
                body = body[:-1] + bytes([body[-1] ^ 1])
            if hub.truncated:
                body = body[: len(body) // 2]
            step = 1 if hub.trickle else len(body)
            with contextlib.suppress(OSError):  # the other side has given up, as it should
                for start in range(0, len(body), step):
                    self.wfile.write(body[start : start + step])
                    time.sleep(hub.trickle)

        def log_message(self, format: str, *arguments: object) -> None:
            """Says nothing."""

    return Handler
