"""Gzip archives, unpacked up to a limit."""

from __future__ import annotations

import zlib

from models.corpus.pairs import DataError

GZIP_MAGIC = b"\x1f\x8b"
_GZIP_WBITS = 31  # zlib then expects the header and checksum of gzip
_UNPACKED_BYTES = 1 << 20  # unpacked at once, at most
_INPUT_BYTES = 1 << 12  # passed to zlib at once; it copies what follows a member


def unpack(content: bytes, name: str, max_bytes: int) -> bytes:
    """Unpack an archive of one or more members.

    Raises DataError if it unpacks to more than `max_bytes`, is cut off, or is damaged.
    """
    parts: list[bytes] = []
    size = index = 0
    # Other bytes after the members are padding, usually zeros; the gzip program ignores them too.
    while content.startswith(GZIP_MAGIC, index) or not parts:
        member = zlib.decompressobj(_GZIP_WBITS)
        while not member.eof:
            window = content[index : index + _INPUT_BYTES]
            try:
                part = member.decompress(window, _UNPACKED_BYTES)
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
