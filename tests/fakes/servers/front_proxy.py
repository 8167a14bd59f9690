"""Proxies below whose path the page is served: one of Python, and nginx and Caddy as docs/deploy.md says."""

from __future__ import annotations

import http.client
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.browser.conftest import free_port
from tests.documents import ROOT, Document
from tests.waiting import wait

FRONT = "/unrolled"
PAGE_PORT = "7860"  # the port of the page in the document
OF_A_CONNECTION = {"connection", "keep-alive", "transfer-encoding", "date", "server"}
NGINX = """daemon off;
pid PLACE/pid;
error_log stderr;
events {}
http {
    access_log off;
    client_body_temp_path PLACE/body;
    proxy_temp_path PLACE/proxy;
    fastcgi_temp_path PLACE/fastcgi;
    uwsgi_temp_path PLACE/uwsgi;
    scgi_temp_path PLACE/scgi;
    BLOCK
}
"""
OF_CADDY = ("--adapter", "caddyfile", "--config")
CADDY = "{\n    admin off\n    auto_https off\n}\n"


@contextmanager
def proxied(kind: str, page: int, folder: Path) -> Iterator[str]:
    """Start a proxy before the page at this port, and yield its address.

    "python" is a proxy of this process, which removes `FRONT`; "nginx" and "caddy" are installed programs.
    """
    port = free_port()
    if kind == "python":
        server = ThreadingHTTPServer(("127.0.0.1", port), _handler(page))
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=[0.02], daemon=True).start()
        yield f"http://127.0.0.1:{port}{FRONT}/"
        server.shutdown()
        server.server_close()
        return
    with subprocess.Popen(_command(kind, page, port, folder), stderr=subprocess.DEVNULL) as process:
        try:
            wait(lambda: _listens(port))
            yield f"http://127.0.0.1:{port}{FRONT}/"
        finally:
            process.terminate()


def is_installed(kind: str) -> bool:
    return kind == "python" or shutil.which(kind) is not None


def configured(kind: str, text: str, port: int, folder: Path) -> Path:
    """Write the file of a proxy that serves as a part of the document says."""
    if kind == "nginx":
        text = NGINX.replace("PLACE", str(folder)).replace(
            "BLOCK", text if "server {" in text else f"server {{\n{text}}}"
        )
        text = text.replace("server {", f"server {{\n    listen 127.0.0.1:{port};")
    else:
        site = f"http://127.0.0.1:{port}"
        text = CADDY + (
            text.replace("example.org", site, 1) if "handle" in text else f"{site} {{\n{text}}}\n"
        )
    path = folder / kind
    path.write_text(text, encoding="utf-8")
    return path


def _command(kind: str, page: int, port: int, folder: Path) -> list[str]:
    """The command that serves the page at this port as the document says."""
    blocks = Document(ROOT / "docs" / "deploy.md").blocks
    sign = {"nginx": "proxy_pass http://127", "caddy": "handle_path"}[kind]
    (block,) = (block.code.replace(PAGE_PORT, str(page)) for block in blocks if sign in block.code)
    start = {"nginx": ["nginx", "-e", "stderr", "-c"], "caddy": ["caddy", "run", *OF_CADDY]}[kind]
    return [*start, str(configured(kind, block, port, folder))]


def _listens(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    try:
        connection.connect()
    except OSError:
        return False
    connection.close()
    return True


def _handler(page: int) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == FRONT:
                self._answer(308, {"Location": f"{FRONT}/"})
            elif self.path.startswith(f"{FRONT}/"):
                self._pass_on()
            else:  # another site's part of the host
                self._answer(404, {})

        do_POST = do_HEAD = do_GET  # noqa: N815

        def _answer(self, status: int, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()

        def _pass_on(self) -> None:
            upstream = http.client.HTTPConnection("127.0.0.1", page)
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            forwarded = {"X-Forwarded-For": self.client_address[0], "X-Forwarded-Proto": "http"}
            headers = {**self.headers, **forwarded, "X-Forwarded-Host": self.headers["Host"]}
            upstream.request(self.command, self.path.removeprefix(FRONT), body, headers)
            answer = upstream.getresponse()
            passed = {name.lower(): value for name, value in answer.getheaders()}
            for name in OF_A_CONNECTION:
                passed.pop(name, None)
            self._answer(answer.status, passed)
            while piece := answer.read1():
                self.wfile.write(piece)
            upstream.close()

        def log_message(self, *_: object) -> None:
            pass

    return Handler
