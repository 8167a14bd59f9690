"""WordPiece and Unigram of the `tokenizers` library, trained on a reader's own lines.

Sources: Schuster and Nakajima 2012; Kudo 2018.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

from models.labs.subwords import UNKNOWN

IS_AVAILABLE = find_spec("tokenizers") is not None  # the page without a server lacks it


def wordpiece(lines: Sequence[str], size: int) -> list[list[str]]:
    """Return each line's tokens by a WordPiece vocabulary of at most `size` tokens (at least the signs)."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.WordPiece(unk_token=UNKNOWN))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = trainers.WordPieceTrainer(vocab_size=size, special_tokens=[UNKNOWN], show_progress=False)
    return _train_and_split(tokenizer, trainer, lines)


def unigram(lines: Sequence[str], size: int) -> list[list[str]]:
    """Return each line's tokens by a Unigram vocabulary of at most `size` tokens (at least the signs)."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=size, special_tokens=[UNKNOWN], unk_token=UNKNOWN, show_progress=False
    )
    return _train_and_split(tokenizer, trainer, lines)


def _train_and_split(tokenizer: object, trainer: object, lines: Sequence[str]) -> list[list[str]]:
    tokenizer.train_from_iterator(lines, trainer)  # type: ignore[attr-defined]
    return [tokenizer.encode(line).tokens for line in lines]  # type: ignore[attr-defined]
