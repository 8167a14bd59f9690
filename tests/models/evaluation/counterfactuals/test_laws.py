"""Laws of every generator on every text, in any script."""

from __future__ import annotations

import random
import unicodedata
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from models.evaluation import counterfactuals
from models.evaluation.counterfactuals import COUNTERFACTUALS
from models.evaluation.counterfactuals.words import words
from tests.models.evaluation.counterfactuals.texts import ODD, SENTENCES, TEXTS
from tests.source_modules import loads_torch, sources

SEEDS = range(8)
EVERY = pytest.mark.parametrize("name", COUNTERFACTUALS)
WITHOUT_DRAWS = ("lower-case", "upper-case", "accents-removed", "punctuation-removed")


@cache
def changes(name: str) -> list[tuple[str, str]]:
    """Texts, each with a changed one."""
    results = [(text, COUNTERFACTUALS[name].apply(text, seed)) for text in TEXTS.values() for seed in SEEDS]
    return [(text, changed) for text, changed in results if changed]


@pytest.mark.slow
@EVERY
def test_a_change_is_another_text_and_never_blank(name: str) -> None:
    assert changes(name)
    for text, changed in changes(name):
        assert unicodedata.normalize("NFC", changed) != unicodedata.normalize("NFC", text)
        assert changed.strip()


@EVERY
def test_a_seed_gives_the_same_changes_in_any_order_of_calls(name: str) -> None:
    texts = list(TEXTS.values())
    first = {text: COUNTERFACTUALS[name].apply(text, 3) for text in texts}
    random.seed(0)
    assert {text: COUNTERFACTUALS[name].apply(text, 3) for text in reversed(texts)} == first


@EVERY
def test_seeds_differ_where_something_is_drawn(name: str) -> None:
    results = [COUNTERFACTUALS[name].apply(SENTENCES["es"], seed) for seed in range(20)]
    texts = set(filter(None, results))
    assert len(texts) == 1 if name in WITHOUT_DRAWS else len(texts) > 1


@pytest.mark.parametrize("text", [ODD["empty"], ODD["spaces"], ODD["accents alone"]])
def test_an_empty_text_has_no_changes(text: str) -> None:
    assert [name for name, counterfactual in COUNTERFACTUALS.items() if counterfactual.apply(text)] == []


def test_a_text_of_one_word_cannot_be_reordered_or_shortened() -> None:
    orders = ("scrambled", "neighbours-swapped", "dropped", "doubled")
    for text in (ODD["one word"], ODD["one Han"], "¡Hola!"):
        assert [name for name in orders if COUNTERFACTUALS[name].apply(text)] == []


@pytest.mark.parametrize("language", SENTENCES)
def test_every_language_has_words_to_move(language: str) -> None:
    for name in ("scrambled", "neighbours-swapped", "dropped", "doubled", "number-changed"):
        assert COUNTERFACTUALS[name].apply(SENTENCES[language]) is not None


@pytest.mark.parametrize("language", ["es", "en", "de", "ru", "el", "ar", "he"])
def test_alphabets_can_be_mistyped_and_have_nonsense_words(language: str) -> None:
    names = ("neighbouring-key", "swapped-letters", "missing-letter", "typing-errors", "unseen-word")
    for name in names:
        assert COUNTERFACTUALS[name].apply(SENTENCES[language]) is not None


@pytest.mark.parametrize("language", ["zh", "ko", "hi", "th"])
def test_changes_that_a_script_lacks_are_left_out(language: str) -> None:
    names = ("neighbouring-key", "swapped-letters", "missing-letter", "typing-errors", "name-swapped")
    names += ("lower-case", "upper-case", "accents-removed", "unseen-word")
    assert [name for name in names if COUNTERFACTUALS[name].apply(SENTENCES[language])] == []


@pytest.mark.parametrize("name", ["scrambled", "neighbours-swapped"])
@pytest.mark.parametrize("language", SENTENCES)
def test_words_that_move_stay_the_same_words(name: str, language: str) -> None:
    text = SENTENCES[language]
    changed = COUNTERFACTUALS[name].apply(text)
    assert changed is not None
    before, after = ([word.spelling(one) for word in words(one)] for one in (text, changed))
    assert Counter(before) == Counter(after)
    assert sum(map(str.__ne__, before, after)) == 2 or name == "scrambled"


def test_a_nonsense_word_has_the_length_and_script_of_the_replaced_word() -> None:
    for text, changed in changes("unseen-word"):
        pairs = list(zip(words(text), words(changed), strict=True))
        ((old, new),) = [pair for pair in pairs if pair[0].spelling(text) != pair[1].spelling(changed)]
        assert new.script == old.script
        if not any(map(unicodedata.combining, old.spelling(text))):
            assert new.end - new.start == old.end - old.start


def test_names_positions_and_titles_of_changes_are_unique() -> None:
    kinds = list(COUNTERFACTUALS.values())
    for field in ("name", "position", "title", "sentence"):
        assert len({getattr(kind, field) for kind in kinds}) == len(kinds)
    assert [kind.position for kind in kinds] == sorted(kind.position for kind in kinds)
    assert all(kind.sentence.endswith(".") and not kind.title.endswith(".") for kind in kinds)


def test_every_change_in_the_folder_is_found() -> None:
    helpers = {"__init__.py", "counterfactual.py", "words.py"}
    files = {path.name for path in Path(counterfactuals.__file__).parent.glob("*.py")} - helpers
    names = {counterfactual.change for counterfactual in COUNTERFACTUALS.values()}
    modules = {getattr(change, "func", change).__module__.rpartition(".")[2] + ".py" for change in names}
    assert modules == files


def test_the_table_is_read_without_torch() -> None:
    project = {module.name: module for module in sources("models", "demo")}
    for name in [name for name in project if name.startswith("models.evaluation.counterfactuals")]:
        assert loads_torch(name, project) == []
