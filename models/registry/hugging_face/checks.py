"""Checks that the files of a network of the transformers library fit each other.

The library itself draws missing weights at random, and makes a tokenizer of whatever it finds.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from models.errors import Message
from models.registry.card import CheckpointError
from models.registry.hugging_face.sizes import OTHER
from models.tokenization.hugging_face_pieces import special_ids

if TYPE_CHECKING:
    from torch import Tensor
    from transformers import PreTrainedModel

FILES, SAFETENSORS, THEIR_CONFIG = "transformers", "*.safetensors", "config.json"
# Of each kind of tokenizer the files that make one together; a "|" stands between two of which one will do.
TOKENIZERS = (
    ("tokenizer.json",),
    ("source.spm", "target.spm", "vocab.json"),
    ("vocab.json", "sentencepiece.bpe.model|merges.txt|spm.model"),
    ("spiece.model|sentencepiece.bpe.model|sentencepiece.model|tokenizer.model|spm.model|vocab.txt",),
)
MOSTLY = 0.9  # of a network's tokens have a spelling; the rest fill up its vocabulary
MAX_NAMES = 3  # names of weights in a sentence
NO_TOKENIZER = Message("no_tokenizer", "have no tokenizer")


def check_loaded(name: str, theirs: PreTrainedModel, report: Mapping[str, Any]) -> None:
    """Raises CheckpointError where weights are missing or have another size.

    `report` is what the library says of its loading, with "missing_keys" and "mismatched_keys".
    """
    for weights, stored, described in sorted(report["mismatched_keys"])[:1]:
        problem = Message(
            "weights_of_another_size",
            "says that {name} has the size {described}, and its weights have {stored}",
            name=weights,
            described=_size(described),
            stored=_size(stored),
        )
        raise CheckpointError(name, THEIR_CONFIG, problem, OTHER)
    if missing := sorted(report["missing_keys"]):
        raise CheckpointError(name, FILES, _lacking(theirs, missing), OTHER)


def check_weights(name: str, files: Path, theirs: PreTrainedModel) -> None:
    """Raises CheckpointError where the network holds anything but the numbers of the files."""
    held = theirs.state_dict()
    for weights, tensor in held.items():
        if not tensor.isfinite().all():
            problem = Message(
                "weight_not_finite", "contain values in {name} that are not numbers", name=weights
            )
            raise CheckpointError(name, FILES, problem, OTHER)
    for path in sorted(files.glob(SAFETENSORS)):
        if replaced := _replaced(path, held):
            problem = Message(
                "weights_replaced",
                "hold {name}, which this version of the transformers library replaces by other weights",
                name=replaced,
            )
            raise CheckpointError(name, FILES, problem, OTHER)


def _size(shape: Any) -> str:
    return " × ".join(map(str, shape))


def _lacking(theirs: PreTrainedModel, missing: list[str]) -> Message:
    """The missing weights, with the tie flag where most networks share these weights."""
    names = ", ".join(missing[:MAX_NAMES])
    flags = ("tie_word_embeddings", "share_encoder_decoder_embeddings")
    flag = next((flag for flag in flags if getattr(theirs.config, flag, None) is False), None)
    if flag and all("embed_tokens" in weights or "lm_head" in weights for weights in missing):
        return Message(
            "weights_not_tied",
            "lack weights ({names}), since {flag} is false in config.json: it should be true",
            names=names,
            flag=flag,
        )
    return Message("weights_lacking", "lack weights ({names})", names=names)


def _replaced(path: Path, held: Mapping[str, Tensor]) -> str | None:
    """The first weights that the network holds with other numbers than the file."""
    from safetensors import safe_open

    with safe_open(path, "pt") as stored:
        for name in sorted(held.keys() & {*stored.keys()}):
            if not stored.get_tensor(name).to(held[name].dtype).equal(held[name]):
                return name
    return None


def check_tokenizer_files(name: str, files: Path) -> None:
    """Raises CheckpointError, naming the missing files, where they make up no tokenizer."""

    def lacking(kind: tuple[str, ...]) -> list[str]:
        return [one for one in kind if not any((files / file).is_file() for file in one.split("|"))]

    begun = [kind for kind in TOKENIZERS if len(lacking(kind)) < len(kind)]
    if not begun:
        raise CheckpointError(name, FILES, NO_TOKENIZER, OTHER)
    if all(map(lacking, begun)):
        file = min(map(lacking, begun), key=len)[0].split("|")[0]
        problem = Message("tokenizer_incomplete", "have a tokenizer that lacks {file}", file=file)
        raise CheckpointError(name, FILES, problem, OTHER)


def check_vocabulary(name: str, tokenizer: Any, network: Any) -> None:
    """Raises CheckpointError for the tokenizer of another network; network: a `ForeignModel`."""
    read = tokenizer.get_vocab()
    sides = [(len(tokenizer), network.source_vocab_size)]
    if getattr(tokenizer, "separate_vocabs", False):
        sides.append((len(tokenizer.target_encoder), network.vocab_size))
    for spelt, size in sides:
        if spelt < MOSTLY * size:
            problem = Message(
                "tokenizer_too_small",
                "have a tokenizer of {count} tokens for a network of {known}",
                count=f"{spelt:,}",
                known=f"{size:,}",
            )
            raise CheckpointError(name, FILES, problem, OTHER)
    # Nobody can type what is special, such as the mask of a BART that summarises.
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
        raise CheckpointError(name, FILES, problem, OTHER)
