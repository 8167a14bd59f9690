"""A publisher of corpora on the loopback interface, with files and faults that a test chooses."""

from __future__ import annotations

import contextlib
import io
import threading
import time
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ATTRIBUTION = "CC-BY 2.0 (France) Attribution: example.org #1 (somebody) & #2 (nobody)"


class Publisher:
    """Serves `files` by name; each attribute below is a fault."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files
        self.status = 0  # status of every answer
        self.location = ""  # target of a redirect, which needs a status
        self.truncated = False  # bodies stop half-way
        self.no_length = False  # no Content-Length
        self.declared_length = ""  # Content-Length of a body that is sent in chunks
        self.silent = False  # nothing is answered
        self.trickle = 0.0  # seconds between the bytes of a body
        self.delay = 0.0  # seconds before an answer
        self.requests: list[str] = []
        self.agents: list[str] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=[0.02], daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def _handler(publisher: Publisher) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            publisher.requests.append(self.path)
            publisher.agents.append(self.headers.get("User-Agent", ""))
            if publisher.silent:
                self.rfile.read(1)  # returns when the client has given up
                return
            time.sleep(publisher.delay)
            body = publisher.files.get(self.path.removeprefix("/"))
            status = publisher.status or (200 if body is not None else 404)
            body = b"" if body is None or status != 200 else body
            self.send_response(status)
            if publisher.location:
                self.send_header("Location", publisher.location)
            if publisher.declared_length:
                self.send_header("Content-Length", publisher.declared_length)
                self.send_header("Transfer-Encoding", "chunked")
                body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
            elif not publisher.no_length:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            body = body[: len(body) // 2] if publisher.truncated else body
            step = 1 if publisher.trickle else max(1, len(body))
            with contextlib.suppress(OSError):  # the client has given up, as it should
                for start in range(0, len(body), step):
                    self.wfile.write(body[start : start + step])
                    time.sleep(publisher.trickle)

        def log_message(self, format: str, *arguments: object) -> None:
            """Print nothing."""

    return Handler


def zipped(members: dict[str, bytes | str]) -> bytes:
    """Return a zip archive without time stamps, since processes that run tests must agree on it."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def sentence_lines(words: int = 6) -> list[str]:
    """Return sentences with one or two translations in the newer format; some share a translation."""
    people = ("Ana", "Bo", "Cid", "Dora", "Emil", "Fay")[:words]
    places = (
        ("barn", "granero"),
        ("lake", "lago"),
        ("mill", "molino"),
        ("hill", "cerro"),
        ("dock", "muelle"),
    )
    verbs = (("sings", "canta"), ("sleeps", "duerme"), ("waits", "espera"), ("reads", "lee"))
    lines = []
    for person in people:
        for english_place, spanish_place in places:
            for english_verb, verb in verbs:
                english = f"{person} {english_verb} near the {english_place}."
                lines.append(f"{english}\t{person} {verb} cerca del {spanish_place}.\t{ATTRIBUTION}")
                if english_verb == "waits":
                    lines.append(f"{english}\t{person} aguarda junto al {spanish_place}.\t{ATTRIBUTION}")
                if english_verb == "reads":  # two sources, one target
                    lines.append(
                        f"{person} is reading near the {english_place}.\t"
                        f"{person} {verb} cerca del {spanish_place}.\t{ATTRIBUTION}"
                    )
    return lines


def sentence_archive(code: str = "spa") -> bytes:
    """Return an archive of sentence pairs."""
    return zipped({"_about.txt": "terms", f"{code}.txt": "\n".join(sentence_lines()) + "\n"})
