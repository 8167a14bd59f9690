"""Outputs that visitors corrected, to tune a model on: one file for each visitor."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path

from filelock import FileLock

from models.corpus.pairs import DataError, Pair, clean_text
from models.errors import Message
from models.records import record
from models.whole_file import opener, read_bytes

MAX_CORRECTIONS = 1_000
MAX_STORED_BYTES = 64 << 20  # more than all corrections of a visitor
MAX_TEXT_CHARACTERS = 500  # each text: source, correction and output
_VISITOR_ID = re.compile(r"[0-9a-f]{32}")
_FILE_NAME = "corrections.jsonl"


@dataclass(frozen=True)
class Correction:
    """One output that a visitor corrected."""

    id: str  # 32 hexadecimal digits
    source: str
    correction: str
    model_output: str
    checkpoint: str
    time: str  # ISO 8601, UTC


class CorrectionSet:
    """The corrections of one visitor; any number of threads and servers may use it at the same time."""

    def __init__(self, folder: Path, visitor: str) -> None:
        """Find the folder of a visitor.

        visitor: 32 hexadecimal digits; only their hash is stored. Raises DataError for any other text.
        """
        if not _VISITOR_ID.fullmatch(visitor):
            raise DataError(
                "visitor_unknown", "visitor must be 32 hexadecimal digits: reload the page to get a new one"
            )
        self.path = folder / hashlib.sha256(visitor.encode()).hexdigest() / _FILE_NAME
        self._lock_file = folder.with_name(f"{folder.name}.lock")

    def add(self, source: str, correction: str, model_output: str, checkpoint: str) -> Correction:
        """Store one correction. Raises DataError for an empty or long text, a full set or a full disk."""
        new = Correction(
            id=uuid.uuid4().hex,
            source=_check_text(Message("the_source", "the source"), source),
            correction=_check_text(Message("the_correction", "the correction"), correction),
            model_output=_check_text(
                Message("the_model_output", "the model's output"), model_output, may_be_empty=True
            ),
            checkpoint=checkpoint,
            time=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        )
        with self._exclusively():
            if len(self._read()) >= MAX_CORRECTIONS:
                raise DataError(
                    "corrections_full",
                    "there are {limit} corrections, the maximum: remove some",
                    limit=f"{MAX_CORRECTIONS:,}",
                )
            self._append(new)
        return new

    def all(self, checkpoint: str | None = None) -> tuple[Correction, ...]:
        """The corrections of all checkpoints or of one, the oldest first. Raises DataError if unreadable."""
        return tuple(item for item in self._read() if checkpoint is None or item.checkpoint == checkpoint)

    def pairs(self, checkpoint: str | None = None) -> tuple[Pair, ...]:
        """The (source, correction) pairs to train on; the latest correction of a source counts."""
        return tuple({item.source: item.correction for item in self.all(checkpoint)}.items())

    def remove(self, identity: str) -> None:
        """Remove the correction with this id. Raises DataError if no correction has it."""
        with self._exclusively():
            corrections = self._read()
            remaining = [item for item in corrections if item.id != identity]
            if len(remaining) == len(corrections):
                raise DataError("correction_gone", "this correction is gone already: reload the list")
            self._write(remaining)

    def clear(self) -> None:
        """Remove all corrections and the visitor's folder. Raises DataError if the disk refuses."""
        with self._exclusively(), _storing():
            self.path.unlink(missing_ok=True)
            with contextlib.suppress(FileNotFoundError):
                self.path.parent.rmdir()

    @contextlib.contextmanager
    def _exclusively(self) -> Iterator[None]:
        """Lock the corrections against changes by other threads and processes. Raises DataError."""
        with _storing():
            self._lock_file.parent.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self._lock_file).acquire()
        with lock:
            yield

    def _read(self) -> list[Correction]:
        try:
            lines = read_bytes(self.path, MAX_STORED_BYTES).split(b"\n")
        except FileNotFoundError:
            return []
        except OSError as error:
            raise DataError(
                "corrections_unreadable",
                "the corrections cannot be read ({reason}): try again",
                reason=error.strerror,
            ) from error
        return [result for line in lines if (result := _parse_line(line)) is not None]

    def _append(self, new: Correction) -> None:
        line = _line(new)
        with _storing():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with open(self.path, "ab", buffering=0, opener=opener) as file:
                size = file.tell()
                # A crash may have left an incomplete last line; it must not spoil the new one.
                line = line if size == 0 or self._ends_with_newline() else b"\n" + line
                try:
                    if file.write(line) != len(line):
                        raise OSError(28, "No space left on device")
                    os.fsync(file.fileno())
                except OSError:
                    file.truncate(size)
                    raise

    def _ends_with_newline(self) -> bool:
        with self.path.open("rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read(1) == b"\n"

    def _write(self, corrections: Sequence[Correction]) -> None:
        """Replace the file in one step, so that a crash leaves the old or the new one."""
        partial = self.path.with_suffix(".partial")
        try:
            with _storing(), partial.open("wb") as file:
                file.writelines(_line(correction) for correction in corrections)
                file.flush()
                os.fsync(file.fileno())
                partial.replace(self.path)
        except DataError:
            with contextlib.suppress(OSError):
                partial.unlink()
            raise


def _check_text(name: Message, text: str, *, may_be_empty: bool = False) -> str:
    text = clean_text(text)
    if not text and not may_be_empty:
        raise DataError("correction_empty", "{part} is empty: write what the model should learn", part=name)
    if len(text) > MAX_TEXT_CHARACTERS:
        raise DataError(
            "correction_too_long",
            "{part} has {count} characters: shorten it to {limit}",
            part=name,
            count=f"{len(text):,}",
            limit=MAX_TEXT_CHARACTERS,
        )
    return text


def _line(correction: Correction) -> bytes:
    return json.dumps(asdict(correction), ensure_ascii=False).encode() + b"\n"


def _parse_line(line: bytes) -> Correction | None:
    """The correction of a line, None for an incomplete line."""
    try:
        return record(Correction, json.loads(line))
    except (ValueError, RecursionError):
        return None


@contextlib.contextmanager
def _storing() -> Iterator[None]:
    """Turn errors of the disk into DataError."""
    try:
        yield
    except OSError as error:
        raise DataError(
            "corrections_not_stored",
            "the corrections cannot be stored ({reason}): free some disk space, or try later",
            reason=error.strerror,
        ) from error
