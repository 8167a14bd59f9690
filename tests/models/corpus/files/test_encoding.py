"""Bytes to characters: recognised, refused and chosen encodings."""

from __future__ import annotations

import codecs
import gzip
import io
import zipfile

import pytest

from models.corpus.files.encoding import ENCODINGS, decode_text
from models.corpus.pairs import DataError
from tests.refusals import Refusal, refused

SPANISH = "¿Dónde está el niño?\tWhere is the boy?\n¡Él comió «pan»!\tHe ate “bread” – didn’t he…\n"
FRENCH = "L’élève a été créé à Nîmes.\tThe pupil was made in Nimes.\nOù est-ce?\tWhere's that?\n"
GERMAN = "Die Straße ist groß.\tThe street is large.\nÜber Äpfel (5 €).\tAbout apples.\n"
POLISH = "Zażółć gęślą jaźń, proszę.\tHello there, my friend.\nDziękuję.\tThank you.\n"
RUSSIAN = "Привет, как дела?\tHi, how are you?\n"
TURKISH = "Şu ağaç yeşil mi, değil mı?\tIs that tree green or not?\n"
JAPANESE = "猫が好きです。\tI like cats.\n"
CHINESE = "我喜欢猫。\tI like cats.\n"
GREEK = "Καλημέρα.\tGood morning.\n"
ENGLISH = "Hello.\tHi.\n"


@pytest.mark.parametrize("text", [ENGLISH, SPANISH, POLISH, RUSSIAN, CHINESE])
@pytest.mark.parametrize(
    ("mark", "codec", "name"),
    [
        (b"", "utf-8", "UTF-8"),
        (codecs.BOM_UTF8, "utf-8", "UTF-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16"),
        (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16"),
        (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32"),
        (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32"),
    ],
)
def test_unicode_is_recognised(text: str, mark: bytes, codec: str, name: str) -> None:
    assert decode_text(mark + text.encode(codec), "train.tsv") == (text, name)


@pytest.mark.parametrize("text", [ENGLISH, SPANISH, POLISH, RUSSIAN])
@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_recognised(text: str, codec: str) -> None:
    assert decode_text(text.encode(codec), "train.tsv")[0] == text


@pytest.mark.parametrize("text", [SPANISH, FRENCH, GERMAN, "café\tcoffee\n"])
def test_western_european_is_recognised(text: str) -> None:
    assert decode_text(text.encode("cp1252"), "a.tsv") == (text, "Windows-1252 (Western European)")


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        (POLISH, "cp1250"),
        (POLISH, "iso8859-2"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8-r"),
        ("Да\tYes\nНе\tNo\nЯ\tI\n", "cp1251"),  # no word long enough to look odd
        (TURKISH, "cp1254"),
        (JAPANESE, "cp932"),
        (JAPANESE, "euc-jp"),
        (CHINESE, "gb18030"),
        (GREEK, "cp1253"),
        (SPANISH.replace("–", "-").replace("’", "'").replace("…", "."), "mac-roman"),
        ("¿Dónde está el niño?\tWhere is the boy?\n", "cp850"),
    ],
)
def test_an_ambiguous_encoding_is_refused_and_can_be_chosen(text: str, codec: str) -> None:
    content = (ENGLISH + text).encode(codec)
    with refused(DataError, "encoding_not_evident", "old.csv", 2):
        decode_text(content, "old.csv")
    assert decode_text(content, "old.csv", codec) == (ENGLISH + text, ENCODINGS[codec])


def test_a_broken_byte_in_utf_8_is_not_taken_for_western_european() -> None:
    content = SPANISH.encode() + b"caf\xe9\n"
    with refused(DataError, "encoding_not_evident", 3):
        decode_text(content, "train.tsv")


def test_an_encoding_that_does_not_fit_is_refused_with_the_line() -> None:
    with refused(DataError, "encoding_does_not_fit", "UTF-8", 2):
        decode_text(ENGLISH.encode() + "niño".encode("cp1252"), "train.tsv", "utf-8")
    with refused(DataError, "encoding_does_not_fit", "UTF-16", 1):
        decode_text(codecs.BOM_UTF16_LE + b"\x00\xd8", "train.tsv")


def test_a_mark_is_stronger_than_a_wrong_unicode_choice() -> None:
    assert decode_text(codecs.BOM_UTF16_LE + "añb".encode("utf-16-le"), "a", "utf-8")[0] == "añb"
    assert decode_text(codecs.BOM_UTF8 + "añb".encode(), "a", "utf-16")[0] == "añb"


def test_an_encoding_that_is_not_offered_is_refused() -> None:
    with refused(DataError, "not_one_of", "encoding", "rot13"):
        decode_text(b"a", "a.tsv", "rot13")


@pytest.mark.parametrize("codec", ENCODINGS)
def test_every_encoding_on_offer_exists(codec: str) -> None:
    assert decode_text("a\tb".encode(codec), "a.tsv", codec)[0] == "a\tb"


def archive(*names: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name in names:
            file.writestr(name, "x")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("content", "refusal"),
    [
        (archive("[Content_Types].xml", "xl/workbook.xml"), ("office_file",)),
        (archive("train.tsv"), ("zip_archive",)),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", ("file_is_binary", "png_picture")),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", ("file_is_binary", "jpeg_picture")),
        (b"PAR1\x15\x04", ("file_is_binary", "parquet_file")),
        (b"%PDF-1.7\n", ("file_is_binary", "pdf_document")),
        (b"BZh91AY&SY", ("file_is_binary", "bzip2_archive")),
        (b"SQLite format 3\0", ("file_is_binary", "sqlite_database")),
        (gzip.compress(b"a\tb", mtime=0), ("file_is_binary", "gzip_in_gzip")),
        (b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\x01\x02\x03", ("zero_bytes",)),
        (b"Hola.\tHello.\0\n" * 9, ("zero_bytes",)),
    ],
)
def test_a_binary_file_is_refused_by_its_kind(content: bytes, refusal: Refusal) -> None:
    with refused(DataError, *refusal, "data.tsv"):
        decode_text(content, "data.tsv")
