"""The glossary: complete in every language, short, and on every page that shows its terms."""

from __future__ import annotations

import gzip
import html
import json
import re

import pytest

from demo.i18n import ENGLISH, LANGUAGES, complete_languages, in_language, translations
from demo.learn.lessons import lessons
from demo.learn.lessons.lesson import LessonStep, Text
from demo.server.assets import ASSETS
from demo.trace.component import page_shell, template
from demo.widgets.glossary.terms import TERMS, entries, glossary_addresses, names, terms_text
from tests.demo.i18n.keys import SAME

OTHERS = [code for code in complete_languages() if code != ENGLISH]
HEADS = re.compile(r"<(h3|h4|th|legend)\b[^>]*>(.*?)</\1>", re.DOTALL)
# Heads whose words are everyday ones.
PLAIN = {"Versions", "Next token", "after", "status", "reason"}
REQUESTED = {
    *(
        "▁",
        "</s>",
        "BLEU",
        "chrF",
        "nats",
        "alpha",
        "α",
        "normaliser",
        "pruned",
        "entropy",
        "log-probability",
    ),
    *(
        "beam",
        "greedy",
        "top-k",
        "top-p",
        "temperature",
        "attention head",
        "layer",
        "hidden state",
        "encoder",
    ),
    *("decoder", "teacher forcing", "MBR", "candidate", "cumulative", "probability mass", "kept", "finished"),
}
# Technical words of the lessons.
TAUGHT = {
    *("autoregressive", "Markov assumption", "chain rule", "cross-entropy", "smoothing", "n-grams"),
    *("byte-pair encoding", "merges", "one-hot", "embedding", "vector", "bag of words", "skip-gram", "CBOW"),
    *("held out", "output layer", "prefix mask"),
    *("Gaussian", "additive score", "random walk", "LSTM", "GRU"),
    *("query", "key", "value", "dot product", "softmax", "bandwidth", "mask", "causal mask", "cosine"),
    *("hidden layer", "hidden state", "cell state", "unrolled drawing", "tensors", "bidirectional"),
    *("backpropagation through time", "truncation", "vanishing gradient", "exploding gradient"),
    *("clipping", "norm", "nats", "standard deviation", "precision", "brevity penalty"),
    *(
        "teacher forcing",
        "free-running",
        "exposure bias",
        "scheduled sampling",
        "perplexity",
        "CNN",
        "RMSE",
        "tanh",
    ),
}
# An entry says what a word is: it begins with a noun or a participle.
NO_DEFINITION = re.compile(
    r"(What|Which|How|Why|Where|Whether|It|They|This|If|Between|Always|Draw|Follow|Look|Take|Change|Impose)\b"
)


@pytest.mark.parametrize("code", OTHERS)
def test_every_term_and_its_meaning_are_translated(code: str) -> None:
    translated = translations(code)
    assert [term.words for term in TERMS if term.words not in translated and term.words not in SAME] == []
    assert [term.meaning for term in TERMS if term.meaning not in translated] == []


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_word_stands_for_two_terms(code: str) -> None:
    with in_language(code):
        result = [name.casefold() for name in names()]
    assert len(result) == len(set(result))
    assert all(name.strip() == name != "" for name in result)


def test_each_term_is_explained_in_two_to_four_short_sentences() -> None:
    for term in TERMS:
        sentences = re.split(r"(?<=[.;:])\s+(?=[A-Z0-9])", term.meaning)
        assert 2 <= len(sentences) <= 4, term.meaning
        assert len(term.meaning) <= 180, term.meaning


def test_each_explanation_begins_as_in_a_dictionary() -> None:
    assert [term.meaning for term in TERMS if NO_DEFINITION.match(term.meaning)] == []


def test_every_requested_term_is_explained() -> None:
    assert set(names()) >= REQUESTED


def test_the_technical_words_of_lessons_are_explained() -> None:
    texts = [text["en"] for lesson in lessons() for step in lesson.steps for text in _texts(step) if text]
    used = {word for word in TAUGHT if any(re.search(rf"\b{word}\b", text, re.I) for text in texts)}
    assert used == TAUGHT, "a word that no lesson uses any more"
    assert TAUGHT - set(names()) == set()


def _texts(step: LessonStep) -> list[Text]:
    options = step.prediction.options if step.prediction else ()
    return [step.text, step.reveal, *(option.text for option in options)]


def test_every_term_in_the_head_of_a_card_is_explained() -> None:
    heads = {html.unescape(re.sub(r"<[^>]+>", "", text)).strip() for _, text in HEADS.findall(template())}
    translated = [name.casefold() for name in names()]
    strange = {head for head in heads if head and not any(name in head.casefold() for name in translated)}
    assert strange <= PLAIN, "give the glossary a term, or call the head a plain one"


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_language_is_a_small_file_of_its_own(code: str) -> None:
    addresses = glossary_addresses()
    assert addresses[code].startswith(f"{ASSETS.removeprefix('/')}glossary-{code}/")
    with in_language(code):
        text = terms_text()
        assert json.loads(text) == [list(line) for line in entries()]
    assert len(gzip.compress(text.encode())) < 10_500  # bytes, fetched after the page: 184 terms
    assert len({*addresses.values()}) == len(LANGUAGES)


def test_an_exported_page_explains_its_terms_in_its_language() -> None:
    with in_language("es"):
        shell = page_shell()
        assert terms_text() in shell
    assert 'modules["widgets/glossary/glossary.js"].explainTerms(' in shell
    assert "/*TERMS*/" not in shell
