"""Tokenizers of the transformers library, made on the spot from a few sentences."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer as Backend
from tokenizers import decoders, models, pre_tokenizers, trainers
from transformers import BartTokenizer, MBart50Tokenizer, NllbTokenizer, T5Tokenizer

SENTENCES = ["el perro duerme", "la casa es azul y el gato duerme", "sí", "el gato es el perro del perro"]
LANGUAGES = ["spa_Latn", "fra_Latn"]


def _pieces(unknown: str, special: list[str], kind: Any, trainer: Any) -> dict[str, int]:
    backend = Backend(kind(unk_token=unknown) if kind is models.BPE else kind())
    backend.pre_tokenizer = pre_tokenizers.Metaspace()
    backend.train_from_iterator(
        SENTENCES, trainer(vocab_size=70, special_tokens=special, show_progress=False)
    )
    return backend.get_vocab()


def t5() -> Any:
    vocab = _pieces("<unk>", ["<pad>", "</s>", "<unk>"], models.BPE, trainers.BpeTrainer)
    ranked = sorted(vocab, key=lambda piece: vocab[piece])
    scored = [(piece, -float(place)) for place, piece in enumerate(ranked)]
    return T5Tokenizer(vocab=scored, extra_ids=2)


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
    """With all of its languages, which stand in the library."""
    vocab = _pieces("<unk>", ["<s>", "<pad>", "</s>", "<unk>"], models.BPE, trainers.BpeTrainer)
    ranked = sorted(vocab, key=lambda piece: vocab[piece])
    scored = [(piece, -float(place)) for place, piece in enumerate(ranked)]
    return MBart50Tokenizer(vocab=scored, src_lang="es_XX", tgt_lang="fr_XX")


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


def marian(folder: Path) -> Any:
    """Needs sentencepiece; padding has the highest id, as in every Marian."""
    sentencepiece = pytest.importorskip("sentencepiece")
    from transformers import MarianTokenizer

    written = io.BytesIO()
    options = {"vocab_size": 40, "bos_id": -1, "minloglevel": 2, "hard_vocab_limit": False}
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(SENTENCES), model_writer=written, **options
    )
    for side in ("source.spm", "target.spm"):
        (folder / side).write_bytes(written.getvalue())
    learnt = sentencepiece.SentencePieceProcessor(model_proto=written.getvalue())
    pieces = [learnt.id_to_piece(number) for number in range(learnt.get_piece_size())]
    ordered = ["</s>", "<unk>", *(piece for piece in pieces if not piece.startswith("<")), "<pad>"]
    vocabulary = folder / "vocab.json"
    vocabulary.write_text(json.dumps({piece: number for number, piece in enumerate(ordered)}))
    files = [str(folder / "source.spm"), str(folder / "target.spm"), str(vocabulary)]
    return MarianTokenizer(*files, source_lang="spa", target_lang="fra")


def generation(theirs: Any, **settings: Any) -> dict[str, Any]:
    """What a model's generation configuration would say of the ids."""
    ids = {"eos_token_id": theirs.eos_token_id, "pad_token_id": theirs.pad_token_id}
    return ids | {"decoder_start_token_id": theirs.eos_token_id} | settings
