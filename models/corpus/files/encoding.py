"""The text in the bytes of a file, which may be a gzip archive.

The encoding is that of the byte order mark, else UTF-8, UTF-16 or Windows-1252 if the bytes fit.

Any bytes are a text in most one-byte encodings, so a wrong guess would spoil a corpus unnoticed. If the
encoding is not evident, the file is refused, and the user chooses one of ENCODINGS.
"""

from __future__ import annotations

import codecs
import re
import zlib

from models.corpus.pairs import DataError
from models.errors import Message, not_one_of

# Codecs that a user may choose, with their names.
ENCODINGS: dict[str, str] = {
    "utf-8": "UTF-8",
    "utf-16": "UTF-16",
    "cp1252": "Windows-1252 (Western European)",
    "iso8859-15": "ISO 8859-15 (Western European)",
    "cp1250": "Windows-1250 (Central European)",
    "iso8859-2": "ISO 8859-2 (Central European)",
    "cp1251": "Windows-1251 (Cyrillic)",
    "koi8-r": "KOI8-R (Cyrillic)",
    "cp1253": "Windows-1253 (Greek)",
    "cp1254": "Windows-1254 (Turkish)",
    "cp1255": "Windows-1255 (Hebrew)",
    "cp1256": "Windows-1256 (Arabic)",
    "cp1257": "Windows-1257 (Baltic)",
    "cp1258": "Windows-1258 (Vietnamese)",
    "cp874": "Windows-874 (Thai)",
    "gb18030": "GB 18030 (Chinese)",
    "big5": "Big5 (Chinese)",
    "cp932": "Shift JIS (Japanese)",
    "euc-jp": "EUC-JP (Japanese)",
    "cp949": "EUC-KR (Korean)",
    "mac-roman": "Mac Roman (Western European)",
    "cp850": "DOS 850 (Western European)",
}
# UTF-32 comes first, since its mark begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# The first bytes of binary files, and what to do with each kind.
_BINARY = (
    (b"PAR1", Message("parquet_file", "a Parquet file: save its columns as TSV or CSV")),
    (b"%PDF", Message("pdf_document", "a PDF document: save its text as TSV or CSV")),
    (b"\x89PNG", Message("png_picture", "a PNG picture: choose a file of texts")),
    (b"\xff\xd8\xff", Message("jpeg_picture", "a JPEG picture: choose a file of texts")),
    (b"GIF8", Message("gif_picture", "a GIF picture: choose a file of texts")),
    (b"\xd0\xcf\x11\xe0", Message("old_office_file", "an old Excel or Word file: save it as CSV")),
    (b"SQLite format 3", Message("sqlite_database", "an SQLite database: export its table as CSV")),
    (b"BZh", Message("bzip2_archive", "a bzip2 archive: unpack it first, or compress it with gzip")),
    (b"\xfd7zXZ", Message("xz_archive", "an xz archive: unpack it first, or compress it with gzip")),
    (
        b"\x28\xb5\x2f\xfd",
        Message("zstandard_archive", "a Zstandard archive: unpack it first, or compress it with gzip"),
    ),
    (b"7z\xbc\xaf", Message("seven_zip_archive", "a 7-Zip archive: unpack it first")),
    (b"Rar!", Message("rar_archive", "a RAR archive: unpack it first")),
    (b"\x1f\x8b", Message("gzip_in_gzip", "a gzip archive within a gzip archive: unpack it first")),
)
# In Western European texts only these non-ASCII characters may follow a letter.
_WESTERN = "àáâãäåæçèéêëìíîïñòóôõöøùúûüÿßœÀÁÂÄÅÆÇÈÉÊËÎÏÑÓÔÖØÚÜŒ"
_AFTER_LETTER = _WESTERN + "’”»“›…–—ªº°·™®€\N{NO-BREAK SPACE}"
_FOREIGN = re.compile(rf"(?<=[a-zA-Z{_WESTERN}])[^\x00-\x7f{_AFTER_LETTER}]|[{_WESTERN}]{{3}}|[¡¿]\s")
GZIP_MAGIC = b"\x1f\x8b"
_GZIP_WBITS = 31  # zlib then expects the header and checksum of gzip
_UNPACKED_BYTES = 1 << 20  # unpacked at once, at most
_INPUT_BYTES = 1 << 12  # passed to zlib at once; it copies what follows a member


def decode_text(content: bytes, name: str, encoding: str | None = None) -> tuple[str, str]:
    """The text without its byte order mark, and the name of its encoding.

    Raises DataError for a binary file, for bytes that a given `encoding` does not allow, and if none is given
    and none is evident.
    """
    if encoding is not None and encoding not in ENCODINGS:
        raise DataError(not_one_of("encoding", ENCODINGS, encoding))
    for mark, codec in _MARKS:
        if content.startswith(mark) and encoding in {None, "utf-8", "utf-16"}:
            return _decode(content[len(mark) :], name, codec), _encoding_name(codec)
    if encoding is None:
        refuse_binary(content, name)
        encoding = _evident(content, name)
    return _decode(content, name, encoding), _encoding_name(encoding)


def refuse_binary(content: bytes, name: str) -> None:
    """Raise DataError with the kind of the file if its first bytes are those of a binary file."""
    if content.startswith(b"PK\x03\x04"):
        beginning = content[:4000]
        if b"xl/" in beginning or b"[Content_Types].xml" in beginning:
            raise DataError(
                "office_file", "{name} is an Excel workbook or another Office file: save it as CSV", name=name
            )
        raise DataError("zip_archive", "{name} is a ZIP archive: unpack it first", name=name)
    for magic, what in _BINARY:
        if content.startswith(magic):
            raise DataError("file_is_binary", "{name} is {what}", name=name, what=what)


def _evident(content: bytes, name: str) -> str:
    """The codec of bytes without a mark."""
    sample = content[:20_000]
    if 0 in sample:
        # In UTF-16 one byte of each space, digit, mark and Latin letter is zero, on the same side.
        even, odd = sample[0::2].count(0), sample[1::2].count(0)
        if max(even, odd) > 10 * min(even, odd) and max(even, odd) * 8 > len(sample):
            return "utf-16-be" if even > odd else "utf-16-le"
    if 0 in content:
        raise DataError(
            "zero_bytes", "{name} has zero bytes and is not text: save it as a text file in UTF-8", name=name
        )
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        if _is_western(content):
            return "cp1252"
        line = content.count(b"\n", 0, error.start) + 1
        raise DataError(
            "encoding_not_evident",
            "{name} is not UTF-8 (line {line}), and its encoding is not evident: choose it, or "
            "save the file as UTF-8",
            name=name,
            line=line,
        ) from error
    return "utf-8"


def _is_western(content: bytes) -> bool:
    try:
        text = content.decode("cp1252")
    except UnicodeDecodeError:
        return False
    # Languages written in Latin letters have accents on fewer than one in four.
    accents, letters = len(re.findall(f"[{_WESTERN}]", text)), len(re.findall("[a-zA-Z]", text))
    return accents * 4 <= letters and _FOREIGN.search(text) is None


def _decode(content: bytes, name: str, codec: str) -> str:
    try:
        return content.decode(codec)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataError(
            "encoding_does_not_fit",
            "{name} cannot be read as {encoding}: line {line} has bytes that mean nothing in it; "
            "choose another encoding, or save the file as UTF-8",
            name=name,
            encoding=_encoding_name(codec),
            line=line,
        ) from error


def _encoding_name(codec: str) -> str:
    return ENCODINGS.get(codec, codec[:6].upper())  # the name without the byte order


def unpack(content: bytes, name: str, max_bytes: int) -> bytes:
    """Unpack a gzip archive of one or more members, up to a limit.

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
