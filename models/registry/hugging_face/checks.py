"""Checks that the files of a network of the transformers library fit each other, before and after loading.

The library itself draws missing weights at random, and makes a tokenizer from incomplete files.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from models.errors import Message
from models.registry.card import CheckpointError
from models.tokenization.hugging_face_pieces import special_ids
from models.tokenization.tokenizer import MAX_TOKENIZER_BYTES
from models.whole_file import read_bytes

if TYPE_CHECKING:
    from torch import Tensor
    from transformers import PreTrainedModel

FILES_FOLDER, ANY_WEIGHTS, LIBRARY_CONFIG = "transformers", "*.safetensors", "config.json"
# The files that each kind of tokenizer needs; "a|b" means that one of both is enough.
TOKENIZER_FILES = (
    ("tokenizer.json",),
    ("source.spm", "target.spm", "vocab.json"),
    ("vocab.json", "sentencepiece.bpe.model|merges.txt|spm.model"),
    ("spiece.model|sentencepiece.bpe.model|sentencepiece.model|tokenizer.model|spm.model|vocab.txt",),
)
MIN_SPELT_SHARE = 0.9  # the share of a network's tokens with a spelling; the others fill up its vocabulary
MAX_GROWTH = 100  # the length of a text after all replacements of a tokenizer, for each of its characters
MAX_NAMES = 3  # names of weights in a sentence
NO_TOKENIZER = Message("no_tokenizer", "have no tokenizer")
CHOOSE_TEXT_TO_TEXT = Message(
    "choose_text_to_text", "Choose a model for text-to-text generation, such as Helsinki-NLP/opus-mt-en-de."
)
# Maximum sizes, by a part of a setting's name: several times those of the library's largest networks.
LARGEST_SIZES = {
    "layers": 200,
    "position": 1 << 15,
    **dict.fromkeys(("extra_ids", "offset", "madeup"), 1000),
    **dict.fromkeys(("d_model", "hidden_size"), 1 << 13),
    "heads": 1 << 10,
    **dict.fromkeys(("d_kv", "head_dim"), 1 << 13),
    **dict.fromkeys(("intermediate_size", "d_ff", "ffn_dim"), 1 << 18),
    "vocab_size": 1 << 23,
    "num_labels": 1 << 14,  # the library names each of them
}


SPECIAL_TOKEN_FIELDS = ("pad", "bos", "eos", "decoder_start", "forced_bos", "forced_eos")
VOCABULARY_SIZES = ("vocab_size", "decoder_vocab_size")  # a Marian may have two vocabularies


def check_loaded(name: str, library_model: PreTrainedModel, report: Mapping[str, Any]) -> None:
    """Raise CheckpointError if weights are missing or have another size.

    `report` is the library's report on the loading, with "missing_keys" and "mismatched_keys".
    """
    for weights, stored, described in sorted(report["mismatched_keys"])[:1]:
        problem = Message(
            "weights_of_another_size",
            "says that {name} has the size {described}, and its weights have {stored}",
            name=weights,
            described=_size(described),
            stored=_size(stored),
        )
        raise CheckpointError(name, LIBRARY_CONFIG, problem, CHOOSE_TEXT_TO_TEXT)
    if missing := sorted(report["missing_keys"]):
        raise CheckpointError(
            name, FILES_FOLDER, _missing_weights(library_model, missing), CHOOSE_TEXT_TO_TEXT
        )


def check_weights(name: str, files: Path, library_model: PreTrainedModel) -> None:
    """Raise CheckpointError unless the network has the numbers of the files, and only those."""
    state = library_model.state_dict()
    for weights, tensor in state.items():
        if not tensor.isfinite().all():
            problem = Message(
                "weight_not_finite", "contain values in {name} that are not numbers", name=weights
            )
            raise CheckpointError(name, FILES_FOLDER, problem, CHOOSE_TEXT_TO_TEXT)
    for path in sorted(files.glob(ANY_WEIGHTS)):
        if replaced := _first_difference(path, state):
            problem = Message(
                "weights_replaced",
                "hold {name}, which this version of the transformers library replaces by other weights",
                name=replaced,
            )
            raise CheckpointError(name, FILES_FOLDER, problem, CHOOSE_TEXT_TO_TEXT)


def _size(shape: Any) -> str:
    return " × ".join(map(str, shape))


def _missing_weights(library_model: PreTrainedModel, missing: list[str]) -> Message:
    """The message about missing weights. It names the tie flag if most networks share these weights."""
    names = ", ".join(missing[:MAX_NAMES])
    flags = ("tie_word_embeddings", "share_encoder_decoder_embeddings")
    flag = next((flag for flag in flags if getattr(library_model.config, flag, None) is False), None)
    if flag and all("embed_tokens" in weights or "lm_head" in weights for weights in missing):
        return Message(
            "weights_not_tied",
            "lack weights ({names}), since {flag} is false in config.json: it should be true",
            names=names,
            flag=flag,
        )
    return Message("weights_lacking", "lack weights ({names})", names=names)


def _first_difference(path: Path, state: Mapping[str, Tensor]) -> str | None:
    """The first weights that differ between the network and the file."""
    from safetensors import safe_open

    with safe_open(path, "pt") as stored:
        for name in sorted(state.keys() & {*stored.keys()}):
            if not stored.get_tensor(name).to(state[name].dtype).equal(state[name]):
                return name
    return None


def check_tokenizer_files(name: str, files: Path) -> None:
    """Raise CheckpointError, with the names of the missing files, if the files make up no tokenizer."""

    def lacking(kind: tuple[str, ...]) -> list[str]:
        return [names for names in kind if not any((files / name).is_file() for name in names.split("|"))]

    incomplete = [kind for kind in TOKENIZER_FILES if len(lacking(kind)) < len(kind)]
    if not incomplete:
        raise CheckpointError(name, FILES_FOLDER, NO_TOKENIZER, CHOOSE_TEXT_TO_TEXT)
    if all(map(lacking, incomplete)):
        file = min(map(lacking, incomplete), key=len)[0].split("|")[0]
        problem = Message("tokenizer_incomplete", "have a tokenizer that lacks {file}", file=file)
        raise CheckpointError(name, FILES_FOLDER, problem, CHOOSE_TEXT_TO_TEXT)


def check_growth(name: str, files: Path) -> None:
    """Raise CheckpointError for a tokenizer whose replacements make a text much longer, such as x by xx."""
    try:
        stored = json.loads(read_bytes(files / "tokenizer.json", MAX_TOKENIZER_BYTES))
    except (OSError, ValueError, RecursionError):
        return  # there is none, or the library says what is wrong with it
    growth, parts = 1, [stored.get("normalizer") if isinstance(stored, dict) else None]
    while parts:
        part = parts.pop()
        if isinstance(part, list):
            parts += part
        elif isinstance(part, dict):
            parts += part.values()
            content = part.get("content")
            growth *= max(len(content), 1) if isinstance(content, str) else 1
            if growth > MAX_GROWTH:
                problem = Message("tokenizer_inflates", "have a tokenizer that makes texts much longer")
                raise CheckpointError(name, FILES_FOLDER, problem, CHOOSE_TEXT_TO_TEXT)


def check_vocabulary(name: str, tokenizer: Any, network: Any) -> None:
    """Raise CheckpointError for the tokenizer of another network; network: a `HuggingFaceModel`."""
    read = tokenizer.get_vocab()
    sides = [(len(tokenizer), network.source_vocab_size)]
    if getattr(tokenizer, "separate_vocabs", False):
        sides.append((len(tokenizer.target_encoder), network.vocab_size))
    for spelt, size in sides:
        if spelt < MIN_SPELT_SHARE * size:
            problem = Message(
                "tokenizer_too_small",
                "have a tokenizer of {count} tokens for a network of {known}",
                count=f"{spelt:,}",
                known=f"{size:,}",
            )
            raise CheckpointError(name, FILES_FOLDER, problem, CHOOSE_TEXT_TO_TEXT)
    # Special tokens do not matter, such as the mask of a BART: nobody can type them.
    added = (number for number, token in tokenizer.added_tokens_decoder.items() if token.special)
    special = special_ids(tokenizer).union(added)
    number, piece = max((number, piece) for piece, number in read.items() if number not in special)
    if number >= network.source_vocab_size:
        problem = Message(
            "tokenizer_too_large",
            "have a tokenizer that numbers {piece} {number}, for a network that reads {known} tokens",
            piece=repr(piece),
            number=number,
            known=f"{network.source_vocab_size:,}",
        )
        raise CheckpointError(name, FILES_FOLDER, problem, CHOOSE_TEXT_TO_TEXT)


def oversized_setting(settings: object) -> Message | None:
    """The problem with the first number of a configuration that no network has: building it would take hours.

    The parts for encoder and decoder are read, too.
    """
    parts = [settings]
    while parts:
        part = parts.pop()
        if not isinstance(part, Mapping):
            continue
        parts += part.values()
        sizes = [part[name] for name in VOCABULARY_SIZES if isinstance(part.get(name), int)]
        last = {
            f"{token}_token_id": max(sizes) - 1 for token in SPECIAL_TOKEN_FIELDS if max(sizes, default=0) > 0
        }
        for name, value in part.items():
            limit = next((limit for kind, limit in LARGEST_SIZES.items() if kind in name), last.get(name))
            if limit is not None and isinstance(value, int | float) and value > limit:
                return Message(
                    "number_too_large",
                    "says that its {name} is {value}, more than {limit}",
                    name=str(name)[:60],
                    value=str(value)[:20],
                    limit=f"{limit:,}",
                )
    return None


def check_sizes(name: str, file: str, settings: object) -> None:
    """Raise CheckpointError if the `file` of a checkpoint has a number that is too large."""
    problem = oversized_setting(settings)
    if problem is not None:
        raise CheckpointError(name, file, problem, CHOOSE_TEXT_TO_TEXT)
