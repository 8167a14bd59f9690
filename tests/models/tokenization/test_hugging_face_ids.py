"""Every tokenizer that the Hub may send gives the ids of the library's own, also for awkward texts."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tokenizers import AddedToken
from transformers import AutoTokenizer

from models.tokenization.hugging_face import HuggingFaceTokenizer
from models.tokenization.plain_text import plain_text
from tests.fakes.hugging_face import tokenizers as fakes

COUNT = 200
WORDS = (
    *("el", "perro", "duerme", "gato", "casa", "azul", "la", "ñandú", "sí", "SÍ", "n\u0303", "e\u0301l"),
    *(
        "ﬁn",
        "座房子很小",
        "ねこ",
        "고양이",
        "كلب",
        "หมา",
        "👍🏽",
        "👨\u200d👩\u200d👧",
        "🇪🇸",
        "12.345,6",
        "2026",
        "½",
    ),
    *("３", "a1b2", "x²", "'perro'", '"gato"', "“el”", "«la»", "¿sí?", "l'azul", "--", "…", "el.", "(casa)"),
    *("a/b", "\\", "@@", "▁el", "Ġel"),
)
SPECIAL = ("</s>", "<unk>", "<pad>", "<s>", "<eos>", "<bos>", "__end__", "<extra_id_0>", "spa_Latn", "__fr__")
CODES = (">>fra<<", "<2es>", "fr_XX")
ADDED = ("COVID", "covid-19", "ñ+", "new word", "lone", "tight")
SPACES = (" ", " ", " ", "", "  ", "   ", "\t", "\n", "\u00a0", "\u3000")
BETWEEN = (*SPACES, "\u200b", "\u00ad", "\x07", "\x1f", "\ufeff")
MAKERS: dict[str, Callable[[Path], Any]] = {
    "bart": lambda folder: fakes.bart(),
    "blenderbot": lambda folder: fakes.blenderbot(),
    "blenderbot-small": fakes.blenderbot_small,
    "m2m100": fakes.m2m100,
    "m2m100 without languages": lambda folder: fakes.m2m100(folder, lists_languages=False),
    "madlad": lambda folder: fakes.madlad(),
    "marian": fakes.marian,
    "marian with languages": lambda folder: fakes.marian(folder, [">>fra<<", ">>spa<<"]),
    "marian of two vocabularies": fakes.marian_of_two_vocabularies,
    "mbart": lambda folder: fakes.mbart(),
    "mbart50": lambda folder: fakes.mbart50(),
    "nllb": lambda folder: fakes.nllb(),
    "pegasus": lambda folder: fakes.pegasus(),
    "t5": lambda folder: fakes.t5(),
    "t5gemma": lambda folder: fakes.gemma(),
}


def awkward_texts(seed: int) -> list[str]:
    """Texts put together at random, each kind of oddity in several, and added tokens against letters."""
    rng = random.Random(seed)
    kinds = (WORDS, (*WORDS, *ADDED), (*WORDS, *ADDED, *SPECIAL), (*WORDS, *ADDED, *CODES))
    texts = ["", " ", *SPECIAL, *ADDED, "the COVID ñandú here", "xCOVIDy COVID,COVID", "a lone b, tight ."]
    while len(texts) < COUNT:
        kind, parts = rng.choice(kinds), []
        for _ in range(rng.randint(1, 9)):
            parts += [rng.choice(kind), rng.choice(BETWEEN)]
        texts.append("".join(parts))
    return texts


def saved(theirs: Any, folder: Path) -> Any:
    """Return the tokenizer as a repository would hold it."""
    theirs.save_pretrained(folder)
    return AutoTokenizer.from_pretrained(folder)


def expected(theirs: Any, text: str) -> list[int]:
    """The library's ids, with special tokens within a text read as text.

    Its T5 tokenizer numbers what it does not know by 2, which is the end token of a MADLAD.
    """
    special = {token.content for token in theirs.added_tokens_decoder.values() if token.special}
    typed = any(token in text for token in special.union(theirs.all_special_tokens))
    ids = theirs(text, split_special_tokens=typed).input_ids
    frame, framed = theirs("").input_ids, theirs("el").input_ids
    before = int(frame[:1] == framed[:1])
    inner = ids[before : len(ids) - len(frame) + before]
    acting = {*theirs.all_special_ids}
    return [*frame[:before], *(theirs.unk_token_id if i in acting else i for i in inner), *frame[before:]]


@pytest.mark.parametrize("with_added", [False, True], ids=["as made", "with added tokens"])
@pytest.mark.parametrize("family", MAKERS)
def test_ids_are_those_of_the_library(family: str, with_added: bool, tmp_path: Path) -> None:
    (tmp_path / "made").mkdir()
    theirs = MAKERS[family](tmp_path / "made")
    if with_added:
        flags = [{}, {"normalized": True}, {}, {"lstrip": True, "rstrip": True}]
        flags += [{"single_word": True}, {"rstrip": True}]
        theirs.add_tokens([AddedToken(word, **flag) for word, flag in zip(ADDED, flags, strict=True)])
    theirs = saved(theirs, tmp_path / "saved")
    tokenizer = HuggingFaceTokenizer(theirs, fakes.generation(theirs), len(theirs))
    texts = awkward_texts(seed=len(family))
    read = [list(ids) for ids in tokenizer.encode_ids(texts)]
    differing = {
        text: (ids, library_ids)
        for text, ids in zip(texts, read, strict=True)
        if ids != (library_ids := expected(theirs, plain_text(text)))
    }
    assert differing == {}
