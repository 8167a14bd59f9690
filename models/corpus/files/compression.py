"""Gzip, unpacked no further than a limit, however small the archive is."""

from __future__ import annotations

import zlib

from models.corpus.pairs import DataError

MAGIC = b"\x1f\x8b"
_GZIP_HEADER = 31  # the `wbits` by which zlib expects the header and checksum of gzip
_STEP = 1 << 20
_WINDOW = 1 << 12  # what is handed over at once: zlib copies the rest of it after each member


def unpack(content: bytes, name: str, max_bytes: int) -> bytes:
    """The bytes of all members. Raises DataError if they are more than `max_bytes`, cut off or damaged."""
    parts: list[bytes] = []
    size = index = 0
    # What follows the members, zeros usually, is padding, as for the gzip program.
    while content.startswith(MAGIC, index) or not parts:
        member = zlib.decompressobj(_GZIP_HEADER)
        while not member.eof:
            window = content[index : index + _WINDOW]
            try:
                part = member.decompress(window, _STEP)
            except zlib.error as error:
                raise DataError(
                    "gzip_damaged",
                    "{name} is a damaged gzip archive ({reason}): download or pack it again",
                    name=name,
                    reason=error,
                ) from error
            index += len(window) - len(member.unconsumed_tail) - len(member.unused_data)
            size += len(part)
            if size > max_bytes:
                raise DataError(
                    "unpacks_too_large",
                    "{name} unpacks to more than {limit} MB: take a part of the file",
                    name=name,
                    limit=max_bytes // 1_000_000,
                )
            parts.append(part)
            if index == len(content) and not member.eof:
                raise DataError(
                    "gzip_cut_off",
                    "{name} is a gzip archive that is cut off: download or pack it again",
                    name=name,
                )
    return b"".join(parts)
