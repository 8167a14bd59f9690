"""The page's own files, at addresses that say nothing of where they lie: `unrolled/NAME/VERSION/FILE`.

The version is a digest of the folder, so that a browser may keep what it has fetched. Knows no view.
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
# What is given out, by its suffix, and as what. Browsers run no module of another type, and the tables of
# the operating system do not always say so.
TYPES = {
    ".js": "text/javascript",
    ".css": "text/css",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
}
FOR_A_YEAR = "public, max-age=31536000, immutable"
ASK_AGAIN = "no-cache"  # of a version that is not ours: the page was made before the server was restarted


@dataclass(frozen=True)
class Folder:
    """Some files of one folder."""

    path: Path | None  # None for texts that lie in no folder
    files: Mapping[str, Path | bytes]  # by how an address names them: relative, with forward slashes

    @cached_property
    def version(self) -> str:
        """12 hexadecimal digits that differ when any of the files does."""
        digest = hashlib.sha256()
        for name, file in self.files.items():
            content = file if isinstance(file, bytes) else file.read_bytes()
            digest.update(f"{name}\0".encode() + hashlib.sha256(content).digest())
        return digest.hexdigest()[:12]


_FOLDERS: dict[str, Folder] = {}


def register_folder(name: str, path: Path, only: Collection[str] | None = None) -> None:
    """Give out the files below `path` whose suffix `TYPES` knows, or `only` these; again is no mistake.

    The files may load each other by relative addresses, which keep the version. Raises ValueError if the
    name stands for other files already, FileNotFoundError if one of `only` is missing.
    """
    folder = Folder(path, dict(sorted(_found(path, only))))
    if _FOLDERS.setdefault(name, folder) != folder:
        raise ValueError(f"the name {name!r} already stands for {_FOLDERS[name].path}")


def register_text(name: str, file: str, text: str) -> None:
    """Give out a text that was put together when the page was, as a file; another one takes its place."""
    folder = Folder(None, {file: text.encode()})
    if folder != _FOLDERS.get(name):
        _FOLDERS[name] = folder


def address(name: str, file: str) -> str:
    """Where a browser finds a file, relative to the page: a proxy may know the page by any address.

    Raises KeyError if no such folder was registered, or it has no such file.
    """
    folder = _FOLDERS[name]
    if file not in folder.files:
        raise KeyError(f"{folder.path} gives out no file {file}")
    return f"{ASSETS.removeprefix('/')}{name}/{folder.version}/{file}"


def assets_route() -> Route:
    """What answers requests for registered files."""
    return Route(f"{ASSETS}{{name}}/{{version}}/{{file:path}}", _answer, methods=["GET"])


def _answer(request: Request) -> Response:
    asked = request.path_params
    folder = _FOLDERS.get(asked["name"])
    # Looked up by its name, never joined to a path: nothing but what was found at the start is given out.
    file = None if folder is None else folder.files.get(asked["file"])
    if folder is None or file is None:
        return PlainTextResponse("There is nothing here.", HTTPStatus.NOT_FOUND)
    kept = FOR_A_YEAR if asked["version"] == folder.version else ASK_AGAIN
    media_type = TYPES[PurePosixPath(asked["file"]).suffix]
    headers = {"Cache-Control": kept}
    if isinstance(file, bytes):
        return Response(file, media_type=media_type, headers=headers)
    return FileResponse(file, media_type=media_type, headers=headers)


def _found(path: Path, only: Collection[str] | None) -> Iterator[tuple[str, Path]]:
    if only is None:
        yield from ((item.relative_to(path).as_posix(), item) for item in path.rglob("*") if _is_given(item))
        return
    for name in only:
        if not (path / name).is_file():
            raise FileNotFoundError(f"{path} has no file {name}")
        yield name, path / name


def _is_given(path: Path) -> bool:
    return path.suffix in TYPES and path.is_file()
