"""The download of one file over HTTP: checked as it arrives, and moved to its path only when complete."""

from __future__ import annotations

import contextlib
import http.client
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import IO, TextIO
from urllib.parse import urlsplit

from models.corpus.pairs import DataError

# Some publishers refuse clients that do not name themselves.
USER_AGENT = "Mozilla/5.0 (compatible; Unrolled; prepares training corpora)"
_READ_BYTES = 1 << 16  # read at once, at most
SILENCE_SECONDS = 20.0  # a download is given up that cannot connect, or gets no byte, for so long
MAX_DOWNLOAD_SECONDS = 600.0
_LINE_EVERY_SHARE, _LINE_EVERY_BYTES = 0.25, 5_000_000  # bytes: if the size is unknown
MAX_LENGTH_DIGITS = 18  # digits of a content length; Python refuses to convert thousands of them

Progress = Callable[[int, int | None], None]  # bytes so far, bytes of the whole file if known


class ProgressLines:
    """Writes a line at the beginning of a file, at each quarter or 5 MB, and at the end."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self._last_stage: dict[str, int] = {}

    def __call__(self, name: str, done: int, total: int | None) -> None:
        """Report `done` of `total` bytes of the file `name`; `total` is None if unknown."""
        stage = int(done / total / _LINE_EVERY_SHARE) if total else done // _LINE_EVERY_BYTES
        if self._last_stage.get(name) == stage:
            return
        self._last_stage[name] = stage
        total_text = f" of {total / 1e6:.1f}" if total else ""
        self.stream.write(f"{name}: {done / 1e6:.1f}{total_text} MB\n")
        self.stream.flush()


class _SafeRedirects(urllib.request.HTTPRedirectHandler):
    """A handler that refuses redirects from https to anything else, and from http to other schemes."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        if urlsplit(newurl).scheme not in {"https", urlsplit(req.full_url).scheme}:
            raise urllib.error.URLError("a redirect away from https")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def download(
    url: str,
    target: Path,
    max_bytes: int,
    check: Callable[[Path], object],
    progress: Progress = lambda done, total: None,
) -> None:
    """Fetch `url` to `target`. `check` gets the path of the download, and refuses it by a DataError.

    If anything goes wrong, raises DataError with what to do, and leaves `target` unchanged.
    """
    if urlsplit(url).scheme not in {"http", "https"}:
        raise DataError(
            "no_https_address",
            "{url} is not an address to download from: it must begin with https://",
            url=url[:100],
        )
    remedy = f"try again later, or download {url} with a browser and put it at {target}"
    partial = target.with_name(f"{target.name}.{uuid.uuid4().hex[:8]}.partial")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("xb") as file:
            _fetch(url, file, max_bytes, remedy, progress)
        check(partial)
        partial.replace(target)
    except OSError as error:
        raise DataError(
            "download_not_stored",
            "{file} cannot be stored ({reason}): free some space on the disk, or choose another "
            "folder by UNROLLED_CORPORA",
            file=target,
            reason=error.strerror or error,
        ) from error
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)


def _fetch(url: str, file: IO[bytes], max_bytes: int, remedy: str, progress: Progress) -> None:
    name, host = Path(urlsplit(url).path).name, urlsplit(url).netloc
    deadline = time.monotonic() + MAX_DOWNLOAD_SECONDS
    received_bytes = 0
    with _open(url, host, name, remedy) as response:
        length = response.headers.get("Content-Length", "")
        total = int(length) if length.isdecimal() and len(length) <= MAX_LENGTH_DIGITS else None
        while True:
            # A publisher that sends its answer in chunks may send more than the content length.
            if max(total or 0, received_bytes) > max_bytes:
                raise DataError(
                    "download_too_large",
                    "{file} of {host} has more than {limit} MB, so it is not the expected file: {remedy}",
                    file=name,
                    host=host,
                    limit=max_bytes // 1_000_000,
                    remedy=remedy,
                )
            if time.monotonic() > deadline:
                raise DataError(
                    "download_late",
                    "{file} did not arrive within {seconds} s: {remedy}",
                    file=name,
                    seconds=f"{MAX_DOWNLOAD_SECONDS:.0f}",
                    remedy=remedy,
                )
            part = _read(response, host, name, remedy)
            if not part:
                break
            received_bytes += len(part)
            if total is not None and received_bytes > total:
                raise DataError(
                    "download_too_long",
                    "{host} sends more of {file} than the {count} bytes that it announced: {remedy}",
                    host=host,
                    file=name,
                    count=f"{total:,}",
                    remedy=remedy,
                )
            file.write(part)
            progress(received_bytes, total)
    if total is not None and received_bytes != total:
        raise DataError(
            "download_broke_off",
            "{file} broke off after {done} of {total} bytes: {remedy}",
            file=name,
            done=f"{received_bytes:,}",
            total=f"{total:,}",
            remedy=remedy,
        )


def _read(response: http.client.HTTPResponse, host: str, name: str, remedy: str) -> bytes:
    try:
        # `read1` returns what has arrived; `read` could wait for a slow server beyond the deadline.
        return response.read1(_READ_BYTES)
    except (OSError, http.client.HTTPException) as error:
        raise DataError(
            "download_stopped",
            "{host} stopped sending {file} ({reason}): {remedy}",
            host=host,
            file=name,
            reason=_reason(error),
            remedy=remedy,
        ) from error


def _open(url: str, host: str, name: str, remedy: str) -> http.client.HTTPResponse:
    request = urllib.request.Request(url, headers={"User-Agent": USER_AGENT, "Accept": "*/*"})
    opener = urllib.request.build_opener(_SafeRedirects)
    try:
        response = opener.open(request, timeout=SILENCE_SECONDS)
    except urllib.error.HTTPError as error:
        error.close()
        raise DataError(
            "download_refused",
            "{host} answered with error {status} for {file}: {remedy}",
            host=host,
            status=error.code,
            file=name,
            remedy=remedy,
        ) from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise DataError(
            "download_unreachable",
            "{host} cannot be reached for {file} ({reason}): {remedy}",
            host=host,
            file=name,
            reason=_reason(error),
            remedy=remedy,
        ) from error
    assert isinstance(response, http.client.HTTPResponse)  # other schemes than HTTP are refused above
    return response


def _reason(error: Exception) -> str:
    cause = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(cause, TimeoutError):
        return "no answer in time"
    return str(getattr(cause, "strerror", None) or cause) or type(cause).__name__
