"""Text to token ids and back, over the `tokenizers` library. Knows no torch."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers, trainers
from tokenizers import Tokenizer as Backend

PAD, UNK, BOS, EOS = "<pad>", "<unk>", "<s>", "</s>"
SPECIAL_TOKENS = (PAD, UNK, BOS, EOS)
KINDS = ("character", "word", "bpe", "wordpiece", "unigram")


class TokenizerError(ValueError):
    """A tokenizer file that cannot be used, or a kind that does not exist."""


@dataclass(frozen=True)
class Encoding:
    """A text as the network reads it; the end token is the last and stands for no character."""

    text: str  # as given, not normalised; the offsets count in it
    ids: tuple[int, ...]
    tokens: tuple[str, ...]  # as the tokenizer spells them
    offsets: tuple[tuple[int, int], ...]  # first character and one past the last
    unknown: tuple[str, ...]  # what the vocabulary lacks, in order, each once


class Tokenizer:
    """One vocabulary with four special tokens; ids 0-3 are padding, unknown, start and end."""

    pad_id, unk_id, bos_id, eos_id = range(4)

    def __init__(self, backend: Backend) -> None:
        """Raises TokenizerError if the special tokens are not where they belong."""
        found = [backend.token_to_id(token) for token in SPECIAL_TOKENS]
        if found != list(range(4)):
            raise TokenizerError(f"special tokens {SPECIAL_TOKENS} must have the ids 0 to 3; got {found}")
        # A "</s>" that somebody types is text: it must not become the end token.
        backend.encode_special_tokens = True
        self._backend = backend

    @classmethod
    def train(
        cls, texts: Iterable[str], kind: str, vocab_size: int = 8000, min_frequency: int = 1
    ) -> Tokenizer:
        """Learn at most `vocab_size` tokens. Raises TokenizerError for a kind or size that cannot be."""
        if kind not in KINDS:
            raise TokenizerError(f"kind must be one of {', '.join(KINDS)}; got {kind!r}")
        smallest = len(SPECIAL_TOKENS) + 1
        if not isinstance(vocab_size, int) or vocab_size < smallest:
            raise TokenizerError(
                f"vocab_size must be a whole number of at least {smallest}; got {vocab_size!r}"
            )
        backend, trainer = _BLUEPRINTS[kind](vocab_size, min_frequency)
        backend.normalizer = normalizers.NFC()
        try:
            backend.train_from_iterator(texts, trainer)
        except Exception as error:  # the library raises bare Exception
            problem = f"no tokenizer could be learnt with vocab_size {vocab_size}"
            raise TokenizerError(f"{problem}: {error}") from error
        if (found := backend.get_vocab_size()) > vocab_size:
            raise TokenizerError(f"vocab_size {vocab_size} is too small: the letters alone need {found}")
        return cls(backend)

    @classmethod
    def load(cls, path: Path) -> Tokenizer:
        """Read `tokenizer.json`. Raises TokenizerError if it is no such file."""
        try:
            return cls(Backend.from_str(path.read_text(encoding="utf-8")))
        except TokenizerError:
            raise
        except Exception as error:  # the library raises bare Exception for anything malformed
            raise TokenizerError(f"not a tokenizer file: {error}") from error

    def save(self, path: Path) -> None:
        """Write `tokenizer.json`."""
        path.write_text(self.to_json(), encoding="utf-8")

    def to_json(self) -> str:
        """The content of `tokenizer.json`."""
        return self._backend.to_str(pretty=True)

    @property
    def vocab_size(self) -> int:
        """Number of ids, special tokens included."""
        return self._backend.get_vocab_size()

    def encode(self, text: str) -> Encoding:
        """Ids with the end token appended. Special tokens in the text are read as plain characters."""
        text = _well_formed(text)
        encoded = self._backend.encode(text, add_special_tokens=False)
        offsets = _with_accents(text, encoded.offsets)
        unknown = [
            text[start:end]
            for token_id, (start, end) in zip(encoded.ids, offsets, strict=True)
            if token_id == self.unk_id
        ]
        return Encoding(
            text=text,
            ids=(*encoded.ids, self.eos_id),
            # Not `encoded.tokens`: a Unigram model spells an unknown token as the text under it.
            tokens=(*(self.token(token_id) for token_id in encoded.ids), EOS),
            offsets=(*offsets, (len(text), len(text))),
            unknown=tuple(dict.fromkeys(unknown)),
        )

    def encode_ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Ids of many texts, each with the end token appended."""
        inputs = [_well_formed(text) for text in texts]
        encodings = self._backend.encode_batch_fast(inputs, add_special_tokens=False)
        return [[*encoding.ids, self.eos_id] for encoding in encodings]

    def decode(self, ids: Sequence[int]) -> str:
        """The text of the ids; start, end and padding tokens leave no trace in it."""
        silent = {self.pad_id, self.bos_id, self.eos_id}
        return self._backend.decode([i for i in ids if i not in silent], skip_special_tokens=False)

    def token(self, token_id: int) -> str:
        """How the tokenizer spells an id. Raises KeyError if there is none."""
        token = self._backend.id_to_token(token_id)
        if token is None:
            raise KeyError(token_id)
        return token

    def token_id(self, token: str) -> int | None:
        """The id of a spelling, None if the vocabulary lacks it."""
        return self._backend.token_to_id(token)


def normalise(text: str) -> str:
    """NFC, so that a letter and its accent are one character, as the tokenizers see them."""
    return unicodedata.normalize("NFC", text)


def _well_formed(text: str) -> str:
    """The text with U+FFFD for each half of a surrogate pair, which JSON can carry but UTF-8 cannot."""
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def _with_accents(text: str, offsets: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Offsets that reach over the accents which NFC merged into their letter: the library's do not."""
    following = [*(start for start, _ in offsets[1:]), len(text)]
    widened = []
    for (start, end), limit in zip(offsets, following, strict=False):
        while end < limit and not text[end].isspace():
            end += 1
        widened.append((start, end))
    return widened


_Blueprint = tuple[Backend, trainers.Trainer]
_TRAINING: dict[str, Any] = {"special_tokens": list(SPECIAL_TOKENS), "show_progress": False}


def _character(vocab_size: int, min_frequency: int) -> _Blueprint:
    backend = Backend(models.WordLevel(unk_token=UNK))
    backend.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")
    backend.decoder = decoders.Fuse()
    return backend, trainers.WordLevelTrainer(vocab_size=vocab_size, min_frequency=min_frequency, **_TRAINING)


def _word(vocab_size: int, min_frequency: int) -> _Blueprint:
    backend = Backend(models.WordLevel(unk_token=UNK))
    backend.pre_tokenizer = pre_tokenizers.Whitespace()
    # Words are joined by spaces and closing marks pulled back: spacing is the one thing that is lost.
    backend.decoder = decoders.WordPiece(prefix="\0", cleanup=True)
    return backend, trainers.WordLevelTrainer(vocab_size=vocab_size, min_frequency=min_frequency, **_TRAINING)


def _bpe(vocab_size: int, min_frequency: int) -> _Blueprint:
    """Byte-pair encoding (Sennrich et al. 2016) inside words and marks; "▁" stands for the space before."""
    backend = Backend(models.BPE(unk_token=UNK, fuse_unk=True))
    _metaspace(backend)
    return backend, trainers.BpeTrainer(vocab_size=vocab_size, min_frequency=min_frequency, **_TRAINING)


def _wordpiece(vocab_size: int, min_frequency: int) -> _Blueprint:
    """WordPiece (Schuster & Nakajima 2012), "##" before a piece that continues a word."""
    backend = Backend(models.WordPiece(unk_token=UNK))
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.decoder = decoders.WordPiece(prefix="##", cleanup=True)
    return backend, trainers.WordPieceTrainer(vocab_size=vocab_size, min_frequency=min_frequency, **_TRAINING)


def _unigram(vocab_size: int, min_frequency: int) -> _Blueprint:
    """Unigram language model (Kudo 2018)."""
    backend = Backend(models.Unigram())
    _metaspace(backend)
    return backend, trainers.UnigramTrainer(vocab_size=vocab_size, unk_token=UNK, **_TRAINING)


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
