"""Text to token ids and back, over the `tokenizers` library. Imports no torch."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import cast

from tokenizers import Tokenizer as Backend
from tokenizers import normalizers

from models.errors import not_one_of, not_whole
from models.tokenization.pictures import PictureGrid
from models.tokenization.plain_text import EOS, SPECIAL_TOKENS, PlainText, plain_text
from models.tokenization.segmentation import AS_SOURCES, TOKENIZER_KINDS, TokenizerError, learn, learn_apart
from models.whole_file import read_text

MAX_TOKENIZER_BYTES = 256 << 20


@dataclass(frozen=True)
class Encoding:
    """A source as the network reads it; the end token of a text is the last and stands for no character.

    The ids of a picture are its pixels, but its tokens are its cells, which attention can look at.
    """

    text: str  # the given text, not the plain text; offsets are positions in it
    ids: tuple[int, ...]
    tokens: tuple[str, ...]  # the tokenizer's spellings
    offsets: tuple[tuple[int, int], ...]  # first character and one past the last
    unknown: tuple[str, ...]  # parts of the text that the vocabulary lacks, in order, each once


class Tokenizer:
    """One vocabulary with four special tokens; ids 0-3 are padding, unknown, start and end.

    Its methods read sources, which are texts or, if there is a `picture` grid, pictures. `target` reads and
    writes targets, which may be tokenized in another way.
    """

    pad_id, unk_id, bos_id, eos_id = range(4)  # a tokenizer of the transformers library has other ids
    first_ids: tuple[int, ...] = ()  # every output begins with these, such as the code of its language
    never_ids: tuple[int, ...] = ()  # no output may have these: `Seq2SeqModel.never_ids` of its network
    forces_end: bool = False  # an output that reaches the length limit gets the end token there

    def __init__(
        self, backend: Backend, target: Backend | None = None, picture: PictureGrid | None = None
    ) -> None:
        """Raises TokenizerError if the special tokens are not where they belong, or the ids differ."""
        result = [backend.token_to_id(token) for token in SPECIAL_TOKENS]
        if result != list(range(4)):
            raise TokenizerError(
                "special_tokens_moved",
                "special tokens {tokens} must have the ids 0 to 3; got {found}",
                tokens=SPECIAL_TOKENS,
                found=result,
            )
        if target is not None and target.get_vocab() != backend.get_vocab():
            raise TokenizerError(
                "tokens_differ", "source and target must have the same tokens with the same ids"
            )
        # A "</s>" that a user types is text, and must not become the end token.
        backend.encode_special_tokens = True
        self._backend = backend
        self.picture = picture
        self.target = self if target is None and picture is None else Tokenizer(target or backend)

    @property
    def forbidden_ids(self) -> tuple[int, ...]:
        """The id of padding, which no search may write; empty if padding is the end token."""
        return () if self.pad_id == self.eos_id else (self.pad_id,)

    @classmethod
    def train(
        cls,
        texts: Iterable[str],
        kind: str,
        vocab_size: int = 8000,
        min_frequency: int = 1,
        *,
        targets: Iterable[str] = (),
        target_kind: str = AS_SOURCES,
        lowercase: bool = False,
    ) -> Tokenizer:
        """Learn at most `vocab_size` tokens from texts.

        If `target_kind` is not that of sources, the targets are given separately, and both kinds are
        "character" or "word". `lowercase` reads sources in lower case. Raises TokenizerError for an
        impossible kind or size.
        """
        if target_kind == AS_SOURCES:
            target_kind = kind
        for each_kind in (kind, target_kind):
            if each_kind not in TOKENIZER_KINDS:
                raise TokenizerError(not_one_of("kind", TOKENIZER_KINDS, each_kind))
        smallest = len(SPECIAL_TOKENS) + 1
        if not isinstance(vocab_size, int) or vocab_size < smallest:
            raise TokenizerError(not_whole("vocab_size", smallest, vocab_size))
        texts, targets = map(plain_text, texts), map(plain_text, targets)
        if lowercase:
            texts = (text.lower() for text in texts)
        if target_kind == kind:
            backend = learn(chain(texts, targets), kind, vocab_size, min_frequency)
            target = None
        else:
            backend, target = learn_apart(texts, targets, kind, target_kind, vocab_size, min_frequency)
        if lowercase:
            target = target or Backend.from_str(backend.to_str())
            backend.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Lowercase()])
        return cls(backend, target)

    @classmethod
    def for_pictures(
        cls, picture: PictureGrid, targets: Iterable[str], kind: str, vocab_size: int, min_frequency: int = 1
    ) -> Tokenizer:
        """Learn the tokens of captions. Raises TokenizerError for an impossible kind or size."""
        captions = cls.train(targets, kind, vocab_size, min_frequency)
        return cls(captions._backend, picture=picture)

    @classmethod
    def load(cls, path: Path) -> Tokenizer:
        """Read a `tokenizer.json`. Raises TokenizerError for any other file."""
        try:
            text = read_text(path, MAX_TOKENIZER_BYTES)
            content = json.loads(text)
            if content.keys() != {"source", "target"}:
                return cls(Backend.from_str(text))
            source, target = (json.dumps(content[side]) for side in ("source", "target"))
            if "picture" in content["source"]:
                return cls(Backend.from_str(target), picture=PictureGrid(**content["source"]["picture"]))
            return cls(Backend.from_str(source), Backend.from_str(target))
        except TokenizerError:
            raise
        except Exception as error:  # the library raises bare Exception for anything malformed
            raise TokenizerError(
                "no_tokenizer_file", "not a tokenizer file: {reason}", reason=error
            ) from error

    def save(self, path: Path) -> None:
        """Write `tokenizer.json`."""
        path.write_text(self.to_json(), encoding="utf-8")

    def to_json(self) -> str:
        """The content of `tokenizer.json`: that of the `tokenizers` library, or one for each side."""
        if self.target is self:
            return self._backend.to_str()
        target = json.loads(self.target._backend.to_str())
        if self.picture is not None:
            return json.dumps({"source": {"picture": asdict(self.picture)}, "target": target}, indent=2)
        return json.dumps({"source": json.loads(self._backend.to_str()), "target": target}, indent=2)

    @property
    def vocab_size(self) -> int:
        """Number of ids, special tokens included."""
        return self._backend.get_vocab_size()

    @property
    def special_ids(self) -> frozenset[int]:
        """Ids that stand for no text."""
        return frozenset((self.pad_id, self.unk_id, self.bos_id, self.eos_id))

    def encode(self, text: str) -> Encoding:
        """Ids with the end token appended. Special tokens in the text are read as plain characters.

        Raises PictureError if the tokenizer reads pictures and the text is none.
        """
        if self.picture is not None:
            names = self.picture.names
            pixels = self.picture.pixels(text)
            return Encoding(text, tuple(pixels.tolist()), names, ((0, 0),) * len(names), ())
        read = PlainText.of(text)
        encoded = self._backend.encode(read.text, add_special_tokens=False)
        offsets = _with_accents(read.text, encoded.offsets)
        unknown = [
            read.text[start:end]
            for token_id, (start, end) in zip(encoded.ids, offsets, strict=True)
            if token_id == self.unk_id
        ]
        return Encoding(
            text=read.typed,
            ids=(*encoded.ids, self.eos_id),
            # `encoded.tokens` would not do: a Unigram model spells an unknown token as its text.
            tokens=(*(self.token(token_id) for token_id in encoded.ids), EOS),
            offsets=(*(read.span(*span) for span in offsets), (len(read.typed),) * 2),
            unknown=tuple(dict.fromkeys(unknown)),
        )

    def encode_ids(self, texts: Sequence[str]) -> list[Sequence[int]]:
        """Ids of many texts, each with the end token appended; of pictures, arrays of their pixels."""
        if self.picture is not None:
            return [cast("Sequence[int]", self.picture.pixels(text)) for text in texts]
        encodings = self._backend.encode_batch_fast(list(map(plain_text, texts)), add_special_tokens=False)
        return [[*encoding.ids, self.eos_id] for encoding in encodings]

    def decode(self, ids: Sequence[int]) -> str:
        """The target text of the ids, without start, end and padding tokens."""
        silent = {self.pad_id, self.bos_id, self.eos_id}
        return self.target._backend.decode([i for i in ids if i not in silent], skip_special_tokens=False)

    def token(self, token_id: int) -> str:
        """The spelling of an id. Raises KeyError if there is none."""
        token = self._backend.id_to_token(token_id)
        if token is None:
            raise KeyError(token_id)
        return token

    def source_token(self, token_id: int) -> str:
        """The spelling of an id in a source: some networks of the Hub have another vocabulary there."""
        return self.token(token_id)

    def token_id(self, token: str) -> int | None:
        """The id of a spelling, None if the vocabulary lacks it."""
        return self._backend.token_to_id(token)


def _with_accents(text: str, offsets: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Extend offsets by the accents that NFC merged into their letters: the library leaves them out."""
    following = [*(start for start, _ in offsets[1:]), len(text)]
    widened = []
    for (start, end), limit in zip(offsets, following, strict=False):
        while end < limit and not text[end].isspace():
            end += 1
        widened.append((start, end))
    return widened
