"""Tokenizers of the transformers library, trained on a few sentences."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tokenizers import AddedToken, decoders, models, normalizers, pre_tokenizers, trainers
from tokenizers import Tokenizer as Backend
from transformers import (
    BartTokenizer,
    BlenderbotSmallTokenizer,
    BlenderbotTokenizer,
    GemmaTokenizer,
    MBart50Tokenizer,
    MBartTokenizer,
    NllbTokenizer,
    PegasusTokenizer,
    T5Tokenizer,
)

SENTENCES = ["el perro duerme", "la casa es azul y el gato duerme", "sí", "el gato es el perro del perro"]
TARGETS = ["le chien dort", "un chien", "le chat et le chien", "oui"]
LANGUAGES = ["spa_Latn", "fra_Latn"]


def _pieces(unknown: str, special: list[str], kind: Any, trainer: Any) -> dict[str, int]:
    backend = Backend(kind(unk_token=unknown) if kind is models.BPE else kind())
    backend.pre_tokenizer = pre_tokenizers.Metaspace()
    backend.train_from_iterator(
        SENTENCES, trainer(vocab_size=70, special_tokens=special, show_progress=False)
    )
    return backend.get_vocab()


def _scored(*special: str) -> list[tuple[str, float]]:
    """Return pieces with their scores, special tokens first."""
    vocab = _pieces("<unk>", [*special], models.BPE, trainers.BpeTrainer)
    ranked = sorted(vocab, key=lambda piece: vocab[piece])
    return [(piece, -float(rank)) for rank, piece in enumerate(ranked)]


def t5() -> Any:
    return T5Tokenizer(vocab=_scored("<pad>", "</s>", "<unk>"), extra_ids=2)


def madlad() -> Any:
    """Return a T5 tokenizer with other ids and a token for each target language."""
    special = ["<unk>", "<s>", "</s>", "<2ace>", "<2es>", "<2sr_Latn>", "<2back_translated>"]
    theirs = T5Tokenizer(vocab=_scored(*special), pad_token="<s>", extra_ids=0)
    theirs.add_tokens([AddedToken(code, normalized=False) for code in special[3:]])
    return theirs


def nllb() -> Any:
    backend = Backend(models.BPE(unk_token="<unk>"))
    backend.pre_tokenizer = pre_tokenizers.Metaspace()
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    backend.train_from_iterator(
        SENTENCES, trainers.BpeTrainer(vocab_size=70, special_tokens=special, show_progress=False)
    )
    model = json.loads(backend.to_str())["model"]
    merges = [tuple(merge) for merge in model["merges"]]
    return NllbTokenizer(
        vocab=model["vocab"], merges=merges, extra_special_tokens=LANGUAGES, src_lang="spa_Latn"
    )


def mbart50() -> Any:
    """Return an mBART-50 tokenizer with all languages that the library lists."""
    scored = _scored("<s>", "<pad>", "</s>", "<unk>")
    return MBart50Tokenizer(vocab=scored, src_lang="es_XX", tgt_lang="fr_XX")


def mbart() -> Any:
    """Return an mBART tokenizer with all languages that the library lists."""
    scored = _scored("<s>", "<pad>", "</s>", "<unk>")
    return MBartTokenizer(vocab=scored, src_lang="es_XX", tgt_lang="fr_XX")


def pegasus() -> Any:
    """Return a Pegasus tokenizer, which has a hundred unused tokens and merges runs of spaces itself."""
    return PegasusTokenizer(vocab=[("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), *_scored()], offset=5)


def gemma() -> Any:
    """Return a Gemma tokenizer, which falls back to bytes and begins each source with a token."""
    special = ["<pad>", "<eos>", "<bos>", "<unk>", "<mask>", *(f"<0x{byte:02X}>" for byte in range(256))]
    backend = Backend(models.BPE(unk_token="<unk>"))
    backend.normalizer = normalizers.Replace(" ", "▁")
    trainer = trainers.BpeTrainer(vocab_size=320, special_tokens=special, show_progress=False)
    backend.train_from_iterator(SENTENCES, trainer)
    model = json.loads(backend.to_str())["model"]
    return GemmaTokenizer(vocab=model["vocab"], merges=[tuple(merge) for merge in model["merges"]])


def bart() -> Any:
    backend = Backend(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=300, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    backend.train_from_iterator(SENTENCES, trainer)
    model = json.loads(backend.to_str())["model"]
    return BartTokenizer(vocab=model["vocab"], merges=[tuple(merge) for merge in model["merges"]])


def _trained(sentences: Sequence[str] = SENTENCES) -> tuple[bytes, list[str]]:
    """Train sentencepiece, which must be installed; return the model and its ordinary pieces."""
    sentencepiece = pytest.importorskip("sentencepiece")
    output = io.BytesIO()
    options = {"vocab_size": 40, "bos_id": -1, "minloglevel": 2, "hard_vocab_limit": False}
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(sentences), model_writer=output, **options
    )
    processor = sentencepiece.SentencePieceProcessor(model_proto=output.getvalue())
    pieces = [processor.id_to_piece(number) for number in range(processor.get_piece_size())]
    return output.getvalue(), [piece for piece in pieces if not piece.startswith("<")]


def _numbered(path: Path, pieces: list[str]) -> str:
    path.write_text(json.dumps({piece: number for number, piece in enumerate(pieces)}))
    return str(path)


def blenderbot_small(folder: Path) -> Any:
    """Return a lower-case tokenizer that marks continued pieces instead of beginnings of words."""
    letters = sorted({letter for sentence in SENTENCES for letter in sentence if letter != " "})
    ends = [f"{letter}@@" for letter in letters]
    special = ["__null__", "__start__", "__end__", "__unk__", "__newln__"]
    vocabulary = _numbered(folder / "vocab.json", [*special, *letters, *ends, "el", "ga@@", "to", "perro"])
    merges = ["#version: 0.2", "e l</w>", "g a", "t o</w>", "r o</w>", "r ro</w>", "p e", "pe rro</w>", ""]
    (folder / "merges.txt").write_text("\n".join(merges), encoding="utf-8")
    return BlenderbotSmallTokenizer(vocabulary, str(folder / "merges.txt"))


def blenderbot() -> Any:
    """Return a tokenizer of single letters that puts a space before each text."""
    return BlenderbotTokenizer(vocab=bart().get_vocab(), merges=[])


def marian(folder: Path, codes: Sequence[str] = ()) -> Any:
    """Return a Marian tokenizer (sentencepiece). Padding has the highest id; `codes` are target languages."""
    model, pieces = _trained()
    from transformers import MarianTokenizer

    for side in ("source.spm", "target.spm"):
        (folder / side).write_bytes(model)
    vocabulary = _numbered(folder / "vocab.json", ["</s>", "<unk>", *pieces, *codes, "<pad>"])
    files = [str(folder / "source.spm"), str(folder / "target.spm"), vocabulary]
    return MarianTokenizer(*files, source_lang="spa", target_lang="fra")


def marian_of_two_vocabularies(folder: Path) -> Any:
    """Return a Marian tokenizer (sentencepiece) with a smaller target vocabulary, whose ids differ."""
    from transformers import MarianTokenizer

    of_source, of_target = _trained(), _trained(TARGETS)
    for side, (model, _) in {"source.spm": of_source, "target.spm": of_target}.items():
        (folder / side).write_bytes(model)
    source = _numbered(folder / "vocab.json", ["</s>", "<unk>", "<pad>", *of_source[1]])
    target = _numbered(folder / "target_vocab.json", ["</s>", "<unk>", "<pad>", *of_target[1]])
    files = [str(folder / "source.spm"), str(folder / "target.spm"), source, target]
    return MarianTokenizer(*files, source_lang="spa", target_lang="fra", separate_vocabs=True)


def m2m100(folder: Path, lists_languages: bool = True) -> Any:
    """Return an M2M100 tokenizer (sentencepiece), in which a hundred languages follow the pieces."""
    model, pieces = _trained()
    from transformers import M2M100Tokenizer
    from transformers.models.m2m_100.tokenization_m2m_100 import FAIRSEQ_LANGUAGE_CODES

    codes = [f"__{code}__" for code in FAIRSEQ_LANGUAGE_CODES["m2m100"]] if lists_languages else []

    (folder / "sentencepiece.bpe.model").write_bytes(model)
    vocabulary = _numbered(folder / "vocab.json", ["<s>", "<pad>", "</s>", "<unk>", *pieces])
    files = [vocabulary, str(folder / "sentencepiece.bpe.model")]
    return M2M100Tokenizer(*files, src_lang="es", tgt_lang="fr", additional_special_tokens=codes)


def generation(theirs: Any, **settings: Any) -> dict[str, Any]:
    """Return a generation configuration with the special tokens of a tokenizer."""
    ids = {"eos_token_id": theirs.eos_token_id, "pad_token_id": theirs.pad_token_id}
    return ids | {"decoder_start_token_id": theirs.eos_token_id} | settings
