"""The settings of tokens and data."""

from __future__ import annotations

from demo.service.training.fields.field import Field, choices_of
from models.tokenization.tokenizer import AS_SOURCES, KINDS, WHOLE

TOKENIZER_TITLES = {
    "character": "characters",
    "word": "words",
    "bpe": "BPE",
    "wordpiece": "WordPiece",
    "unigram": "Unigram",
}
TOKENS = "Tokens and data"

TOKEN_FIELDS: tuple[Field, ...] = (
    Field(
        "tokenizer.kind",
        "Tokens",
        "How texts are cut; learnt from the training pairs. Fine-tuning keeps the checkpoint's.",
        TOKENS,
        "choice",
        choices=choices_of(KINDS, TOKENIZER_TITLES),
    ),
    Field(
        "tokenizer.target_kind",
        "Target tokens",
        "Characters on one side and words on the other suit spelling and sounds.",
        TOKENS,
        "choice",
        choices=choices_of((AS_SOURCES, *WHOLE), {**TOKENIZER_TITLES, AS_SOURCES: "as sources"}),
    ),
    Field(
        "tokenizer.lowercase",
        "Sources in lower case",
        "Capitals of a source are read as small letters; targets keep theirs.",
        TOKENS,
        "switch",
    ),
    Field("tokenizer.vocab_size", "Vocabulary", "At most so many tokens.", TOKENS, low=5, high=64_000),
    Field(
        "tokenizer.min_frequency", "Least frequency", "Rarer tokens are left out.", TOKENS, low=0, high=1000
    ),
    Field("data.train_size", "Training pairs", "Generated tasks only.", TOKENS, low=50, high=500_000),
    Field(
        "data.valid_size",
        "Validation pairs",
        "Generated tasks only; kept apart from training.",
        TOKENS,
        low=10,
        high=20_000,
    ),
    Field(
        "data.max_pieces", "Longest pair, in tokens", "Longer pairs are left out.", TOKENS, low=2, high=500
    ),
    Field(
        "data.casual_sources",
        "Casual sources",
        "Share of sources seen without capitals, final mark or accents, as people type.",
        TOKENS,
        "number",
        0,
        1,
    ),
    Field(
        "data.source_language",
        "Source language",
        "A code such as es; empty where it is none.",
        TOKENS,
        "text",
        high=12,
    ),
    Field(
        "data.target_language",
        "Target language",
        "A code such as en; BLEU depends on it.",
        TOKENS,
        "text",
        high=12,
    ),
)
