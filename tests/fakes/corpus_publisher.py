"""A publisher of corpora on the loopback, with files and faults of the test's own making."""

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
        self.status = 0  # answered to everything
        self.location = ""  # of a redirect, beside a status
        self.truncated = False  # bodies stop half-way
        self.no_length = False  # sizes are not told
        self.told = ""  # the length that is told, of a body that comes in chunks whatever its length
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
                self.rfile.read(1)  # nothing comes but the end, when who asked has given up
                return
            time.sleep(publisher.delay)
            body = publisher.files.get(self.path.removeprefix("/"))
            status = publisher.status or (200 if body is not None else 404)
            body = b"" if body is None or status != 200 else body
            self.send_response(status)
            if publisher.location:
                self.send_header("Location", publisher.location)
            if publisher.told:
                self.send_header("Content-Length", publisher.told)
                self.send_header("Transfer-Encoding", "chunked")
                body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
            elif not publisher.no_length:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            body = body[: len(body) // 2] if publisher.truncated else body
            step = 1 if publisher.trickle else max(1, len(body))
            with contextlib.suppress(OSError):  # the other side has given up, as it should
                for start in range(0, len(body), step):
                    self.wfile.write(body[start : start + step])
                    time.sleep(publisher.trickle)

        def log_message(self, format: str, *arguments: object) -> None:
            """Says nothing."""

    return Handler


def zipped(members: dict[str, bytes | str]) -> bytes:
    """A zip archive, the same whenever it is made: two processes that run tests must agree on them."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def sentence_lines(words: int = 6) -> list[str]:
    """Sentences with a translation or two each, in the newer form; some share a translation."""
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
        for english_place, place in places:
            for english_verb, verb in verbs:
                english = f"{person} {english_verb} near the {english_place}."
                lines.append(f"{english}\t{person} {verb} cerca del {place}.\t{ATTRIBUTION}")
                if english_verb == "waits":
                    lines.append(f"{english}\t{person} aguarda junto al {place}.\t{ATTRIBUTION}")
                if english_verb == "reads":  # two sources, one target
                    lines.append(
                        f"{person} is reading near the {english_place}.\t"
                        f"{person} {verb} cerca del {place}.\t{ATTRIBUTION}"
                    )
    return lines


def sentence_archive(code: str = "spa") -> bytes:
    """What a publisher of sentence pairs has."""
    return zipped({"_about.txt": "terms", f"{code}.txt": "\n".join(sentence_lines()) + "\n"})
