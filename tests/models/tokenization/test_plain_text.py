"""Plain text: every white space and invisible character of Unicode, and what must stay."""

from __future__ import annotations

import sys
import unicodedata
from pathlib import Path

import pytest
import torch

from models.decoding.judge.rescore import rescore
from models.decoding.limits import DecodingError
from models.decoding.options import DecodingOptions
from models.decoding.outputs import translate
from models.registry.checkpoint import load_checkpoint
from models.tokenization.plain_text import PlainText, plain_text
from models.tokenization.segmentation import TOKENIZER_KINDS
from models.tokenization.tokenizer import Tokenizer
from tests.refusals import refused

CHECKPOINTS = Path(__file__).parents[3] / "checkpoints"
ALL = [c for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(c) not in {"Cn", "Cs"}]
# Format characters that are drawn, as the sign before an Arabic number, or join Egyptian signs to one.
DRAWN = {*"\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"}
DRAWN |= {chr(number) for number in range(0x13430, 0x1343A)}
BLANK_LETTERS = "\u2800\u3164\uffa0"
HIDDEN_LETTERS = "\u034f\u115f\u1160\u17b4\u17b5"
SENTENCE = "Me gusta la música."
SPACES = [c for c in ALL if c.isspace() or unicodedata.category(c).startswith("Z") or c in BLANK_LETTERS]
INVISIBLE = [
    c
    for c in ALL
    if c not in SPACES
    and (
        unicodedata.category(c) in {"Cf", "Cc"}
        or "VARIATION SELECTOR" in unicodedata.name(c, "")
        or c in HIDDEN_LETTERS
    )
    and c not in DRAWN
]


def test_every_white_space_becomes_one_space() -> None:
    assert {plain_text(f"{c}me{c}gusta{c}{c} la{c}") for c in SPACES} == {"me gusta la"}


def test_every_invisible_character_leaves_latin_text() -> None:
    assert {plain_text(f"{c}m{c}ú{c}{c}sica {c} {c}.{c}") for c in INVISIBLE} == {"música ."}


@pytest.mark.slow
def test_other_characters_stay() -> None:
    others = sorted({*ALL} - {*SPACES, *INVISIBLE})
    assert plain_text("a".join(others)) == "a".join(others)


@pytest.mark.parametrize(
    "text",
    [
        "می\u200cخواهم",  # Persian: one word, and letters that do not join
        "क्\u200dष क्\u200cष",  # Hindi: three shapes of one conjunct
        "ශ්\u200dරී ලංකා",  # Sinhala
        "ភាសា\u200bខ្មែរ",  # Khmer: where one word ends
        "👩‍👩‍👧 👩🏽‍🚀 🏴\u200d☠\ufe0f ❤\ufe0f‍🔥 ©\ufe0f 1\ufe0f⃣",
        "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",  # the flag of England
        "葛\U000e0100城市",  # the variant of an ideograph
        "ᠮᠣᠩᠭᠣᠯ\u180e\u1820",
        "\u115f\u1161",
        "¿Dónde está…? — «L'été», 東京、שלום",
        unicodedata.normalize("NFD", "mañana"),
        "",
    ],
    ids=ascii,
)
def test_a_text_of_any_script_keeps_its_spelling(text: str) -> None:
    assert plain_text(text) == text


@pytest.mark.parametrize(
    "typed", ["", " ", "\u200b", "a", "\u00a0\ufeffel\t\u200b gato\u00ad\u200a", "mu\u034f\u0301s", "\ud83da"]
)
def test_every_normalised_character_has_the_offset_of_its_typed_one(typed: str) -> None:
    read = PlainText.of(typed)
    assert len(read.text) == len(read.starts) == len(read.ends)
    for index, character in enumerate(read.text):
        start, end = read.span(index, index + 1)
        assert plain_text(read.typed[start:end]) == character.strip()
    assert [*read.starts, len(read.typed)] == sorted([*read.starts, len(read.typed)])
    assert read.span(len(read.text), len(read.text)) == (len(read.typed),) * 2
    assert plain_text(read.text) == read.text


@pytest.mark.parametrize("kind", TOKENIZER_KINDS)
def test_offsets_mark_the_letters_that_were_typed(kind: str) -> None:
    tokenizer = Tokenizer.train([SENTENCE], kind, vocab_size=60)
    typed = "\ufeffMe\u00a0\u3000gusta\tla mú\u00adsi\u200dca\u200b.\n"
    encoding, expected = tokenizer.encode(typed), tokenizer.encode(SENTENCE)
    assert (encoding.ids, encoding.tokens, encoding.unknown) == (expected.ids, expected.tokens, ())
    assert list(encoding.ids) == tokenizer.encode_ids([typed])[0]
    pieces = [plain_text(typed[start:end]) for start, end in encoding.offsets]
    assert pieces == [SENTENCE[start:end].strip() for start, end in expected.offsets]


@pytest.mark.parametrize("kind", TOKENIZER_KINDS)
def test_a_vocabulary_is_learnt_from_plain_texts(kind: str) -> None:
    tokenizer = Tokenizer.train(["\ufeffMe\u00a0gusta\tla mú\u00adsica.\u200b"], kind, vocab_size=60)
    spelt = [tokenizer.token(number) for number in range(tokenizer.vocab_size)]
    assert {*"".join(spelt[4:])} - {*SENTENCE} <= {*"▁#"}


@pytest.mark.parametrize("name", ["spa-eng-gru", "spa-eng-transformer"])
def test_a_shipped_checkpoint_reads_all_forms_of_a_sentence_alike(name: str) -> None:
    checkpoint = load_checkpoint(CHECKPOINTS / name, torch.device("cpu"))
    forms = [SENTENCE.replace(" ", space) for space in ("\u00a0", "\t", "\u3000", "  ", "\r\n", "\u2028")]
    forms += [f"\ufeff{SENTENCE} ", SENTENCE.replace("s", "\u00ads"), "\u200b".join(SENTENCE)]
    outputs = translate(checkpoint.model, checkpoint.tokenizer, [SENTENCE, *forms], DecodingOptions("greedy"))
    assert set(outputs) == {"I like music."}


@pytest.mark.parametrize("text", ["\u200b", " \u00ad\t", "\u2060\ufeff"], ids=ascii)
def test_invisible_characters_alone_are_no_text(text: str) -> None:
    checkpoint = load_checkpoint(CHECKPOINTS / "reverse-gru", torch.device("cpu"))
    with refused(DecodingError, "no_text"):
        rescore(checkpoint.model, checkpoint.tokenizer, text, "ab")
    with refused(DecodingError, "no_text_to_score"):
        rescore(checkpoint.model, checkpoint.tokenizer, "ab", text)
