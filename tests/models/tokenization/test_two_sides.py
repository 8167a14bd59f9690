"""Tokenizers that read sources in one way and write targets in another, and those that read pictures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from models.tokenization.pictures import PictureError, PictureGrid, picture_text
from models.tokenization.plain_text import SPECIAL_TOKENS
from models.tokenization.segmentation import TokenizerError
from models.tokenization.tokenizer import Tokenizer
from tests.refusals import refused

WORDS, SOUNDS = ("night", "knight's"), ("N AY T", "N AY T S")


def spelling(lowercase: bool = True) -> Tokenizer:
    return Tokenizer.train(WORDS, "character", 60, targets=SOUNDS, target_kind="word", lowercase=lowercase)


def reloaded(tokenizer: Tokenizer, folder: Path) -> Tokenizer:
    tokenizer.save(folder / "tokenizer.json")
    return Tokenizer.load(folder / "tokenizer.json")


def test_letters_are_read_and_sounds_are_written(tmp_path: Path) -> None:
    for tokenizer in (spelling(), reloaded(spelling(), tmp_path)):
        assert tokenizer.encode("night").tokens == ("n", "i", "g", "h", "t", "</s>")
        assert tokenizer.target.encode("N AY T").tokens == ("N", "AY", "T", "</s>")
        assert tokenizer.decode(tokenizer.target.encode_ids(["N AY T S"])[0]) == "N AY T S"
        # One list of ids: a network has one vocabulary.
        assert tokenizer.vocab_size == tokenizer.target.vocab_size == len(SPECIAL_TOKENS) + 8 + 4
        assert {tokenizer.token(i) for i in range(tokenizer.vocab_size)} == {
            *SPECIAL_TOKENS,
            *"nightk's",
            *("N", "AY", "T", "S"),
        }


def test_capitals_are_read_as_small_letters_and_never_as_sounds(tmp_path: Path) -> None:
    assert reloaded(spelling(), tmp_path).encode("NiGHT").ids == spelling().encode("night").ids
    assert spelling(lowercase=False).encode("N").tokens[0] == "N"  # a sound: why sources want lower case


def test_offsets_count_in_the_text_as_given() -> None:
    read = spelling().encode("Night")
    assert [read.text[start:end] for start, end in read.offsets] == [*"Night", ""]


def test_targets_keep_their_capitals(tmp_path: Path) -> None:
    tokenizer = Tokenizer.train(["un mar"], "bpe", 60, targets=["A Sea"], lowercase=True)
    for item in (tokenizer, reloaded(tokenizer, tmp_path)):
        assert item.decode(item.target.encode("A Sea").ids) == "A Sea"
        assert item.encode("Un MAR").ids == item.encode("un mar").ids
        assert not item.encode("UN").unknown


def test_only_lists_of_tokens_can_be_mixed() -> None:
    with refused(TokenizerError, "target_kind_alone", "character and word", "bpe", "word"):
        Tokenizer.train(WORDS, "bpe", 60, targets=SOUNDS, target_kind="word")


def test_both_sides_must_fit_into_the_vocabulary() -> None:
    with refused(TokenizerError, "vocabulary_too_small", 13, 16):
        Tokenizer.train(WORDS, "character", 13, targets=SOUNDS, target_kind="word")


def test_sides_with_different_special_ids_are_refused(tmp_path: Path) -> None:
    content = json.loads(spelling().to_json())
    vocabulary = content["target"]["model"]["vocab"]
    vocabulary["AY"], vocabulary["T"] = vocabulary["T"], vocabulary["AY"]
    (tmp_path / "tokenizer.json").write_text(json.dumps(content), encoding="utf-8")
    with refused(TokenizerError, "tokens_differ"):
        Tokenizer.load(tmp_path / "tokenizer.json")


def test_chinese_characters_are_words_and_add_no_space(tmp_path: Path) -> None:
    tokenizer = Tokenizer.train(["I love you, Tom.", "我爱你，汤姆。他于1927年来。"], "wordpiece", 200)
    for item in (tokenizer, reloaded(tokenizer, tmp_path)):
        assert item.encode("我爱你").tokens[:3] == ("我", "爱", "你")
        for text in ("我爱你，汤姆。", "他于1927年来。", "I love you, Tom."):
            assert item.decode(item.encode(text).ids) == text


def captions(folder: Path) -> Tokenizer:
    return reloaded(
        Tokenizer.for_pictures(PictureGrid(4, 2), ["a red circle", "a blue star"], "word", 50), folder
    )


def test_a_picture_is_encoded_as_pixels_and_shown_as_cells(tmp_path: Path) -> None:
    picture = picture_text(Image.new("RGB", (4, 4), (1, 2, 3)), 4)
    read = captions(tmp_path).encode(picture)
    assert read.ids == (0x010203,) * 16
    assert read.tokens == ("1,1", "1,2", "2,1", "2,2")
    assert read.text == picture
    assert not read.unknown
    assert [list(ids) for ids in captions(tmp_path).encode_ids([picture])] == [list(read.ids)]


def test_captions_are_written_in_words(tmp_path: Path) -> None:
    tokenizer = captions(tmp_path)
    assert tokenizer.decode(tokenizer.target.encode("a red star").ids) == "a red star"
    assert tokenizer.target.picture is None


def test_a_text_is_no_picture(tmp_path: Path) -> None:
    with refused(PictureError, "no_picture"):
        captions(tmp_path).encode("a red circle")


@pytest.mark.parametrize("grid", [{}, {"size": 4}, {"size": 4, "cells": 3}, {"size": "4", "cells": 2}, None])
def test_a_damaged_grid_is_refused(tmp_path: Path, grid: object) -> None:
    content = json.loads(captions(tmp_path).to_json())
    content["source"]["picture"] = grid
    (tmp_path / "tokenizer.json").write_text(json.dumps(content), encoding="utf-8")
    with refused(TokenizerError, "no_tokenizer_file"):
        Tokenizer.load(tmp_path / "tokenizer.json")
