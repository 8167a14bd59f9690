"""One file over HTTP: looked at while it comes, and in its place only when it has come whole."""

from __future__ import annotations

import contextlib
import http.client
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

from models.corpus.pairs import DataError

# Says who asks: some publishers refuse clients that do not.
USER_AGENT = "Mozilla/5.0 (compatible; Unrolled; prepares training corpora)"
_STEP = 1 << 16
MOST_DIGITS = 18  # of a length; none is longer, and Python refuses to read thousands

Progress = Callable[[int, int | None], None]  # bytes so far, and of the whole where it is known


@dataclass(frozen=True)
class Patience:
    """Seconds after which a download is given up."""

    silence: float = 20.0  # to connect, or without a byte
    whole: float = 600.0


class _SafeRedirects(urllib.request.HTTPRedirectHandler):
    """Follows no redirect from https to anything else, nor from http to what is neither."""

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
    *,
    patience: Patience | None = None,
    progress: Progress = lambda done, total: None,
) -> None:
    """Fetches `url` to `target` if `check`, which raises DataError, allows what has come.

    Raises DataError, with what to do, for all that goes wrong; then `target` is as it was.
    """
    if urlsplit(url).scheme not in {"http", "https"}:
        raise DataError(f"{url[:100]} is no address to download from: it must begin with https://")
    remedy = f"try again later, or download {url} with a browser and put it at {target}"
    partial = target.with_name(f"{target.name}.{uuid.uuid4().hex[:8]}.partial")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("xb") as file:
            _fetch(url, file, max_bytes, remedy, patience or Patience(), progress)
        check(partial)
        partial.replace(target)
    except OSError as error:
        raise DataError(
            f"{target} cannot be stored ({error.strerror or error}): free some space on the disk, or choose "
            "another folder by UNROLLED_CORPORA"
        ) from error
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)


def _fetch(
    url: str, file: IO[bytes], max_bytes: int, remedy: str, patience: Patience, progress: Progress
) -> None:
    name, host = Path(urlsplit(url).path).name, urlsplit(url).netloc
    deadline = time.monotonic() + patience.whole
    done = 0
    with _opened(url, host, name, remedy, patience) as response:
        length = response.headers.get("Content-Length", "")
        total = int(length) if length.isdecimal() and len(length) <= MOST_DIGITS else None
        while True:
            # A publisher that cuts its answer into chunks may send more than the length that it told.
            if max(total or 0, done) > max_bytes:
                raise DataError(
                    f"{name} of {host} has more than {max_bytes // 1_000_000} MB, so it is something else "
                    f"than expected: {remedy}"
                )
            if time.monotonic() > deadline:
                raise DataError(f"{name} did not arrive within {patience.whole:.0f} s: {remedy}")
            try:
                # No more than has come: a full read would wait for a slow server beyond the deadline.
                part = response.read1(_STEP)
            except (OSError, http.client.HTTPException) as error:
                raise DataError(f"{host} stopped sending {name} ({_reason(error)}): {remedy}") from error
            if not part:
                break
            done += len(part)
            if total is not None and done > total:
                raise DataError(f"{host} sends more of {name} than the {total:,} bytes it told: {remedy}")
            file.write(part)
            progress(done, total)
    if total is not None and done != total:
        raise DataError(f"{name} broke off after {done:,} of {total:,} bytes: {remedy}")


def _opened(url: str, host: str, name: str, remedy: str, patience: Patience) -> http.client.HTTPResponse:
    request = urllib.request.Request(url, headers={"User-Agent": USER_AGENT, "Accept": "*/*"})
    opener = urllib.request.build_opener(_SafeRedirects)
    try:
        response = opener.open(request, timeout=min(patience.silence, patience.whole))
    except urllib.error.HTTPError as error:
        error.close()
        raise DataError(f"{host} answered with error {error.code} for {name}: {remedy}") from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise DataError(f"{host} cannot be reached for {name} ({_reason(error)}): {remedy}") from error
    assert isinstance(response, http.client.HTTPResponse)  # the only schemes allowed are those of HTTP
    return response


def _reason(error: Exception) -> str:
    cause = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(cause, TimeoutError):
        return "no answer in time"
    return str(getattr(cause, "strerror", None) or cause) or type(cause).__name__
