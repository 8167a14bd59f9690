"""Tokenizers of the transformers library with the interface of our own."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Regex
from tokenizers.pre_tokenizers import Split

from models.tokenization.hugging_face import HuggingFaceTokenizer
from models.tokenization.hugging_face_pieces import pieces
from models.tokenization.plain_text import plain_text
from models.tokenization.segmentation import TokenizerError
from tests.fakes.hugging_face.tokenizers import (
    SENTENCES,
    TARGETS,
    bart,
    blenderbot,
    blenderbot_small,
    generation,
    m2m100,
    marian,
    marian_of_two_vocabularies,
    nllb,
    pegasus,
    t5,
)
from tests.refusals import Refusal, refused

Pair = tuple[Any, HuggingFaceTokenizer]
TEXTS = ("el  gato azul ", "ñu el perro", "el\u200bgato\tazul\u00ad")


@pytest.fixture(params=["t5", "nllb", "bart", "marian", "m2m100"])
def pair(request: pytest.FixtureRequest, tmp_path: Path) -> Pair:
    makers: dict[str, Any] = {"t5": t5, "nllb": nllb, "bart": bart}
    makers |= {"marian": lambda: marian(tmp_path), "m2m100": lambda: m2m100(tmp_path)}
    theirs = makers[request.param]()
    languages = {"nllb": ("spa_Latn", "fra_Latn"), "m2m100": ("es", "fr")}.get(request.param, ("", ""))
    codes = dict(zip(("source_language", "target_language"), languages, strict=True))
    return theirs, HuggingFaceTokenizer(theirs, generation(theirs), len(theirs) + 2).in_variant(**codes)


def test_a_source_has_the_librarys_ids(pair: Pair) -> None:
    theirs, tokenizer = pair
    expected = theirs([*SENTENCES, *map(plain_text, TEXTS)]).input_ids
    assert [list(ids) for ids in tokenizer.encode_ids([*SENTENCES, *TEXTS])] == expected
    assert [list(tokenizer.encode(text).ids) for text in (*SENTENCES, *TEXTS)] == expected


def test_offsets_are_the_positions_of_tokens_in_the_text(pair: Pair) -> None:
    _, tokenizer = pair
    for text in (*SENTENCES, "el  gato azul"):
        encoding = tokenizer.encode(text)
        assert len(encoding.ids) == len(encoding.tokens) == len(encoding.offsets)
        covered = "".join(text[start:end] for start, end in encoding.offsets)
        assert covered.replace(" ", "") == text.replace(" ", "")
        assert encoding.offsets[-1] == (len(text), len(text))
        assert encoding.ids[-1] == tokenizer.eos_id
        starts = [start for start, _ in encoding.offsets]
        assert starts == sorted(starts)


def test_a_space_as_its_own_piece_has_an_empty_offset() -> None:
    theirs = blenderbot()
    encoding = HuggingFaceTokenizer(theirs, generation(theirs), len(theirs)).encode("el a")
    assert encoding.tokens == ("Ġ", "e", "l", "Ġ", "a")
    assert encoding.offsets == ((0, 0), (0, 1), (1, 2), (2, 2), (3, 4))


def test_each_side_is_spelt_by_its_own_vocabulary(tmp_path: Path) -> None:
    theirs = marian_of_two_vocabularies(tmp_path)
    sizes = len(theirs.encoder), len(theirs.target_encoder)
    assert sizes[0] > sizes[1] > 10
    tokenizer = HuggingFaceTokenizer(theirs, generation(theirs), sizes[1])
    for text in SENTENCES:
        encoding = tokenizer.encode(text)
        assert [theirs.encoder[piece] for piece in encoding.tokens] == list(encoding.ids)
        assert [tokenizer.source_token(number) for number in encoding.ids] == list(encoding.tokens)
        assert "".join(encoding.tokens[:-1]).replace("▁", " ").strip() == text
    for text in TARGETS:
        encoding = tokenizer.target.encode(text)
        assert [theirs.target_encoder[piece] for piece in encoding.tokens] == list(encoding.ids)
        assert [tokenizer.token(number) for number in encoding.ids] == list(encoding.tokens)
        assert tokenizer.decode(encoding.ids) == text
    spelt = [tokenizer.token(number) for number in range(tokenizer.vocab_size)]
    assert [theirs.target_encoder[piece] for piece in spelt] == list(range(sizes[1]))


def test_pieces_with_continuation_marks_have_offsets(tmp_path: Path) -> None:
    theirs = blenderbot_small(tmp_path)
    encoding = HuggingFaceTokenizer(theirs, generation(theirs), len(theirs)).encode("El perro azul")
    assert [encoding.text[start:end] for start, end in encoding.offsets[:2]] == ["El", "perro"]
    assert "".join(encoding.text[start:end] for start, end in encoding.offsets) == "Elperroazul"


def test_unknown_characters_are_named(pair: Pair) -> None:
    theirs, tokenizer = pair
    encoding = tokenizer.encode("el Ω perro")
    if "Ġ" in theirs.get_vocab():  # it has every byte
        assert encoding.unknown == ()
    else:
        assert encoding.unknown == ("Ω",)
        assert tokenizer.unk_id in encoding.ids


def test_a_target_ends_with_the_end_token_and_reads_back(pair: Pair) -> None:
    _, tokenizer = pair
    for text in SENTENCES:
        ids = tokenizer.target.encode(text).ids
        assert ids[-1] == tokenizer.eos_id
        assert not set(ids[:-1]) & tokenizer.special_ids
        assert tokenizer.decode((*tokenizer.first_ids, *ids)) == text
        assert list(tokenizer.target.encode_ids([text])[0]) == list(ids)


def test_every_id_of_the_network_is_spelt(pair: Pair) -> None:
    theirs, tokenizer = pair
    spelt = [tokenizer.token(number) for number in range(tokenizer.vocab_size)]
    assert spelt[-1] == f"<{len(theirs) + 1}>"
    assert all(tokenizer.token_id(piece) == number for number, piece in enumerate(spelt[:-2]))
    assert tokenizer.token_id("no such piece") is None
    with pytest.raises(KeyError):
        tokenizer.token(tokenizer.vocab_size)
    assert tokenizer.decode([len(theirs) + 1]) == ""


def test_a_typed_special_token_is_text(pair: Pair) -> None:
    theirs, tokenizer = pair
    ids = tokenizer.encode(f"el {theirs.eos_token} perro").ids
    assert ids.count(tokenizer.eos_id) == 1
    assert len(ids) > len(tokenizer.encode("el perro").ids)
    if "Ġ" in theirs.get_vocab():  # a byte vocabulary splits every text
        assert tokenizer.unk_id not in ids


@pytest.mark.parametrize(
    ("maker", "text", "gap"),
    [
        (bart, "Hola, <mask> amigo.", "<mask>"),
        (bart, "<mask>hola<mask>", "<mask>"),
        (pegasus, "Hola, <mask_1> amigo.", "<mask_1>"),
        (t5, "hola <extra_id_0> mundo<extra_id_1>.", "<extra_id_0>"),
    ],
)
def test_a_gap_is_one_token_only_in_the_variant_that_reads_gaps(
    maker: Callable[[], Any], text: str, gap: str
) -> None:
    theirs = maker()
    ours = HuggingFaceTokenizer(theirs, generation(theirs), len(theirs))
    reads_gaps = ours.in_variant("", "", reads_gaps=True)
    gap_id = theirs.convert_tokens_to_ids(gap)
    encoding = reads_gaps.encode(text)
    assert list(encoding.ids) == theirs(text).input_ids
    index = encoding.ids.index(gap_id)
    start, end = encoding.offsets[index]
    assert text[start:end].strip() == encoding.tokens[index] == gap
    assert gap in reads_gaps.decode(reads_gaps.encode_target(text).ids)
    assert gap_id not in (*ours.encode(text).ids, *ours.encode_target(text).ids)
    assert gap not in ours.decode(encoding.ids)
    for ending in (theirs.eos_token, theirs.pad_token):  # other special tokens stay text
        assert theirs.convert_tokens_to_ids(ending) not in reads_gaps.encode(f"hola {ending} {gap}").ids[:-1]


def test_a_text_on_which_the_tokenizer_gives_up_is_refused() -> None:
    theirs = t5()
    theirs.backend_tokenizer.pre_tokenizer = Split(Regex("(a+)+$"), "isolated")
    with refused(TokenizerError, "tokenizer_gave_up"):
        pieces(theirs, "a" * 400 + "!")


def test_a_lone_surrogate_can_be_tokenized(pair: Pair) -> None:
    assert pair[1].encode("el \ud800 perro").ids[-1] == pair[1].eos_id


def test_a_prefix_is_read_and_has_empty_offsets() -> None:
    theirs = t5()
    tokenizer = HuggingFaceTokenizer(theirs, generation(theirs), len(theirs)).in_variant("", "", "la casa ")
    encoding = tokenizer.encode("el perro")
    assert list(encoding.ids) == theirs("la casa el perro").input_ids
    assert encoding.text == "el perro"
    assert "".join(encoding.text[start:end] for start, end in encoding.offsets) == "elperro"


def test_the_code_of_a_language_may_stand_before_the_source(tmp_path: Path) -> None:
    theirs = marian(tmp_path, [">>fra<<"])
    tokenizer = HuggingFaceTokenizer(theirs, generation(theirs), len(theirs)).in_variant("", "", ">>fra<< ")
    encoding = tokenizer.encode("el perro")
    assert list(encoding.ids) == theirs(">>fra<< el perro").input_ids
    assert encoding.tokens[0] == ">>fra<<"
    assert "".join(encoding.text[start:end] for start, end in encoding.offsets) == "elperro"


def test_languages_become_the_first_token_of_each_side() -> None:
    theirs = nllb()
    tokenizer = HuggingFaceTokenizer(theirs, generation(theirs), len(theirs))
    tokenizer = tokenizer.in_variant("fra_Latn", "spa_Latn")
    assert tokenizer.token(tokenizer.encode("sí").ids[0]) == "fra_Latn"
    assert [tokenizer.token(number) for number in tokenizer.first_ids] == ["spa_Latn"]
    assert theirs.src_lang == "spa_Latn", "the tokenizer that was given is left as it was"
    with refused(TokenizerError, "no_such_language", "fr"):
        HuggingFaceTokenizer(theirs, generation(theirs), len(theirs)).in_variant("", "fr")


def test_languages_outside_the_librarys_vocabulary_are_spelt(tmp_path: Path) -> None:
    theirs = m2m100(tmp_path, lists_languages=False)
    size = len(theirs) + 100
    tokenizer = HuggingFaceTokenizer(theirs, generation(theirs), size).in_variant("es", "fr")
    assert [tokenizer.encode("sí").tokens[0], tokenizer.token(*tokenizer.first_ids)] == ["__es__", "__fr__"]
    assert tokenizer.decode([theirs.get_lang_id("zu"), *tokenizer.target.encode("el gato").ids]) == "el gato"


def test_the_ids_are_those_of_the_generation_configuration() -> None:
    theirs = t5()
    settings = {"bad_words_ids": [[7], [4]], "suppress_tokens": [5], "forced_bos_token_id": 9}
    tokenizer = HuggingFaceTokenizer(theirs, generation(theirs, decoder_start_token_id=0, **settings), 99)
    ids = tokenizer.pad_id, tokenizer.eos_id, tokenizer.unk_id, tokenizer.bos_id
    assert ids == (0, 1, 2, 0)
    assert (tokenizer.first_ids, tokenizer.never_ids) == ((9,), (4, 5, 7))
    assert not tokenizer.forces_end
    for last in (1, [1]):
        assert HuggingFaceTokenizer(theirs, generation(theirs, forced_eos_token_id=last), 99).forces_end


@pytest.mark.parametrize(
    ("wrong", "refusal"),
    [
        ({"eos_token_id": [1, 2]}, ("start_or_end_token_unclear", "[1, 2]")),
        ({"decoder_start_token_id": None}, ("start_or_end_token_unclear", "None")),
        ({"bad_words_ids": [[3, 4]]}, ("banned_words", "[[3, 4]]")),
        ({"decoder_start_token_id": 99}, ("token_ids_out_of_range", 99)),
        ({"decoder_start_token_id": -1}, ("token_ids_out_of_range", -1)),
        ({"pad_token_id": "0"}, ("token_ids_out_of_range", "0")),
        ({"forced_bos_token_id": 99}, ("token_ids_out_of_range", 99)),
        ({"bad_words_ids": [[99]]}, ("token_ids_out_of_range", 99)),
        ({"suppress_tokens": [-1]}, ("token_ids_out_of_range", -1)),
        ({"forced_eos_token_id": 5}, ("forced_end_differs", 5)),
        ({"forced_bos_token_id": [5]}, ("token_ids_out_of_range", "[5]")),
    ],
)
def test_impossible_ids_are_refused(wrong: dict[str, Any], refusal: Refusal) -> None:
    theirs = t5()
    with refused(TokenizerError, *refusal):
        HuggingFaceTokenizer(theirs, generation(theirs) | wrong, 99)


def test_simultaneous_texts_are_tokenized_like_single_ones(pair: Pair) -> None:
    _, tokenizer = pair
    expected = [(tokenizer.encode(text), tokenizer.target.encode(text)) for text in TEXTS]

    def ask(number: int) -> bool:
        text = TEXTS[number % len(TEXTS)]
        return (tokenizer.encode(text), tokenizer.target.encode(text)) == expected[number % len(TEXTS)]

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(ask, range(60)))
