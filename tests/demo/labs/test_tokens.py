"""The lab of tokens against counts by hand."""

from __future__ import annotations

from tests.demo.labs.test_every_lab import ask
from tests.messages import says


def test_a_text_is_tokenized_in_five_ways() -> None:
    answer = ask("tokens", text="ab ab\ncd", merges=2)
    assert answer["charts"][0]["data"][0]["y"][:3] == [7, 3, 5]  # ▁ab ▁ab | ▁ c d
    assert "Characters in your lines: 7. Words and punctuation marks: 3." in answer["sentences"][0]
    assert "after 2 merges it has 5 tokens" in answer["sentences"][0]
    assert "“ab”, “▁ab”" in answer["sentences"][1]
    assert answer["charts"][1]["data"][0]["y"] == [9, 7, 5]


def test_the_table_of_ids_is_cut_and_padded() -> None:
    answer = ask("tokens", text="a b c d\na", kind="words", longest=4)
    rows = answer["table"]["rows"]
    assert rows[0] == ["<s> 2", "a 4", "b 5", "</s> 3"]
    assert rows[1] == ["<s> 2", "a 4", "</s> 3", "<pad> 0"]
    assert "Padding, which it must ignore: 1 of 8 tokens" in answer["sentences"][2]
    assert "cut off: 2" in answer["sentences"][2]
    left = ask("tokens", text="a b c d\na", kind="words", longest=4, padding="left")
    assert left["table"]["rows"][1] == ["<pad> 0", "<s> 2", "a 4", "</s> 3"]


def test_too_many_and_too_few_lines_are_refused() -> None:
    assert says(ask("tokens", text=" \n ")["refused"], "no_word_in_lines")
    assert says(ask("tokens", text="a\n" * 13)["refused"], "lines_do_not_fit", lines=12)
