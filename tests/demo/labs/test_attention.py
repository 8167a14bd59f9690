"""The lab of attention: kernels, words and scores, compared with values computed by hand."""

from __future__ import annotations

import math

import pytest

from demo.labs.attention.lab import LAB
from demo.widgets.answers.content import Content, Controls
from tests.demo.labs.test_every_lab import ask, check
from tests.messages import says

THREE = "1 10; 2 20; 3 60"


def compute(**options: object) -> Content:
    return LAB.compute(Controls(options=options))


def test_the_answer_is_the_sum_of_weighted_values() -> None:
    """A triangle of width 2 is 0.75, 0.75 and 0.25 high at 1.5."""
    answer = ask("attention", text=THREE, query=1.5, kernel="triangular", bandwidth=2)
    assert answer["sentences"][0].startswith("To the query 1.5 the answer is 21.43: a mean of 3 of 3 values")
    assert answer["table"]["head"] == ["key", "value", "K(u)", "weight", "weight × value"]
    assert answer["table"]["rows"] == [
        ["1", "10.00", "0.750", "42.9%", "4.286"],
        ["2", "20.00", "0.750", "42.9%", "8.571"],
        ["3", "60.00", "0.250", "14.3%", "8.571"],
        ["sum", "", "", "100%", "21.429"],
    ]
    content = compute(text=THREE, query=1.5, kernel="triangular", bandwidth=2)
    assert content.facts["answer"] == pytest.approx(150 / 7)
    assert content.facts["largest_weight"] == pytest.approx(3 / 7)
    assert content.facts["mean_value"] == 30
    assert content.curves["weights"]["columns"] == ["1", "2", "3"]
    assert content.curves["weights"]["values"] == pytest.approx([300 / 7, 300 / 7, 100 / 7])


def test_a_boxcar_that_reaches_no_key_has_no_answer() -> None:
    settings = {"text": "1 10; 4 20", "query": 2.5, "kernel": "boxcar", "bandwidth": 0.5}
    answer = ask("attention", **settings)
    check(answer)
    assert "every weight would be 0 / 0, so there is no answer" in answer["sentences"][0]
    assert not any("scattered" in sentence for sentence in answer["sentences"])
    assert answer["table"]["rows"][-1] == ["sum", "", "", "0.0%", "none"]
    content = compute(**settings)
    assert content.facts["answer"] == ""
    assert (
        content.facts["keys_reached"] == content.facts["effective_keys"] == content.facts["weight_sum"] == 0
    )
    curve = content.charts[0].figure.data[1]["y"]
    assert (curve[0], curve[len(curve) // 2], curve[-1]) == (10, None, 20)
    rows = content.charts[1].figure.data[0]["z"]
    assert rows[0] == [1, 0]
    assert rows[len(rows) // 2] == [None, None]


def test_the_best_bandwidth_is_that_of_the_smallest_error() -> None:
    content = compute()
    best = content.facts["best_bandwidth"]
    again = compute(bandwidth=best)
    assert again.facts["left_out_error"] == pytest.approx(content.facts["best_error"])
    assert again.facts["left_out_error"] < content.facts["left_out_error"]
    assert "is off by 0.56 (RMSE)" in content.sentences[4]


def test_decimal_commas_lines_and_any_size_of_numbers_are_read() -> None:
    assert compute(text="1,5 2\n\n2.5 3,5").facts["mean_value"] == 2.75
    for text in ("0.001 1; 0.002 3", "-900000 1; 900000 3", "5 1; 5 3"):
        content = compute(text=text)
        assert content.facts["mean_value"] == 2
        assert 1 <= content.facts["answer"] <= 3
    assert compute(text="5 1; 5 3").facts["answer"] == 2  # the same key twice


@pytest.mark.parametrize(
    ("text", "code", "fields"),
    [
        ("", "dictionary_length", {"count": 0}),
        ("1 2", "dictionary_length", {"count": 1}),
        ("1 2;" * 61, "dictionary_length", {"count": 61}),
        ("cat dog; 1 2", "no_number_in_line", {"number": 1, "text": "“cat”"}),
        ("1 2; 3 nan", "no_number_in_line", {"number": 2, "text": "“nan”"}),
        ("1 2; inf 3", "no_number_in_line", {"number": 2, "text": "“inf”"}),
        ("1 2; 1e7 3", "no_number_in_line", {"number": 2, "text": "“1e7”", "limit": "1,000,000"}),
        ("1 2; 3", "no_key_and_value", {"number": 2, "line": "“3”"}),
    ],
)
def test_an_invalid_dictionary_is_refused(text: str, code: str, fields: dict[str, object]) -> None:
    assert says(ask("attention", text=text)["refused"], code, **fields)


def test_a_misspelled_word_finds_its_translation() -> None:
    """The typed word is one letter from cat, and two from dog and from cast."""
    words = "cat gato; dog perro; cast elenco"
    content = compute(shown="words", words=words, word="cot")
    heights = [math.exp(-1 / 2), math.exp(-4 / 2), math.exp(-4 / 2)]
    assert content.facts["largest_weight"] == pytest.approx(heights[0] / sum(heights))
    assert content.facts["answer"] == "gato"
    assert content.sentences[0].startswith("“cot” is not a key, so a dictionary of Python raises KeyError")
    assert "1 from “cot” to “cat”" in content.sentences[1]
    words_settings = {"shown": "words", "words": words, "kernel": "boxcar", "bandwidth": 0.5}
    assert compute(**words_settings, word="cat").facts["largest_share"] == 1
    assert "there is no answer" in compute(**words_settings, word="cot").sentences[0]
    assert "Line 1" in ask("attention", shown="words", words="a b c; d e")["refused"]
    assert says(ask("attention", shown="words", word=" ")["refused"], "no_word_to_look_up")
    assert says(ask("attention", shown="words", word="a" * 25)["refused"], "word_too_long", limit=24)


def test_a_value_of_two_keys_has_both_shares() -> None:
    content = compute(shown="words", words="cat gato; kitty gato; dog perro", word="cat", bandwidth=5)
    assert content.facts["largest_share"] > content.facts["largest_weight"]
    assert content.sentences[0].startswith("“cat” is a key, and still the answer is a mixture")


def test_unscaled_dot_products_of_wide_vectors_leave_one_key() -> None:
    wide = compute(shown="scores", score="dot", width="256")
    assert wide.facts["largest_weight"] > 0.99
    assert wide.facts["dot_entropy"] < 0.3 < 1.5 < wide.facts["scaled_dot_entropy"]
    assert wide.facts["slope"] < 0.01
    assert wide.facts["score_deviation"] == pytest.approx(16, rel=0.15)
    scaled = compute(shown="scores", score="scaled_dot", width="256")
    assert scaled.facts["largest_weight"] < 0.5
    assert scaled.facts["most_entropy"] == pytest.approx(math.log(10))
    for score in ("dot", "scaled_dot", "general", "additive"):
        facts = compute(shown="scores", score=score, width="256").facts
        assert facts["mean_entropy"] == facts[f"{score}_entropy"] == scaled.facts[f"{score}_entropy"]
