"""Tokens by hand, and byte-pair encoding beside the `tokenizers` library."""

from __future__ import annotations

import json

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from models.labs.subwords import (
    END,
    PADDING_TOKEN,
    START,
    Merge,
    Vocabulary,
    apply_merges,
    batch,
    characters,
    learn_merges,
    unigram,
    wordpiece,
    words,
)

TEXT = "aaab aab ab b"


def test_merges_match_a_count_by_hand() -> None:
    # The neighbours in ▁aaab ▁aab ▁ab ▁b: aa, ab and ▁a, three times each; aa sorts first.
    assert learn_merges(TEXT, 1) == [Merge(("a", "a"), 3)]
    assert learn_merges("ab ab cd", 9) == [Merge(("a", "b"), 2), Merge(("▁", "ab"), 2)]
    assert apply_merges("ab abc", learn_merges("ab ab cd", 9)) == ["▁ab", "▁ab", "c"]
    assert learn_merges("abc", 9) == []  # no pair stands twice
    assert learn_merges("", 9) == []


def test_merge_counts_and_token_numbers_never_increase() -> None:
    text = "the lowest tower the newest and lowest of the towers lower slower lowest"
    merges = learn_merges(text, 99)
    counts = [merge.count for merge in merges]
    assert counts == sorted(counts, reverse=True)
    lengths = [len(apply_merges(text, merges[:index])) for index in range(len(merges) + 1)]
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[0] == len(text.replace(" ", "")) + len(text.split())
    assert "".join(apply_merges(text, merges)) == "▁" + text.replace(" ", "▁")


def test_merges_of_the_library_split_text_as_the_library_does() -> None:
    text = "the lowest tower the newest and lowest of the towers lower slower lowest"
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.train_from_iterator([text], trainers.BpeTrainer(vocab_size=40, show_progress=False))
    merges = [Merge((one, other), 0) for one, other in json.loads(tokenizer.to_str())["model"]["merges"]]
    assert len(merges) > 10
    for line in (text, "slowest of the lowest", "newer"):
        assert apply_merges(line, merges) == tokenizer.encode(line).tokens


def test_a_batch_is_cut_and_padded_on_either_side() -> None:
    lines = [["a", "b", "c", "d"], ["e"]]
    assert batch(lines, 5) == [[START, "a", "b", "c", END], [START, "e", END, PADDING_TOKEN, PADDING_TOKEN]]
    assert batch(lines, 5, left=True)[1] == [PADDING_TOKEN, PADDING_TOKEN, START, "e", END]
    assert batch(lines, 40)[0] == [START, "a", "b", "c", "d", END]
    with pytest.raises(ValueError, match="room"):
        batch(lines, 2)


def test_ids_begin_with_the_special_tokens() -> None:
    vocabulary = Vocabulary.of([["b", "a", "b"], ["c"]])
    assert vocabulary.tokens == ("<pad>", "<unk>", "<s>", "</s>", "b", "a", "c")
    assert vocabulary.ids(["a", "z", PADDING_TOKEN]) == [5, 1, 0]


def test_texts_split_into_characters_and_words() -> None:
    assert characters(" a b\tc ") == ["a", "▁", "b", "▁", "c"]
    assert words("Don't stop, 中文!") == ["Don", "'", "t", "stop", ",", "中", "文", "!"]


def test_learnt_vocabularies_give_the_text_back() -> None:
    lines = ["the lowest tower", "the newest towers"]
    for line, cut in zip(lines, unigram(lines, 30), strict=True):
        assert "".join(cut).replace("▁", " ").strip() == line
    for line, cut in zip(lines, wordpiece(lines, 30), strict=True):
        assert "".join(cut).replace("##", "") == line.replace(" ", "")
