"""Limits for numbers in a configuration of the transformers library, checked before building a network."""

from __future__ import annotations

from collections.abc import Mapping

from models.errors import Message
from models.registry.card import CheckpointError

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
