from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from demo.i18n.display import display_token
from demo.widgets.captions.output import passed_over, repeated_phrase, warnings_caption
from models.decoding.status import Stop
from models.decoding.trace import DecodingTrace, Exploration, Token
from tests.fakes.traces import END, WITHIN, F, K, Spec, build_trace, focused

WORDS = ("ja", "ich", "bin", "heute", "sehr", "froh")


def trace_of(*tokens: str, source: tuple[str, ...] = WORDS, strategy: str = "greedy") -> DecodingTrace:
    """A trace of one output over a source of words; every step attends to the first word."""
    steps: list[list[Spec]] = [
        [(index - 1 if index else None, token, 0.9, K, WITHIN)] for index, token in enumerate(tokens)
    ]
    steps.append([(len(tokens) - 1 if tokens else None, "</s>", 0.9, F, END)])
    spelt = [f"▁{word}" for word in source]
    trace = build_trace([*spelt, "</s>"], steps, [(len(tokens), True)], strategy=strategy)
    text, position, placed = " ".join(source), 0, []
    for token, word in zip(trace.source, source, strict=False):
        placed.append(replace(token, start=position, end=position + len(word)))
        position += len(word) + 1
    placed.append(Token(id=0, surface="</s>"))
    rows = tuple(
        replace(step, rows=(replace(step.rows[0], attention=focused(0, len(placed), weight=0.9)),))
        for step in trace
    )
    return replace(trace, source_text=text, source=tuple(placed), steps=rows)


def test_an_output_of_usual_length_is_not_doubted() -> None:
    assert warnings_caption(trace_of("▁yes", "▁I", "▁am", "▁glad", "▁today")) == [""]


def test_a_short_output_is_reported_with_the_unattended_words() -> None:
    (sentence,) = warnings_caption(trace_of("▁yes"))
    assert sentence == (
        "Short: 2 tokens for 7 of the source. A translation this short leaves something out. "
        "Words that never get 10% of the attention or more: “ich”, “bin”, “heute”, “sehr”, “froh”."
    )


def test_without_attention_no_word_is_named() -> None:
    trace = trace_of("▁yes")
    blind = tuple(replace(step, rows=(replace(step.rows[0], attention=None),)) for step in trace)
    assert warnings_caption(replace(trace, steps=blind)) == [
        "Short: 2 tokens for 7 of the source. A translation this short leaves something out."
    ]


def test_a_short_mode_is_reported_as_the_models_error() -> None:
    trace = trace_of("▁yes", strategy="exact")
    proven = replace(trace, exploration=Exploration(2, 2, 2, Stop.COMPLETE))
    assert warnings_caption(proven)[0].endswith("here the model is wrong, and no search can correct that.")
    spent = replace(trace, exploration=Exploration(2, 2, 2, Stop.BUDGET, 2))
    assert "no search" not in warnings_caption(spent)[0]
    assert "no search" not in warnings_caption(replace(proven, strategy="greedy"))[0]


@pytest.mark.parametrize("source", [("drei",), ("s2", "a2", "s0", "a2", "s2", "a0")])
def test_sources_that_are_no_sentences_have_no_usual_length(source: tuple[str, ...]) -> None:
    assert warnings_caption(trace_of("▁x", source=source)) == [""]


def test_a_long_and_repetitive_output_is_reported() -> None:
    (sentence,) = warnings_caption(trace_of(*["▁very", "▁very"] * 6))
    assert "Long: 13 tokens for 7 of the source." in sentence
    assert sentence.endswith("Repeats itself: “␣very” 12 times in a row, which the source does not.")


def test_a_repetition_of_the_source_is_not_doubted() -> None:
    assert warnings_caption(trace_of("▁yes", "▁yes", "▁yes", source=("ja", "ja", "ja"))) == [""]


def test_an_output_without_a_word_is_reported() -> None:
    assert warnings_caption(trace_of()) == ["Nothing was written: the model ended at once."]


def test_an_output_for_a_picture_is_not_called_short() -> None:
    """Cells are no words, although a data URL reads like many."""
    pictured = trace_of("▁yes", source=tuple(f"cell{index}" for index in range(9)))
    url = "data:image/png;base64,iVBOR/a/b+c/d/e+f/g=="
    assert warnings_caption(replace(pictured, source_text=url)) == [""]


@pytest.mark.parametrize(
    ("lacking", "sentence"),
    [
        ((), ""),
        ((1,), "Not in the vocabulary: “ich”. The model reads <unk> there, and has to guess."),
        (range(len(WORDS)), "The vocabulary has no word of this source: the model reads only <unk>"),
    ],
)
def test_unknown_words_are_named_in_a_warning(lacking: Sequence[int], sentence: str) -> None:
    trace = trace_of("▁yes", "▁I", "▁am", "▁glad", "▁today")
    source = [replace(token, unknown=index in lacking) for index, token in enumerate(trace.source)]
    # Every vocabulary has this token; here it stands at a word.
    blank = Token(id=1, surface="▁", start=3, end=4)
    (warning,) = warnings_caption(replace(trace, source=(*source, blank)))
    assert warning.startswith(sentence)
    assert bool(warning) is bool(sentence)


def test_a_line_break_that_the_model_cannot_read_is_named() -> None:
    trace = trace_of("▁yes")
    broken = replace(trace.source[0], unknown=True, surface="\n", start=0, end=1)
    trace = replace(trace, source_text=f"\n{trace.source_text[1:]}", source=(broken, *trace.source[1:]))
    (warning,) = warnings_caption(trace)
    assert display_token("\n") in warning


def test_the_attention_to_a_word_is_the_sum_over_its_pieces() -> None:
    trace = trace_of("▁yes")
    one_word = (*(replace(token, start=0, end=2) for token in trace.source[:-1]), trace.source[-1])
    assert passed_over(replace(trace, source_text="ja", source=one_word), trace.path(1)) == []


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        ("abcabc", None),
        ("xabcabcabcy", (("a", "b", "c"), 3)),
        ("aabb", None),
        ("aaa", (("a",), 3)),
        ("", None),
    ],
)
def test_repetitions_are_found(tokens: str, expected: tuple[tuple[str, ...], int] | None) -> None:
    assert repeated_phrase(list(tokens)) == expected
