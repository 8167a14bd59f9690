"""Five kinds of tokenization, learnt by the `tokenizers` library. Imports no torch."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers, trainers
from tokenizers import Tokenizer as Backend

from models.errors import UnrolledError
from models.tokenization.plain_text import SPECIAL_TOKENS, UNK

TOKENIZER_KINDS = ("character", "word", "bpe", "wordpiece", "unigram")
AS_SOURCES = "same"  # targets are tokenized like sources
UNDIVIDED_KINDS = ("character", "word")  # kinds whose tokens are not learnt parts of words


class TokenizerError(UnrolledError, ValueError):
    """A tokenizer file that cannot be used, or a kind that does not exist."""


def learn(texts: Iterable[str], kind: str, vocab_size: int, min_frequency: int) -> Backend:
    """Learn a vocabulary. Raises TokenizerError if the texts do not fit into it."""
    backend, trainer_of = _BLUEPRINTS[kind]()
    backend.normalizer = normalizers.NFC()
    options = {"unk_token": UNK} if kind == "unigram" else {"min_frequency": min_frequency}
    trainer = trainer_of(
        vocab_size=vocab_size, special_tokens=list(SPECIAL_TOKENS), show_progress=False, **options
    )
    try:
        backend.train_from_iterator(texts, trainer)
    except Exception as error:  # the library raises bare Exception
        raise TokenizerError(
            "tokenizer_not_learnt",
            "no tokenizer could be learnt with vocab_size {size}: {reason}",
            size=vocab_size,
            reason=error,
        ) from error
    if (result := backend.get_vocab_size()) > vocab_size:
        raise TokenizerError(
            "vocabulary_too_small_for_letters",
            "vocab_size {size} is too small: the letters alone need {needed}",
            size=vocab_size,
            needed=result,
        )
    return backend


def learn_apart(
    sources: Iterable[str],
    targets: Iterable[str],
    kind: str,
    target_kind: str,
    vocab_size: int,
    min_frequency: int,
) -> tuple[Backend, Backend]:
    """Learn one tokenizer for sources and one for targets, over the tokens of both.

    Raises TokenizerError for kinds other than UNDIVIDED_KINDS, and if the tokens do not fit into
    `vocab_size`.
    """
    if not {kind, target_kind} <= set(UNDIVIDED_KINDS):
        raise TokenizerError(
            "target_kind_alone",
            "target_kind can differ from kind only among {kinds}; got {kind}, {target_kind}",
            kinds=" and ".join(UNDIVIDED_KINDS),
            kind=kind,
            target_kind=target_kind,
        )
    sides = (
        learn(sources, kind, vocab_size, min_frequency),
        learn(targets, target_kind, vocab_size, min_frequency),
    )
    tokens = dict.fromkeys(
        token for side in sides for token, _ in sorted(side.get_vocab().items(), key=lambda pair: pair[1])
    )
    if len(tokens) > vocab_size:
        raise TokenizerError(
            "vocabulary_too_small",
            "vocab_size {size} is too small: source and target together need {needed}",
            size=vocab_size,
            needed=len(tokens),
        )
    for side in sides:
        side.model = models.WordLevel({token: i for i, token in enumerate(tokens)}, unk_token=UNK)
    return sides


_Blueprint = tuple[Backend, Callable[..., Any]]  # the tokenizer, and the class of its trainer
_UNSPACED_CHARACTERS = r"[\p{Han}\u3000-\u303f\uff00-\uffef]"  # Chinese characters and marks of full width


def _character() -> _Blueprint:
    backend = Backend(models.WordLevel(unk_token=UNK))
    backend.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")
    backend.decoder = decoders.Fuse()
    return backend, trainers.WordLevelTrainer


def _word() -> _Blueprint:
    backend = Backend(models.WordLevel(unk_token=UNK))
    backend.pre_tokenizer = pre_tokenizers.Whitespace()
    # Words are joined by spaces, without one before closing marks. The original spacing is lost.
    backend.decoder = decoders.WordPiece(prefix="\0", cleanup=True)
    return backend, trainers.WordLevelTrainer


def _bpe() -> _Blueprint:
    """Byte-pair encoding (Sennrich et al. 2016) inside words and marks; "▁" stands for the space before."""
    backend = Backend(models.BPE(unk_token=UNK, fuse_unk=True))
    _metaspace(backend)
    return backend, trainers.BpeTrainer


def _wordpiece() -> _Blueprint:
    """WordPiece (Schuster & Nakajima 2012), "##" before a piece that continues a word.

    A Chinese character is a word, as in BERT (Devlin et al. 2019), since no space separates it from others.
    """
    backend = Backend(models.WordPiece(unk_token=UNK))
    backend.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.BertPreTokenizer(), pre_tokenizers.Split(Regex(r"\p{Han}"), "isolated")]
    )
    unspaced = Regex(rf"(?<={_UNSPACED_CHARACTERS}) | (?={_UNSPACED_CHARACTERS})")
    backend.decoder = decoders.Sequence(
        [decoders.WordPiece(prefix="##", cleanup=True), decoders.Fuse(), decoders.Replace(unspaced, "")]
    )
    return backend, trainers.WordPieceTrainer


def _unigram() -> _Blueprint:
    """Unigram language model (Kudo 2018)."""
    backend = Backend(models.Unigram())
    _metaspace(backend)
    return backend, trainers.UnigramTrainer


def _metaspace(backend: Backend) -> None:
    # Marks are split from words, or "casa." and "casa" would share nothing; an opening mark keeps the
    # space before it, or every Spanish question would spend a token on that space.
    marks = Regex(r"▁?[^\p{L}\p{M}\p{N}▁]")
    backend.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Metaspace(), pre_tokenizers.Split(marks, "isolated")]
    )
    backend.decoder = decoders.Metaspace()


_BLUEPRINTS = {
    "character": _character,
    "word": _word,
    "bpe": _bpe,
    "wordpiece": _wordpiece,
    "unigram": _unigram,
}
