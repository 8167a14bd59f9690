"""Five kinds of tokenizer: exact ids, tokens and offsets of any typed text."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from models.tokenization.plain_text import BOS, EOS, PAD, UNK, plain_text
from models.tokenization.segmentation import TOKENIZER_KINDS, TokenizerError
from models.tokenization.tokenizer import Tokenizer
from tests.refusals import refused

TEXTS = (
    "¿Dónde vive la niña pequeña?",
    "The little girl lives here.",
    "Mañana comeré pan con queso, ¿y tú?",
    "I will eat bread with cheese tomorrow, and you?",
    "El perro corre; el gato duerme.",
    "The dog runs (fast), the cat sleeps!",
)
EMOJI, HEBREW, FAMILY = "🦊", "שלום", "👩‍👩‍👧"
TYPED = (
    "",
    "   ",
    "niña",
    "  dos  espacios ",
    f"perro {EMOJI} gato",
    f"{HEBREW} perro",
    f"{FAMILY}{FAMILY}",
    "</s>",
    "el <s> perro </s> <pad> <unk>",
    "<script>alert(1)</script>",
    "${alert(1)}",
    "a▁b ##a",
    "tab\ty\nlínea",
    "nul\0",
    "e" * 10_000,
    unicodedata.normalize("NFD", "mañana está aquí"),
    unicodedata.normalize("NFD", "ñandú"),
    unicodedata.normalize("NFD", "한국어 perro"),
)
every_kind = pytest.mark.parametrize("kind", TOKENIZER_KINDS)
every_text = pytest.mark.parametrize("text", TYPED, ids=ascii)


@pytest.fixture(scope="module")
def tokenizers() -> dict[str, Tokenizer]:
    return {kind: Tokenizer.train(TEXTS, kind, vocab_size=200) for kind in TOKENIZER_KINDS}


@pytest.fixture
def tokenizer(tokenizers: dict[str, Tokenizer], kind: str) -> Tokenizer:
    return tokenizers[kind]


@every_kind
def test_special_tokens_have_the_first_ids(tokenizer: Tokenizer) -> None:
    assert [tokenizer.token(i) for i in range(4)] == [PAD, UNK, BOS, EOS]
    assert (tokenizer.pad_id, tokenizer.unk_id, tokenizer.bos_id, tokenizer.eos_id) == (0, 1, 2, 3)


@every_kind
def test_ids_and_tokens_are_each_other_s_inverse(tokenizer: Tokenizer) -> None:
    tokens = [tokenizer.token(i) for i in range(tokenizer.vocab_size)]
    assert [tokenizer.token_id(token) for token in tokens] == list(range(tokenizer.vocab_size))
    assert tokenizer.token_id("nowhere") is None
    with pytest.raises(KeyError):
        tokenizer.token(tokenizer.vocab_size)


@every_kind
@every_text
def test_the_parts_of_an_encoding_agree(tokenizer: Tokenizer, text: str) -> None:
    encoding = tokenizer.encode(text)
    assert encoding.text == text
    assert len(encoding.ids) == len(encoding.tokens) == len(encoding.offsets)
    assert encoding.tokens == tuple(tokenizer.token(i) for i in encoding.ids)
    assert list(encoding.ids) == tokenizer.encode_ids([text])[0]


@every_kind
@every_text
def test_only_the_last_token_is_special(tokenizer: Tokenizer, text: str) -> None:
    *typed, last = tokenizer.encode(text).ids
    assert last == Tokenizer.eos_id
    assert not {Tokenizer.pad_id, Tokenizer.bos_id, Tokenizer.eos_id} & set(typed)


@every_kind
@every_text
def test_offsets_are_in_order_and_in_the_text(tokenizer: Tokenizer, text: str) -> None:
    offsets = tokenizer.encode(text).offsets
    assert all(0 <= start <= end <= len(text) for start, end in offsets)
    assert list(offsets) == sorted(offsets)
    assert offsets[-1] == (len(text), len(text))


@every_kind
@every_text
def test_every_visible_character_is_in_a_token(tokenizer: Tokenizer, text: str) -> None:
    covered = {index for start, end in tokenizer.encode(text).offsets for index in range(start, end)}
    lost = [text[index] for index in range(len(text)) if index not in covered and plain_text(text[index])]
    assert lost == []


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("character", ["n", "i", "ñ", "a", " ", "t", "ú"]),
        ("word", ["niña", "tú"]),
        ("bpe", ["niña", " tú"]),
        ("wordpiece", ["niña", "tú"]),
    ],
)
def test_offsets_count_in_the_text_as_typed(tokenizer: Tokenizer, expected: list[str], form: str) -> None:
    """A decomposed accent belongs to its letter, although the tokenizer sees the two as one."""
    text = unicodedata.normalize(form, "niña tú")
    encoding = tokenizer.encode(text)
    pieces = [text[start:end] for start, end in encoding.offsets[:-1]]
    assert [unicodedata.normalize("NFC", piece) for piece in pieces] == expected
    assert "".join(pieces).replace(" ", "") == text.replace(" ", "")


@every_kind
def test_a_decomposed_text_has_the_same_ids(tokenizer: Tokenizer) -> None:
    text = "¿dónde está la niña?"
    assert tokenizer.encode(unicodedata.normalize("NFD", text)).ids == tokenizer.encode(text).ids


@every_kind
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_an_unknown_letter_keeps_its_accent(tokenizer: Tokenizer, form: str) -> None:
    text = unicodedata.normalize(form, "perro ŵ")
    assert tokenizer.encode(text).unknown == (text.split()[1],)


@every_kind
def test_unknown_characters_are_reported_once_each_in_order(tokenizer: Tokenizer) -> None:
    encoding = tokenizer.encode(f"語 perro {EMOJI} 語 gato {HEBREW[0]}")
    assert encoding.unknown == ("語", EMOJI, HEBREW[0])
    assert encoding.ids.count(Tokenizer.unk_id) == 4


@every_kind
def test_a_known_text_has_nothing_unknown(tokenizer: Tokenizer) -> None:
    assert [tokenizer.encode(text).unknown for text in TEXTS] == [()] * len(TEXTS)


@every_kind
def test_an_empty_text_is_an_end_token(tokenizer: Tokenizer) -> None:
    encoding = tokenizer.encode("")
    assert (encoding.ids, encoding.tokens, encoding.offsets) == ((Tokenizer.eos_id,), (EOS,), ((0, 0),))


@pytest.mark.parametrize("kind", ["character", "bpe", "unigram"])
@pytest.mark.parametrize("text", TEXTS)
def test_a_known_text_survives(tokenizer: Tokenizer, text: str) -> None:
    assert tokenizer.decode(tokenizer.encode(text).ids) == text


@pytest.mark.parametrize("kind", ["word", "wordpiece"])
def test_a_word_tokenizer_loses_only_spacing(tokenizer: Tokenizer) -> None:
    for text in TEXTS:
        assert tokenizer.decode(tokenizer.encode(text).ids).replace(" ", "") == text.replace(" ", "")
    spaced = "The little girl lives here."
    assert tokenizer.decode(tokenizer.encode(spaced).ids) == spaced


@every_kind
def test_control_tokens_leave_no_trace_in_the_text(tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode("The dog runs").ids
    assert tokenizer.decode([Tokenizer.bos_id, *ids, Tokenizer.pad_id]) == "The dog runs"
    assert UNK in tokenizer.decode([Tokenizer.unk_id])


@every_kind
def test_a_loaded_tokenizer_equals_the_saved_one(tokenizer: Tokenizer, tmp_path: Path) -> None:
    tokenizer.save(tmp_path / "tokenizer.json")
    loaded = Tokenizer.load(tmp_path / "tokenizer.json")
    assert loaded.vocab_size == tokenizer.vocab_size
    for text in (*TEXTS, *TYPED):
        assert loaded.encode(text) == tokenizer.encode(text)


@pytest.mark.parametrize("kind", ["bpe", "wordpiece", "unigram"])
def test_pieces_depend_on_the_budget(kind: str) -> None:
    small, large = (Tokenizer.train(TEXTS, kind, vocab_size=size) for size in (70, 100))
    assert small.vocab_size < large.vocab_size <= 100


@pytest.mark.parametrize("kind", ["character", "word"])
def test_the_vocabulary_keeps_the_most_frequent_tokens(kind: str) -> None:
    tokenizer = Tokenizer.train(["a a a b b c"], kind, vocab_size=6)
    spellings = [tokenizer.token(i) for i in range(4, tokenizer.vocab_size)]
    assert sorted(spellings) == {"character": [" ", "a"], "word": ["a", "b"]}[kind]


@pytest.mark.parametrize("kind", ["character", "word", "bpe", "wordpiece"])
def test_tokens_below_the_minimum_frequency_are_left_out(kind: str) -> None:
    tokenizer = Tokenizer.train(["pan pan pan", "pan pez"], kind, vocab_size=100, min_frequency=4)
    assert "pan" in tokenizer.decode(tokenizer.encode("pan").ids)
    assert {"character": "z", "word": "pez", "bpe": "▁pez", "wordpiece": "pez"}[kind] not in [
        tokenizer.token(i) for i in range(tokenizer.vocab_size)
    ]


@pytest.mark.parametrize("kind", ["letters", "", "BPE", None])
def test_an_unknown_kind_is_refused_with_the_known_ones(kind: Any) -> None:
    with refused(TokenizerError, "not_one_of", "kind", ", ".join(TOKENIZER_KINDS), kind):
        Tokenizer.train(TEXTS, kind)


@every_kind
@pytest.mark.parametrize("size", [-1, 0, 4, "8000", None, 10.5])
def test_an_impossible_size_is_refused(kind: str, size: Any) -> None:
    with refused(TokenizerError, "not_whole", "vocab_size", 5):
        Tokenizer.train(TEXTS, kind, vocab_size=size)


@pytest.mark.parametrize("kind", ["bpe", "wordpiece", "unigram"])
def test_a_size_below_the_alphabet_is_refused(kind: str) -> None:
    with refused(TokenizerError, ("tokenizer_not_learnt", "vocabulary_too_small_for_letters"), 10):
        Tokenizer.train(TEXTS, kind, vocab_size=10)


@pytest.mark.parametrize("content", ["", "{", "[]", "null", '{"version": "1.0"}', "\0\1"])
def test_a_malformed_file_is_refused(content: str, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(content)
    with refused(TokenizerError, "no_tokenizer_file"):
        Tokenizer.load(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with refused(TokenizerError, "no_tokenizer_file"):
        Tokenizer.load(tmp_path / "tokenizer.json")


def test_a_file_whose_special_tokens_are_elsewhere_is_refused(
    tokenizers: dict[str, Tokenizer], tmp_path: Path
) -> None:
    path = tmp_path / "tokenizer.json"
    tokenizers["word"].save(path)
    content = json.loads(path.read_text(encoding="utf-8"))
    content["added_tokens"] = []
    vocab = content["model"]["vocab"]
    vocab[PAD], vocab[EOS] = vocab[EOS], vocab[PAD]
    path.write_text(json.dumps(content), encoding="utf-8")
    with refused(TokenizerError, "special_tokens_moved", "[3, 1, 2, 0]"):
        Tokenizer.load(path)


def test_half_of_a_character_is_read_as_unknown(tokenizers: dict[str, Tokenizer]) -> None:
    """A lone surrogate is no text, but JSON can carry one."""
    encoding = tokenizers["character"].encode("a\ud800b")
    assert (encoding.tokens, encoding.unknown) == (("a", UNK, "b", EOS), ("\ufffd",))
