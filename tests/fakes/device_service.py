"""The service that lends the GPUs of ZeroGPU: the four calls that the package `spaces` makes.

It refuses a call whose declared duration exceeds the rest of the quota. A call that ran costs `cost`.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

WAIT = 5 * 3600 + 20 * 60  # seconds until the quota is whole again


class DeviceService:
    """The quota of one visitor, in seconds, with the calls and durations requested."""

    def __init__(self, left: int, cost: int) -> None:
        self.left, self.cost = left, cost
        self.calls: list[str] = []  # the last part of each address
        self.requested: list[int] = []  # seconds, granted or not
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._server.service = self  # type: ignore[attr-defined]
        threading.Thread(target=self._server.serve_forever, args=[0.02], daemon=True).start()

    def variables(self) -> dict[str, str]:
        """The environment of a Space with ZeroGPU."""
        url = f"http://127.0.0.1:{self._server.server_port}"
        return {"SPACE_ID": "ann/unrolled", "SPACES_ZERO_GPU": "true", "SPACES_ZERO_DEVICE_API_URL": url}

    def close(self) -> None:
        """Stop the server."""
        self._server.shutdown()
        self._server.server_close()

    def answer(self, call: str, values: dict[str, str]) -> tuple[int, dict[str, Any]]:
        """Return status and body of an answer."""
        self.calls.append(call)
        if call == "release":
            self.left -= self.cost
        if call != "schedule":
            return 200, {}
        self.requested.append(int(values["durationSeconds"]))
        if self.requested[-1] > self.left:
            return 429, {"left": self.left, "wait": WAIT}
        return 200, {"idle": False, "nvidiaIndex": 0, "nvidiaUUID": "GPU-0", "allowToken": "yes"}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def do_POST(self) -> None:
        url = urlsplit(self.path)
        service: DeviceService = self.server.service  # type: ignore[attr-defined]
        status, body = service.answer(url.path.rsplit("/", 1)[-1], dict(parse_qsl(url.query)))
        sent = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)
