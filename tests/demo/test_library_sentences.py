"""What the library says, told in another language: its own words are recognised, whatever they are about."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from demo.errors import sentence
from demo.i18n import spoken, translations
from demo.i18n.library import FIELD, WORDED, heard
from demo.i18n.library_sentences import PHRASES, SENTENCES
from models.decoding.scored import ScoredText, ScoredToken
from models.decoding.trace import NextToken
from models.decoding.verdict import verdict
from models.hub.errors import unreachable
from models.hub.repository import check_repo_id

MODELS = Path(__file__).parents[2] / "models"


def texts_of_the_library() -> Iterator[str]:
    """Every text of its modules, `{}` for what is filled in."""
    for path in MODELS.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
            elif isinstance(node, ast.JoinedStr):
                parts = (part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
                yield "".join(map(str, parts))


def test_the_library_still_says_each_of_these() -> None:
    said = set(texts_of_the_library())
    ends = tuple(said)
    for template in (*SENTENCES, *PHRASES):
        told = FIELD.sub("{}", template)
        # A part that the library puts together from constants stands in it as a field.
        pattern = re.compile(re.escape(told).replace(r"\{\}", ".*"), re.DOTALL)
        assert told in said or any(pattern.fullmatch(text) for text in ends), template


def test_no_field_stands_twice_and_worded_ones_are_used() -> None:
    used = [FIELD.findall(template) for template in (*SENTENCES, *PHRASES)]
    assert all(len(set(names)) == len(names) for names in used)
    assert {name for names in used for name in names} >= WORDED


@pytest.mark.parametrize("code", ["es", "zh"])
def test_each_sentence_is_recognised_as_itself(code: str) -> None:
    for template in SENTENCES:
        values = {name: f"«{name} 1»" for name in FIELD.findall(template)}
        with spoken(code):
            assert heard(template.format(**values)) == translations(code)[template].format(**values)
        assert heard(template.format(**values)) == template.format(**values)


def test_words_within_a_sentence_are_told_too_and_those_of_a_reader_are_not() -> None:
    with spoken("es"):
        told = heard("There is no checkpoint 'score'; did you mean 'there are: x.'?")
        assert told == "No hay ningún checkpoint 'score'; ¿quería decir 'there are: x.'?"
        assert heard("There is no token {x}: the vocabulary has ids 0 to {0}.").count("{") == 2
        assert heard("Nobody wrote this: {x}.") == "Nobody wrote this: {x}."
        assert sentence(unreachable("a/b")).startswith("a/b no llegó")
        with pytest.raises(Exception, match="is no name of a model") as caught:
            check_repo_id("a b")
        assert sentence(str(caught.value)).startswith("'a b' no es el nombre de un modelo")
    with spoken("zh"):
        assert sentence("this server fetches nothing from the Hub: choose one of its own models").endswith(
            "。"
        )


def test_the_verdict_is_told_at_length() -> None:
    def scored(text: str, log_prob: float) -> ScoredText:
        token = ScoredToken(len(text), text, log_prob, 0, False, 0.1, NextToken(6, "x", -3.0))
        return ScoredText(text, (token,), log_prob, log_prob)

    found = verdict(scored("hola", -2.0), scored("adiós", -1.0))
    with spoken("es"):
        assert heard(found.explanation) == (
            "Error del modelo: el modelo valora la salida hallada 1.00 por encima "
            "(log-probabilidad −1.00) de la referencia (−2.00), así que una búsqueda mejor "
            "tampoco escribiría la referencia."
        )
