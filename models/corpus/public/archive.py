"""The text of a downloaded file, or of one member of a downloaded zip archive, within limits."""

from __future__ import annotations

import lzma
import re
import struct
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from models.corpus.pairs import DataError
from models.corpus.public.catalogue import PublicFile
from models.errors import UnrolledError

MAX_UNPACKED_BYTES = 200_000_000
_READ_BYTES = 1 << 20  # read at once
# The errors that zipfile and its decompressors raise for damaged archives.
_ZIP_ERRORS = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
    *(EOFError, OSError, RuntimeError, ValueError),
)
_HTML = re.compile(rb"\s*<(!doctype html|html|head|body)\b", re.IGNORECASE)


class _DamagedError(UnrolledError):
    """A file that cannot be read; the message is the end of a sentence that begins with the file's name."""


def read_text(path: Path, file: PublicFile, target: Path | None = None) -> str:
    """The text of a published file that was stored at `path`. Raises DataError with what to do.

    `target` is the path where a person should put the file. One member of an archive is read into memory and
    none is unpacked to disk, so names in the archive cannot lead out of a folder.
    """
    try:
        return _decode(_content(path, file))
    except _DamagedError as error:
        raise DataError(
            "download_damaged",
            "{file} {problem}: fetch {url} again, with a browser if need be, as {place}",
            file=file.name,
            problem=error,
            url=file.url,
            place=target or path,
        ) from error
    except OSError as error:
        raise DataError(
            "file_not_permitted",
            "{file} cannot be read ({reason}): look at its permissions",
            file=path,
            reason=error.strerror or error,
        ) from error


def _decode(content: bytes) -> str:
    if _HTML.match(content[:1000]):
        raise _DamagedError("web_page", "is a web page")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise _DamagedError("not_utf8_in_line", "is not UTF-8 in line {line}", line=line) from error


def _content(path: Path, file: PublicFile) -> bytes:
    if not file.member:
        if path.stat().st_size > MAX_UNPACKED_BYTES:
            raise _DamagedError(
                "too_large_to_read", "has more than {limit} MB", limit=MAX_UNPACKED_BYTES // 1_000_000
            )
        return path.read_bytes()
    with path.open("rb") as stream:
        if _HTML.match(stream.read(1000)):
            raise _DamagedError("web_page_for_archive", "is a web page, not a zip archive")
    try:
        with zipfile.ZipFile(path) as archive:
            return _member(archive, file)
    except _ZIP_ERRORS as error:
        raise _DamagedError("zip_damaged", "is a damaged zip archive ({reason})", reason=error) from error


def _member(archive: zipfile.ZipFile, file: PublicFile) -> bytes:
    for name in archive.namelist():
        if ".." in PurePosixPath(name.replace("\\", "/")).parts or re.match(r"[/\\]|[A-Za-z]:", name):
            raise _DamagedError(
                "zip_leads_out", "holds the name {name}, which leads out of it", name=repr(name[:60])
            )
    # A mirror may have packed the member within a folder.
    names = [name for name in archive.namelist() if PurePosixPath(name).name == file.member]
    if len(names) != 1:
        if names:
            raise _DamagedError("zip_with_several", "holds more than one {name}", name=file.member)
        raise _DamagedError("zip_without", "holds no {name}", name=file.member)
    parts, size = [], 0
    with archive.open(names[0]) as member:
        while part := member.read(_READ_BYTES):
            size += len(part)  # counted here, since the size in an archive may be wrong
            if size > MAX_UNPACKED_BYTES:
                raise _DamagedError(
                    "zip_unpacks_too_large",
                    "unpacks to more than {limit} MB",
                    limit=MAX_UNPACKED_BYTES // 1_000_000,
                )
            parts.append(part)
    return b"".join(parts)
