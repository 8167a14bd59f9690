"""TMX: languages, markup within segments, and the attacks that XML allows."""

from __future__ import annotations

import pytest

from models.corpus.files.formats import read_pasted, read_table
from models.corpus.files.table import TextTable
from models.corpus.pairs import DataError
from tests.refusals import Refusal, refused

HEAD = '<?xml version="1.0" encoding="{}"?>\n<!DOCTYPE tmx SYSTEM "tmx14.dtd">\n'


def unit(**segments: str) -> str:
    variants = (f'<tuv xml:lang="{name}"><seg>{text}</seg></tuv>' for name, text in segments.items())
    return f"<tu>{''.join(variants)}</tu>\n"


def tmx(*units: str, head: str = HEAD.format("UTF-8"), encoding: str = "utf-8") -> TextTable:
    body = "".join(units)
    text = f'{head}<tmx version="1.4"><header srclang="en"/><body>\n{body}</body></tmx>'
    return read_table(text.encode(encoding), "memory.tmx")


def test_each_language_is_a_column() -> None:
    table = tmx(unit(en="Hi.", es="Hola.", fr="Salut."), unit(es="No.", en="No."), unit(fr="Oui.", de="Ja."))
    assert table.columns == ("en", "es", "fr", "de")
    assert table.pairs("es", "en") == (("Hola.", "Hi."), ("No.", "No."))
    assert table.pairs("fr", "de") == (("Oui.", "Ja."),)
    selection = table.select("en", "es")
    assert [(row.line, row.reason) for row in selection.malformed] == [(6, "no text in column 'en'")]


def test_languages_are_the_same_in_either_case_and_with_either_attribute() -> None:
    old = '<tu><tuv lang="EN-us"><seg>Yes.</seg></tuv><tuv xml:lang="ES"><seg>Sí.</seg></tuv></tu>'
    table = tmx(unit(**{"en-US": "Hi.", "es": "Hola."}), old)
    assert table.columns == ("en-US", "es")
    assert table.pairs("en-US", "es") == (("Hi.", "Hola."), ("Yes.", "Sí."))


def test_variants_of_a_language_are_one_column_unless_a_unit_has_both() -> None:
    mixed = [unit(**{"en-US": "Hi.", "es": "Hola."}), unit(**{"en-GB": "Bye.", "es-MX": "Adiós."})]
    table = tmx(*mixed)
    assert table.pairs("en-US", "es") == (("Hi.", "Hola."), ("Bye.", "Adiós."))
    table = tmx(*mixed, unit(**{"en-US": "color", "en-GB": "colour", "es": "color"}))
    assert table.columns == ("en-US", "es", "en-GB")


def test_codes_are_removed_and_highlighted_text_is_kept() -> None:
    marked = (
        '<bpt i="1">&lt;b&gt;</bpt>Save <hi type="term">the file</hi><ept i="1">&lt;/b&gt;</ept>'
        '<ph x="1">&lt;br/&gt;<sub>not this</sub></ph> &amp; <it pos="begin">{i}</it>quit &lt;now&gt;'
    )
    table = tmx(unit(en=marked, es="<![CDATA[Guardar <y> salir & ya]]>"))
    assert table.pairs("en", "es") == (("Save the file & quit <now>", "Guardar <y> salir & ya"),)


def test_notes_and_properties_are_no_text() -> None:
    noted = '<tu><note>A note</note><prop type="x">y</prop>'
    assert tmx(noted + unit(en="Hi.", es="Hola.")[4:]).rows == (("Hi.", "Hola."),)


def test_a_unit_in_one_language_is_malformed() -> None:
    table = tmx(unit(en="Hi.", es="Hola."), unit(en="Alone."), "<tu></tu>")
    assert [(row.line, row.reason, row.text) for row in table.malformed] == [
        (5, "fewer than two languages", "Alone."),
        (6, "fewer than two languages", ""),
    ]


@pytest.mark.parametrize(
    ("declared", "codec"),
    [("UTF-8", "utf-8-sig"), ("UTF-16", "utf-16"), ("ISO-8859-1", "latin-1"), ("windows-1251", "cp1251")],
)
def test_the_declared_encoding_is_used(declared: str, codec: str) -> None:
    text = "Да" if "1251" in declared else "Sí"
    table = tmx(unit(a=text, b="Yes"), head=HEAD.format(declared), encoding=codec)
    assert table.pairs("a", "b") == ((text, "Yes"),)
    assert table.encoding == declared.upper()


def test_pasted_text_ignores_its_declared_encoding() -> None:
    text = HEAD.format("windows-1251") + "<tmx><body>" + unit(a="Sí", b="Yes") + "</body></tmx>"
    assert read_pasted(text).pairs("a", "b") == (("Sí", "Yes"),)


def test_entities_of_html_are_read() -> None:
    assert tmx(unit(en="Caf&eacute;&nbsp;&#233; &unheard;", es="x")).rows == (("Café\xa0é &unheard;", "x"),)


LAUGHS = '<!DOCTYPE tmx [<!ENTITY a0 "ha">' + "".join(
    f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12)
)


@pytest.mark.parametrize(
    ("head", "entity"),
    [
        (LAUGHS + "]>", "a0"),  # the first one: none is ever expanded
        ('<!DOCTYPE tmx [<!ENTITY a11 SYSTEM "file:///etc/passwd">]>', "a11"),
        ('<!DOCTYPE tmx [<!ENTITY % p SYSTEM "http://127.0.0.1:9/x.dtd"> %p;]>', "p"),
    ],
    ids=["billion laughs", "file", "network"],
)
def test_no_entity_may_be_declared(head: str, entity: str) -> None:
    with refused(DataError, "xml_entity", "memory.tmx", entity):
        tmx(unit(en="&a11;", es="x"), head=head)


def test_an_external_document_type_is_not_fetched() -> None:
    head = '<!DOCTYPE tmx SYSTEM "file:///etc/passwd">'
    assert tmx(unit(en="Hi.", es="Hola."), head=head).rows == (("Hi.", "Hola."),)


@pytest.mark.parametrize(
    ("content", "refusal"),
    [
        (b"<tmx><body><tu>", ("xml_damaged", 1, "no element found")),
        (b"<tmx>\n<body></tmx>", ("xml_damaged", 2, "mismatched tag")),
        (b"<tmx>\n\xff</tmx>", ("xml_damaged", 2)),
        (b"Hola.\tHello.", ("xml_damaged", 1)),
        (b"<html><p>x</p></html>", ("no_tmx", "<html>", "<tmx>")),
        (b'<?xml version="1.0" encoding="rot99"?><tmx/>', ("xml_encoding_unknown",)),
        (b"<tmx><body/></tmx>", ("no_row", "TMX")),
    ],
)
def test_a_file_that_is_no_tmx_is_refused(content: bytes, refusal: Refusal) -> None:
    with refused(DataError, *refusal):
        read_table(content, "memory.tmx")


def test_deep_nesting_does_no_harm() -> None:
    deep = "<hi>" * 50_000 + "Hi." + "</hi>" * 50_000
    assert tmx(unit(en=deep, es="Hola.")).rows == (("Hi.", "Hola."),)
