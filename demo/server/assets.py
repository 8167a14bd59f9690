"""The page's own files, at addresses that hide their folders: `unrolled/NAME/VERSION/FILE`.

The version is a digest of the folder, so that a browser may cache the files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from http import HTTPStatus
from pathlib import Path, PurePosixPath

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

ASSETS = "/unrolled/"
# Types of served files, by suffix. Browsers run modules of these types only, and the tables of the operating
# system are not always right.
MEDIA_TYPES = {
    ".js": "text/javascript",
    ".css": "text/css",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
}
FOR_A_YEAR = "public, max-age=31536000, immutable"
ASK_AGAIN = "no-cache"  # the header of another version: the page was made before the server was restarted


@dataclass(frozen=True)
class AssetFolder:
    """Files of a folder, with their version."""

    path: Path | None  # None for a text
    files: Mapping[str, Path | bytes]  # contents by relative path, with forward slashes

    @cached_property
    def version(self) -> str:
        """12 hexadecimal digits that change with any of the files."""
        digest = hashlib.sha256()
        for name, file in self.files.items():
            content = file if isinstance(file, bytes) else file.read_bytes()
            digest.update(f"{name}\0".encode() + hashlib.sha256(content).digest())
        return digest.hexdigest()[:12]


_FOLDERS: dict[str, AssetFolder] = {}


def register_folder(name: str, path: Path, only: Collection[str] | None = None) -> None:
    """Serve the files below `path` with a suffix in `MEDIA_TYPES`, or `only` these. May be repeated.

    The files may load each other by relative addresses, which keep the version. Raises ValueError if the
    name stands for other files already, FileNotFoundError if one of `only` is missing.
    """
    folder = AssetFolder(path, dict(sorted(_files(path, only))))
    if _FOLDERS.setdefault(name, folder) != folder:
        raise ValueError(f"the name {name!r} already stands for {_FOLDERS[name].path}")


def register_text(name: str, file: str, text: str) -> None:
    """Serve a text, made together with the page, as a file; a later text replaces it."""
    folder = AssetFolder(None, {file: text.encode()})
    if folder != _FOLDERS.get(name):
        _FOLDERS[name] = folder


def address(name: str, file: str) -> str:
    """The address of a file relative to the page, whose own address a proxy may change.

    Raises KeyError if the folder was not registered or lacks the file.
    """
    folder = _FOLDERS[name]
    if file not in folder.files:
        raise KeyError(f"{folder.path} gives out no file {file}")
    return f"{ASSETS.removeprefix('/')}{name}/{folder.version}/{file}"


def assets_route() -> Route:
    """The route of registered files."""
    return Route(f"{ASSETS}{{name}}/{{version}}/{{file:path}}", _answer, methods=["GET"])


def _answer(request: Request) -> Response:
    parameters = request.path_params
    folder = _FOLDERS.get(parameters["name"])
    # Looked up by name, never joined to a path, so only registered files are served.
    file = None if folder is None else folder.files.get(parameters["file"])
    if folder is None or file is None:
        return PlainTextResponse("There is nothing at this address.", HTTPStatus.NOT_FOUND)
    cache_control = FOR_A_YEAR if parameters["version"] == folder.version else ASK_AGAIN
    media_type = MEDIA_TYPES[PurePosixPath(parameters["file"]).suffix]
    headers = {"Cache-Control": cache_control}
    if isinstance(file, bytes):
        return Response(file, media_type=media_type, headers=headers)
    return FileResponse(file, media_type=media_type, headers=headers)


def _files(path: Path, only: Collection[str] | None) -> Iterator[tuple[str, Path]]:
    if only is None:
        files = (item for item in path.rglob("*") if item.suffix in MEDIA_TYPES and item.is_file())
        yield from ((item.relative_to(path).as_posix(), item) for item in files)
        return
    for name in only:
        if not (path / name).is_file():
            raise FileNotFoundError(f"{path} has no file {name}")
        yield name, path / name
