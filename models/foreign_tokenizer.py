"""A tokenizer of the transformers library with the interface of our own. Knows no torch.

A source is what the library makes of it, language codes and end token included; a target ends with the end
token alone, for what an output begins with is forced on the decoder and not read from a text.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from models.tokenization import Encoding, Tokenizer, TokenizerError, well_formed

Pieces = tuple[list[int], list[tuple[int, int]]]  # ids, and where each stands in the text


class ForeignTokenizer(Tokenizer):
    """What a network of that library reads and writes, and what its decoder must and must not begin with.

    `generation` is the model's generation configuration as a dictionary: it knows the start token, what must
    never be generated and, unless `target_language` is the code of one, what comes first. `prefix` is put
    before each source, as T5's "translate English to German: ". `vocab_size` may be more than there are
    spellings. Raises TokenizerError for what the library allows and a search here does not.
    """

    def __init__(
        self,
        theirs: Any,
        generation: Mapping[str, Any],
        vocab_size: int,
        *,
        prefix: str = "",
        source_language: str = "",
        target_language: str = "",
    ) -> None:
        # A copy for each side: the library switches between them in place, and visitors come at once.
        self._reads, self._writes = copy.deepcopy(theirs), copy.deepcopy(theirs)
        self._prefix, self._size, self.picture = prefix, vocab_size, None
        for code in filter(None, (source_language, target_language)):
            _id_of(theirs, code)
        if source_language:
            self._reads.src_lang = source_language
        if hasattr(theirs, "spm_target"):  # a Marian cuts the two sides in two ways
            self._writes._switch_to_target_mode()
        for side in (self._reads, self._writes):
            _settle(side)
        self._take_ids(generation, target_language)
        self._silent = {*theirs.all_special_ids, *self.first_ids, self.pad_id, self.eos_id} - {self.unk_id}
        self.target = _Target(self)

    def _take_ids(self, generation: Mapping[str, Any], target_language: str) -> None:
        ends = generation.get("eos_token_id")
        end = ends[0] if isinstance(ends, list) and len(ends) == 1 else ends
        start = generation.get("decoder_start_token_id")
        start = generation.get("bos_token_id") if start is None else start
        if not isinstance(end, int) or not isinstance(start, int):
            raise TokenizerError(f"a model must have one start and one end token; got {start} and {ends}")
        padding, unknown = generation.get("pad_token_id"), self._writes.unk_token_id
        self.bos_id, self.eos_id = start, end
        self.pad_id = end if padding is None else padding
        self.unk_id = -1 if unknown is None else unknown
        first = (
            _id_of(self._writes, target_language)
            if target_language
            else generation.get("forced_bos_token_id")
        )
        self.first_ids = () if first is None else (first,)
        banned = generation.get("bad_words_ids") or ()
        if any(len(word) != 1 for word in banned):
            raise TokenizerError(f"bad_words_ids must be single tokens; got {banned}")
        never = {*(word[0] for word in banned), *(generation.get("suppress_tokens") or ())}
        self.never_ids = tuple(sorted(never - {self.eos_id}))

    @property
    def vocab_size(self) -> int:
        """See `Tokenizer.vocab_size`."""
        return self._size

    @property
    def special_ids(self) -> frozenset[int]:
        """See `Tokenizer.special_ids`."""
        return frozenset((*self._silent, self.unk_id, self.bos_id))

    def encode(self, text: str) -> Encoding:
        """See `Tokenizer.encode`; the tokens of the prefix stand for no character of the text."""
        text = well_formed(text)
        ids, offsets = _pieces(self._reads, self._prefix + text, framed=True)
        return self._encoding(self._reads, text, ids, offsets, len(self._prefix))

    def encode_target(self, text: str) -> Encoding:
        """A text as the network would write it, up to and with the end token."""
        text = well_formed(text)
        ids, offsets = _pieces(self._writes, text, framed=False)
        end = len(text)
        return self._encoding(self._writes, text, [*ids, self.eos_id], [*offsets, (end, end)], 0)

    def _encoding(
        self, side: Any, text: str, ids: Sequence[int], offsets: Sequence[tuple[int, int]], skipped: int
    ) -> Encoding:
        spans = tuple((max(start - skipped, 0), max(end - skipped, 0)) for start, end in offsets)
        lacking = [text[a:b] for i, (a, b) in zip(ids, spans, strict=True) if i == self.unk_id]
        tokens = tuple(_spelt(side, token_id) or f"<{token_id}>" for token_id in ids)
        return Encoding(text, tuple(ids), tokens, spans, tuple(dict.fromkeys(filter(None, lacking))))

    def encode_ids(self, texts: Sequence[str]) -> list[Sequence[int]]:
        """See `Tokenizer.encode_ids`."""
        return [self.encode(text).ids for text in texts]

    def decode(self, ids: Sequence[int]) -> str:
        """See `Tokenizer.decode`; the codes of languages leave no trace either."""
        spelt = [i for i in ids if i not in self._silent and _spelt(self._writes, i) is not None]
        text: str = self._writes.decode(spelt, skip_special_tokens=False)
        return text.strip()

    def token(self, token_id: int) -> str:
        """See `Tokenizer.token`; an id that only fills up the network's vocabulary is spelt as its number."""
        if not 0 <= token_id < self._size:
            raise KeyError(token_id)
        return _spelt(self._writes, token_id) or f"<{token_id}>"

    def token_id(self, token: str) -> int | None:
        """See `Tokenizer.token_id`."""
        found = self._writes.convert_tokens_to_ids(token)
        return found if isinstance(found, int) and _spelt(self._writes, found) == token else None

    def to_json(self) -> str:
        """Raises TokenizerError: the library has its own files."""
        raise TokenizerError("a tokenizer of the transformers library is saved by `save_pretrained`")


class _Target(ForeignTokenizer):
    """The same tokenizer with `encode` for targets."""

    def __init__(self, both: ForeignTokenizer) -> None:
        self.__dict__.update(both.__dict__)
        self.target = self

    def encode(self, text: str) -> Encoding:
        return self.encode_target(text)


def _settle(theirs: Any) -> None:
    """Once and for all what would else be set with each call, from several threads."""
    if theirs.is_fast:
        theirs.backend_tokenizer.no_truncation()
        theirs.backend_tokenizer.no_padding()
        theirs.backend_tokenizer.encode_special_tokens = True


def _pieces(theirs: Any, text: str, framed: bool) -> Pieces:
    """Ids and offsets; `framed`: with the special tokens that the library puts around a source."""
    if theirs.is_fast:
        encoded = theirs.backend_tokenizer.encode(text, add_special_tokens=framed)
        marks = encoded.special_tokens_mask
        spans = [
            # A space that is a piece of its own is said to stand where the word begins.
            _trimmed(text, *span) if _bare(piece) else (span[0], span[0])
            for piece, span in zip(encoded.tokens, encoded.offsets, strict=True)
        ]
        # Some vocabularies spell special tokens as pieces of text: typed, they must not act as such.
        typed = {*theirs.all_special_ids} if theirs.unk_token_id is not None else set()
        ids = [
            theirs.unk_token_id if number in typed and not mark else number
            for number, mark in zip(encoded.ids, marks, strict=True)
        ]
        return ids, _at_the_edges(spans, marks, len(text))
    surfaces = theirs.tokenize(text, split_special_tokens=True)
    ids, spans = theirs.convert_tokens_to_ids(surfaces), _aligned(text, surfaces)
    if not framed:
        return ids, spans
    whole = theirs.build_inputs_with_special_tokens(ids)
    before = next((at for at in range(len(whole)) if whole[at : at + len(ids)] == ids), 0)
    marks = [not before <= at < before + len(ids) for at in range(len(whole))]
    filled = iter(spans)
    return whole, _at_the_edges([(0, 0) if mark else next(filled) for mark in marks], marks, len(text))


def _at_the_edges(spans: list[tuple[int, int]], marks: Sequence[int], length: int) -> list[tuple[int, int]]:
    """Special tokens stand before the first character or behind the last."""
    first = next((at for at, mark in enumerate(marks) if not mark), 0)
    return [
        span if not mark else ((0, 0) if at < first else (length, length))
        for at, (span, mark) in enumerate(zip(spans, marks, strict=True))
    ]


def _bare(piece: str) -> str:
    """A piece without the sign for the space before it."""
    return piece.replace("▁", " ").strip()


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Without the space that a piece begins with."""
    while start < end and text[start].isspace():
        start += 1
    return start, end


def _aligned(text: str, surfaces: Sequence[str]) -> list[tuple[int, int]]:
    """Where pieces stand that come without offsets: each is looked for behind the one before.

    One that is spelt otherwise than in the text gets what lies between its neighbours.
    """
    spans: list[tuple[int, int] | None] = []
    at = 0
    for surface in surfaces:
        piece = _bare(surface)
        found = text.find(piece, at) if piece else -1
        spans.append((found, found + len(piece)) if found >= 0 else None)
        at = at if found < 0 else found + len(piece)
    placed: list[tuple[int, int]] = []
    for number, span in enumerate(spans):
        start = placed[-1][1] if placed else 0
        following = next((later[0] for later in spans[number + 1 :] if later), len(text))
        placed.append(span or _trimmed(text, start, following) if _bare(surfaces[number]) else (start, start))
    return placed


def _spelt(theirs: Any, token_id: int) -> str | None:
    """How the library spells an id; None if it does not."""
    if not 0 <= token_id < len(theirs):
        return None
    found = theirs.convert_ids_to_tokens(token_id)
    return found if isinstance(found, str) else None


def _id_of(theirs: Any, code: str) -> int:
    """The id of a language code. Raises TokenizerError if it is none."""
    codes = getattr(theirs, "lang_code_to_id", None) or {}
    found = codes.get(code, theirs.convert_tokens_to_ids(code))
    if not isinstance(found, int) or found == theirs.unk_token_id:
        raise TokenizerError(f"this tokenizer knows no language {code!r}: use one of its own codes")
    return found
