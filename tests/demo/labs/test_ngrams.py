"""The lab of n-grams, compared with numbers computed by hand."""

from __future__ import annotations

from tests.demo.labs.test_every_lab import ask
from tests.messages import says

TEXT = "a b. a c. a b c"


def test_the_table_has_each_factor_with_its_counts() -> None:
    answer = ask("ngrams", text=TEXT, sentence="a b c", alpha=0, order="2")
    assert answer["table"]["rows"] == [
        ["<s>", "a", 3, 3, "100%"],
        ["a", "b", 2, 3, "66.7%"],
        ["b", "c", 1, 2, "50.0%"],
        ["c", "</s>", 2, 2, "100%"],
    ]
    # The fourth root of 3, since the product of all factors is a third.
    assert "Perplexity 1.32: at each of 4 tokens" in answer["sentences"][0]
    assert "P(c | b) = 50.0%" in answer["sentences"][0]
    assert answer["charts"][0]["data"][0]["y"] == [1, 2 / 3, 1 / 2, 1]


def test_the_chain_runs_backwards_from_the_last_word() -> None:
    answer = ask("ngrams", text=TEXT, sentence="a b c", alpha=0, order="2", direction="backward")
    assert [row[:2] for row in answer["table"]["rows"]] == [
        ["<s>", "c"],
        ["c", "b"],
        ["b", "a"],
        ["a", "</s>"],
    ]


def test_an_unseen_pair_is_impossible_until_something_is_added() -> None:
    answer = ask("ngrams", text=TEXT, sentence="c a", alpha=0)
    assert answer["sentences"][0].startswith("The sentence is impossible for this model: P(c | <s>) = 0")
    assert answer["charts"][1]["data"][1]["y"][1] is None
    assert "Perplexity" in ask("ngrams", text=TEXT, sentence="c a", alpha=1)["sentences"][0]


def test_the_most_probable_next_tokens_follow_from_the_counts() -> None:
    chart = ask("ngrams", text="a b. a b. a c. b a", sentence="c a", alpha=0, order="2")["charts"][2]
    assert chart["title"] == "Most probable tokens after “a”"
    assert chart["layout"]["xaxis"]["ticktext"] == ["b", "&lt;/s&gt;", "c"]
    assert chart["data"][0]["y"] == [1 / 2, 1 / 4, 1 / 4]
    unseen = ask("ngrams", text="a b", sentence="b a a", alpha=0, order="3")
    assert [chart["name"] for chart in unseen["charts"]] == ["chain", "perplexity"]
    assert ask("ngrams", text="a b", order="1")["charts"][2]["title"] == "Most probable tokens"


def test_the_line_of_guessing_is_at_the_size_of_the_vocabulary() -> None:
    (line,) = ask("ngrams", text=TEXT)["charts"][1]["layout"]["shapes"]
    assert line["y0"] == line["y1"] == 5


def test_a_text_without_words_is_refused() -> None:
    assert says(ask("ngrams", text="...")["refused"], "no_word_to_count")
    answer = ask("ngrams", sentence="a " * 100)
    assert says(answer["refused"], "too_many_words_to_judge", count=100)
    assert len(answer["controls"]) == len(ask("ngrams")["controls"])
