"""A local Hugging Face Hub with files and faults that a test chooses."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import re
import threading
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

from tests.fakes.servers.hub_accounts import Account

COMMIT = "0123456789abcdef0123456789abcdef01234567"
LARGE = (".safetensors", ".bin")  # in large file storage, which hashes with SHA-256
Files = Mapping[str, Mapping[str, bytes]]


class FakeHub:
    """Serves `models[repo][path]` and `datasets[repo][path]`, takes uploads; other attributes are faults."""

    def __init__(self, models: Files | None = None, datasets: Files | None = None) -> None:
        self.files = {name: dict(files) for name, files in (models or {}).items()}
        self.files |= {f"datasets/{name}": dict(files) for name, files in (datasets or {}).items()}
        self.commits: dict[str, str] = {}  # by repository; the default is COMMIT
        self.cards: dict[str, dict[str, Any]] = {}  # parsed headers of READMEs, by repository
        self.accounts: dict[str, Account] = {}  # by token
        self.private: set[str] = set()
        self.gated: set[str] = set()
        self.status = 0  # status of every answer
        self.statuses: dict[str, int] = {}  # status of answers whose path contains the key
        self.claimed: dict[str, int] = {}  # false sizes in answers to HEAD, by file
        self.truncated = False  # bodies stop half-way
        self.corrupted = False  # one byte of each body is wrong
        self.damaged: set[str] = set()  # files of which one byte is wrong
        self.large = False  # SHA-256 for every file
        self.silent = ""  # method of requests that get no answer
        self.trickle = 0.0  # seconds between the thousandths of a body
        self.slow: set[str] = set()  # files to which `trickle` and `gate` apply; empty: all
        self.gate = threading.Event()  # bodies stop half-way until it is set
        self.gate.set()
        self.requests: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.uploaded: dict[str, bytes] = {}  # by SHA-256
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign]  # the client has gone
        self._server.hub = self  # type: ignore[attr-defined]
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=[0.02], daemon=True).start()

    def close(self) -> None:
        self.gate.set()
        self._server.shutdown()
        self._server.server_close()

    def commit_of(self, repo: str) -> str:
        return self.commits.get(repo, COMMIT)

    def digest(self, file: str, body: bytes) -> str:
        blob = hashlib.sha256(body) if self.is_large(file) else hashlib.sha1(b"blob %d\0" % len(body) + body)
        return blob.hexdigest()

    def is_large(self, file: str) -> bool:
        return self.large or file.endswith(LARGE)

    def bodies(self) -> list[str]:
        """Return the files whose content was requested, in order."""
        return [request.split("/")[-1] for request in self.requests if re.match("GET .*/resolve/", request)]


class _Handler(BaseHTTPRequestHandler):
    @property
    def hub(self) -> FakeHub:
        return self.server.hub  # type: ignore[attr-defined]

    def do_GET(self) -> None:
        path = self._log_request()
        if path is None:
            return
        if path == "/api/whoami-v2":
            self._whoami()
        elif "/resolve/" in path:
            repo, _, rest = path.removeprefix("/").partition("/resolve/")
            self._resolve(repo, *rest.split("/", 1))
        elif match := re.fullmatch(r"/api/models/([^/]+/[^/]+)(?:/(revision|tree)/([^/]+))?", path):
            repo, what, revision = match.groups()
            if self._is_visible(repo, revision or "main"):
                self._json(self._tree(repo) if what == "tree" else self._information(repo))
        else:
            self._fail(404, "", "")

    do_HEAD = do_GET  # noqa: N815

    def do_POST(self) -> None:
        body = self._body()
        path = self._log_request()
        if path is None:
            return
        account = self._account()
        if path == "/api/validate-yaml":
            self._json({"errors": [], "warnings": []})
        elif account is None:
            self._fail(401, "", "Invalid user token.")
        elif not account.may_write:
            self._fail(403, "", "You don't have the rights to create a model")
        elif path == "/api/repos/create":
            self._create(json.loads(body), account)
        elif match := re.fullmatch(r"/api/models/(.+)/preupload/main", path):
            files = [file["path"] for file in json.loads(body)["files"]]
            modes = [
                {"path": file, "uploadMode": "lfs" if self.hub.is_large(file) else "regular"}
                for file in files
            ]
            self._json({"files": [{"shouldIgnore": False, **mode} for mode in modes]})
        elif path.endswith(".git/info/lfs/objects/batch"):
            uploads = [{"oid": item["oid"], "size": item["size"]} for item in json.loads(body)["objects"]]
            for upload in uploads:
                upload["actions"] = {"upload": {"href": f"{self.hub.url}/storage/{upload['oid']}"}}
            self._json({"transfer": "basic", "objects": uploads})
        elif match := re.fullmatch(r"/api/models/(.+)/commit/main", path):
            self._commit(match[1], [json.loads(line) for line in body.splitlines()])
        else:
            self._fail(404, "", "")

    def do_PUT(self) -> None:
        body = self._body()
        if self._log_request() is not None:
            self.hub.uploaded[hashlib.sha256(body).hexdigest()] = body
            self._json({})

    def _log_request(self) -> str | None:
        """Record a request; return its path, or None if it has been answered with a fault."""
        path = unquote(urlsplit(self.path).path)
        self.hub.requests.append(f"{self.command} {path}")
        self.hub.headers.append({name.lower(): value for name, value in self.headers.items()})
        if self.hub.silent == self.command:
            raise ConnectionAbortedError(self.rfile.read(1))  # when the client has given up
        status = next((code for part, code in self.hub.statuses.items() if part in path), self.hub.status)
        if status:
            return self._fail(status, "", "")
        return path

    def _account(self) -> Account | None:
        return self.hub.accounts.get((self.headers.get("authorization") or "").removeprefix("Bearer "))

    def _is_visible(self, repo: str, revision: str) -> bool:
        account = self._account()
        hidden = repo in self.hub.private and (account is None or repo.split("/")[0] != account.name)
        if repo not in self.hub.files or hidden:
            # The Hub does not reveal to strangers which repositories are private.
            self._fail(401, "RepoNotFound", "Repository not found")
        elif revision not in {"main", "v1", self.hub.commit_of(repo)}:
            self._fail(404, "RevisionNotFound", "Invalid rev id")
        else:
            return True
        return False

    def _whoami(self) -> None:
        account = self._account()
        if account is None:
            self._fail(401, "", "Invalid credentials in Authorization header")
        else:
            role = "write" if account.may_write else "read"
            self._json(
                {"type": "user", "name": account.name, "orgs": [], "auth": {"accessToken": {"role": role}}}
            )

    def _information(self, repo: str) -> dict[str, Any]:
        return {
            "_id": "0" * 24,
            "id": repo,
            "sha": self.hub.commit_of(repo),
            "private": repo in self.hub.private,
            "gated": "auto" if repo in self.hub.gated else False,
            "cardData": self.hub.cards.get(repo),
            "siblings": [{"rfilename": file} for file in self.hub.files[repo]],
        }

    def _tree(self, repo: str) -> list[dict[str, Any]]:
        entries = []
        for file, body in self.hub.files[repo].items():
            entry: dict[str, Any] = {"type": "file", "path": file, "size": len(body)}
            entry["oid"] = hashlib.sha1(b"blob %d\0" % len(body) + body).hexdigest()
            if self.hub.is_large(file):
                digest = self.hub.digest(file, body)
                entry["lfs"] = {"oid": digest, "size": len(body), "pointerSize": 130}
            entries.append(entry)
        return entries

    def _resolve(self, repo: str, revision: str, file: str) -> None:
        if not self._is_visible(repo, revision):
            return
        if repo in self.hub.gated or repo.removeprefix("datasets/") in self.hub.gated:
            self._fail(403, "GatedRepo", "Access to this repository is restricted")
        elif file not in self.hub.files[repo]:
            self._fail(404, "EntryNotFound", "Entry not found")
        else:
            self._serve(repo, file, self.hub.files[repo][file])

    def _serve(self, repo: str, file: str, body: bytes) -> None:
        hub, size = self.hub, len(body)
        if self.command == "HEAD":
            size = hub.claimed.get(file, size)
        byte_range = re.match(r"bytes=(\d+)-", self.headers.get("Range") or "")
        start = int(byte_range[1]) if byte_range else 0
        self.send_response(206 if byte_range else 200)
        self.send_header("ETag", f'"{hub.digest(file, body)}"')
        self.send_header("X-Repo-Commit", hub.commit_of(repo))
        self.send_header("Content-Length", str(size - start))
        if byte_range:
            self.send_header("Content-Range", f"bytes {start}-{size - 1}/{size}")
        self.end_headers()
        if self.command == "HEAD":
            return
        if hub.corrupted or file in hub.damaged:
            body = body[:-1] + bytes([body[-1] ^ 1])
        if hub.truncated:
            body = body[: len(body) // 2]
        is_slow = not hub.slow or file in hub.slow
        step = max(1, len(body) // (1000 if is_slow and hub.trickle else 2))
        with contextlib.suppress(OSError):  # the client has given up, as it should
            for position in range(start, len(body), step):
                self.wfile.write(body[position : position + step])
                if is_slow:
                    hub.gate.wait()
                    time.sleep(hub.trickle)

    def _create(self, order: dict[str, Any], account: Account) -> None:
        owner = order.get("organization") or account.name
        repo = f"{owner}/{order['name']}"
        if owner != account.name:
            self._fail(403, "", "You don't have the rights to create a model under this namespace")
        elif repo in self.hub.files:
            self._fail(409, "", "You already created this model repo")
        else:
            self.hub.files[repo] = {".gitattributes": b"*.safetensors filter=lfs\n"}
            if order.get("visibility") == "private" or order.get("private"):
                self.hub.private.add(repo)
            self._json({"url": f"{self.hub.url}/{repo}"})

    def _commit(self, repo: str, lines: list[dict[str, Any]]) -> None:
        for line in lines:
            value = line["value"]
            if line["key"] == "file":
                self.hub.files[repo][value["path"]] = base64.b64decode(value["content"])
            elif line["key"] == "lfsFile":
                self.hub.files[repo][value["path"]] = self.hub.uploaded[value["oid"]]
        commit = hashlib.sha1(repr(sorted(self.hub.files[repo].items())).encode()).hexdigest()
        self.hub.commits[repo] = commit
        address = f"{self.hub.url}/{repo}/commit/{commit}"
        self._json({"success": True, "commitOid": commit, "commitUrl": address})

    def _body(self) -> bytes:
        length = self.headers.get("Content-Length")
        if length is not None:
            return self.rfile.read(int(length))
        pieces = []
        while size := int(self.rfile.readline(), 16):  # a body in chunks, each after its length
            pieces.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(pieces)

    def _json(self, answer: object) -> None:
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _fail(self, status: int, code: str, message: str) -> None:
        body = json.dumps({"error": message}).encode() if self.command in ("POST", "PUT") else b""
        self.send_response(status)
        if code:
            self.send_header("X-Error-Code", code)
        if message:
            self.send_header("X-Error-Message", message)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Print nothing."""
