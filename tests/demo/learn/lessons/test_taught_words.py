"""Words of the subject: no lesson uses one before the lesson that teaches it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from demo.learn.lessons import kit_of, lessons
from demo.learn.lessons.lesson import Lesson, Prediction
from demo.learn.lessons.terms import BRACES
from tests.demo.learn.lessons.claims import QUOTED, split

LESSONS = lessons()
IDS = [lesson.id for lesson in LESSONS]
every_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=IDS)
# The lesson that teaches each word, as a pattern. A kit names those of the glossary that it introduces.
TAUGHT = {
    "tokens": r"tokenizers?|merges?|WordPiece|Unigram|padding|masks?",
    "ngrams": r"perplexit(?:y|ies)|(?:bi|tri)grams?|(?:n|\d)-grams?|smooth(?:ed|ing)|Markov|chain rule",
    "perplexity": r"cross-entropy|loss(?:es)?|nats?|log-probabilit(?:y|ies)|logits?|gradients?|references?",
    "autoregression": r"autoregress\w+|free[- ]running|random walks?|RMSE",
    "lookup": r"embeddings?|one-hot|vectors?|cosines?|layers?",
    "wordvectors": r"skip-gram|CBOW|co-occurrences?",
    "rnn": r"RNNs?|recurrent|LSTMs?|(?:hidden|cell) states?|gates?|unroll\w+|backpropagation|tensors?|norms?",
    "gradients": r"encoders?|decoders?|vanishing gradients?|exploding gradients?",
    "gates": r"GRUs?|update gates?|forget gates?|tanh",
    "masked": r"bidirectional|held out",
    "greedy": r"greed\w+|beams?|search errors?",
    "beam": r"prefix(?:es)?",
    "search": r"exact search|exhaustive\w*|length normali[sz]ation|length penalty",
    "sampling": r"samplings?|temperatures?|top-p|diverse",
    "likeliest": r"modes?|minimum Bayes risk",
    "bleu": r"BLEU|brevity penalty|precisions?",
    "bottleneck": r"(?:self-|cross-)?attentions?|attends?",
    "kernels": r"kernels?|bandwidths?|quer(?:y|ies)|keys?|dot products?|softmax|additive score",
    "positions": r"Transformers?|BERT|GPT|bag of words|causal|positional",
    "heads": r"heads?",
    "captions": r"CNNs?|convolution\w*",
    "forcing": r"teacher[- ]forc\w+|exposure bias|scheduled sampling",
    "explain": r"integrated gradients|attribution\w*",
}
# Earlier sentences that may have such a word, by some of their words; each has a reason.
ALLOWED = {
    ("autoregression", "temperatures"): "daily temperatures of your town"  # those of the weather
}


@every_lesson
def test_a_lesson_uses_no_word_before_the_lesson_that_teaches_it(lesson: Lesson) -> None:
    later = {word: name for name, word in TAUGHT.items() if IDS.index(name) > IDS.index(lesson.id)}
    early = [
        f"{early_word} ({name}): {sentence}"
        for sentence in sentences(lesson)
        for word, name in later.items()
        for early_word in uses(QUOTED.sub("", sentence), word)
        if ALLOWED.get((lesson.id, early_word.lower()), sentence + ".") not in sentence
    ]
    assert early == []


@every_lesson
def test_no_lesson_uses_a_term_before_its_introduction(lesson: Lesson) -> None:
    kit = kit_of(lesson.id)
    assert kit is not None
    for term in kit.introduces:
        using = [
            other.id for other in LESSONS if any(uses(text, f"{term}s?") for text in sentences_of_page(other))
        ]
        assert using[:1] == [lesson.id], f"{term}: {using}"


def test_each_word_is_used_by_the_lesson_that_teaches_it() -> None:
    by_name = dict(zip(IDS, LESSONS, strict=True))
    lost = [
        name
        for name, word in TAUGHT.items()
        if not any(uses(sentence, word) for sentence in sentences(by_name[name]))
    ]
    assert lost == []


def test_no_exception_is_left_over() -> None:
    texts = {lesson.id: " ".join(sentences(lesson)) for lesson in LESSONS}
    assert [key for key, words in ALLOWED.items() if words not in texts[key[0]]] == []


def test_a_word_is_found_in_a_sentence_and_not_in_facts_or_names() -> None:
    assert uses("Its loss, in nats.", "loss|nats") == ["loss", "nats"]
    assert uses("{loss} is in spa-eng-gru.", "loss|gru") == []


def uses(sentence: str, word: str) -> list[str]:
    """Return what the pattern finds outside facts and the names of checkpoints."""
    return re.findall(rf"(?<![\w-])(?:{word})(?![\w-])", BRACES.sub("", sentence), re.IGNORECASE)


def sentences(lesson: Lesson) -> Iterator[str]:
    """Yield the English sentences of a lesson and of its kit."""
    kit = kit_of(lesson.id)
    assert kit is not None
    yield from (lesson.title["en"], *split(kit.goal["en"]), *split(kit.homework["en"]))
    yield from sentences_of_page(lesson)


def sentences_of_page(lesson: Lesson) -> Iterator[str]:
    """Yield the English sentences of the steps and of the quiz."""
    kit = kit_of(lesson.id)
    assert kit is not None
    for step in lesson.steps:
        yield from (*split(step.text["en"]), *split(step.reveal.get("en", "")), *options(step.prediction))
    for item in kit.items:
        yield from (*split(item.text["en"]), *split(item.explanation["en"]), *options(item.prediction))


def options(prediction: Prediction | None) -> Iterator[str]:
    yield from (option.text["en"] for option in (prediction.options if prediction else ()))
