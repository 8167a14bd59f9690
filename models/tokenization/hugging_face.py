"""A tokenizer of the transformers library with the interface of our own. Knows no torch.

A source is what the library makes of it, language codes and end token included; a target ends with the end
token alone, for what an output begins with is forced on the decoder and not read from a text.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from models.tokenization.plain_text import PlainText
from models.tokenization.tokenizer import Encoding, Tokenizer, TokenizerError

Pieces = tuple[list[int], list[tuple[int, int]]]  # ids, and where each stands in the text
FILLER = -1  # an id that no vocabulary has


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
        if hasattr(theirs, "spm_target"):  # a Marian cuts the two sides in two ways
            self._writes._switch_to_target_mode()
        self._take_ids(generation)
        self._frame_of_theirs = _frame(self._reads)
        for side in (self._reads, self._writes):
            _settle(side)
        languages = getattr(theirs, "id_to_lang_token", ())
        self._special = {*theirs.all_special_ids, *languages, self.pad_id, self.eos_id} - {self.unk_id}
        self._begin(source_language, target_language)

    def speaking(self, source_language: str, target_language: str, prefix: str = "") -> ForeignTokenizer:
        """The same vocabulary for other languages, or for another task; "" leaves a language as it is.

        Shares everything else with this one. Raises TokenizerError for a code that is none.
        """
        other = copy.copy(self)
        other._prefix = prefix
        other._begin(source_language, target_language)
        return other

    def _begin(self, source_language: str, target_language: str) -> None:
        """What a source is framed by, and what an output begins with."""
        head, tail = self._frame_of_theirs
        if source_language:
            # Put in place rather than set on the library's tokenizer, which other visitors read with.
            before, code = _id_of(self._reads, self._reads.src_lang), _id_of(self._reads, source_language)
            head, tail = ([code if i == before else i for i in part] for part in (head, tail))
        self._frame = head, tail
        if target_language:
            self.first_ids = (_id_of(self._writes, target_language),)
        self._silent = {*self._special, *self.first_ids}
        self.target = _Target(self)

    def _take_ids(self, generation: Mapping[str, Any]) -> None:
        ends = generation.get("eos_token_id")
        end = ends[0] if isinstance(ends, list) and len(ends) == 1 else ends
        start = generation.get("decoder_start_token_id")
        start = generation.get("bos_token_id") if start is None else start
        if not isinstance(end, int) or not isinstance(start, int):
            raise TokenizerError(
                "start_or_end_token_unclear",
                "a model must have one start and one end token; got {start} and {ends}",
                start=start,
                ends=ends,
            )
        padding, unknown = generation.get("pad_token_id"), self._writes.unk_token_id
        self.bos_id, self.eos_id = start, end
        self.pad_id = end if padding is None else padding
        self.unk_id = -1 if unknown is None else unknown
        first, last = generation.get("forced_bos_token_id"), generation.get("forced_eos_token_id")
        self.first_ids = () if first is None else (first,)
        self.closes = last is not None
        if last not in (None, end, [end]):
            raise TokenizerError(
                "forced_end_differs",
                "forced_eos_token_id must be the end token {end}; got {last}",
                end=end,
                last=last,
            )
        banned = generation.get("bad_words_ids") or ()
        if any(len(word) != 1 for word in banned):
            raise TokenizerError(
                "banned_words", "bad_words_ids must be single tokens; got {banned}", banned=banned
            )
        never = {*(word[0] for word in banned), *(generation.get("suppress_tokens") or ())}
        self.never_ids = tuple(sorted(never - {self.eos_id}))
        for number in (start, end, self.pad_id, *self.first_ids, *self.never_ids):
            if not isinstance(number, int) or not 0 <= number < self._size:
                raise TokenizerError(
                    "token_ids_out_of_range",
                    "ids must be whole numbers from 0 to {last}; got {value}",
                    last=self._size - 1,
                    value=repr(number),
                )

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
        read = PlainText.of(text)
        whole, (head, tail) = self._prefix + read.text, self._frame
        ids, offsets = _pieces(self._reads, whole)
        end = (len(whole), len(whole))
        ids, offsets = [*head, *ids, *tail], [(0, 0)] * len(head) + offsets + [end] * len(tail)
        return self._encoding(self._reads, read, ids, offsets, len(self._prefix))

    def encode_target(self, text: str) -> Encoding:
        """A text as the network would write it, up to and with the end token."""
        read = PlainText.of(text)
        ids, offsets = _pieces(self._writes, read.text)
        end = len(read.text)
        return self._encoding(self._writes, read, [*ids, self.eos_id], [*offsets, (end, end)], 0)

    def _encoding(
        self, side: Any, read: PlainText, ids: Sequence[int], offsets: Sequence[tuple[int, int]], skipped: int
    ) -> Encoding:
        spans = [(max(start - skipped, 0), max(end - skipped, 0)) for start, end in offsets]
        lacking = [read.text[a:b] for i, (a, b) in zip(ids, spans, strict=True) if i == self.unk_id]
        tokens = tuple(_spelt(side, token_id) or f"<{token_id}>" for token_id in ids)
        placed = tuple(read.span(*span) for span in spans)
        return Encoding(read.typed, tuple(ids), tokens, placed, tuple(dict.fromkeys(filter(None, lacking))))

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
        raise TokenizerError(
            "foreign_tokenizer_not_saved",
            "a tokenizer of the transformers library is saved by `save_pretrained`",
        )


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


def _frame(theirs: Any) -> tuple[list[int], list[int]]:
    """The special tokens that the library puts before and behind every source."""
    if not theirs.is_fast:
        within = theirs.build_inputs_with_special_tokens([FILLER])
        return within[: within.index(FILLER)], within[within.index(FILLER) + 1 :]
    encoding = theirs.backend_tokenizer.encode("a", add_special_tokens=True)
    marked = [i for i, mark in zip(encoding.ids, encoding.special_tokens_mask, strict=True) if mark]
    before = next((at for at, mark in enumerate(encoding.special_tokens_mask) if not mark), len(marked))
    return marked[:before], marked[before:]


def _pieces(theirs: Any, text: str) -> Pieces:
    """Ids and offsets, without special tokens."""
    if not theirs.is_fast:
        surfaces = theirs.tokenize(text, split_special_tokens=True)
        return theirs.convert_tokens_to_ids(surfaces), _aligned(text, surfaces)
    encoding = theirs.backend_tokenizer.encode(text, add_special_tokens=False)
    # Some vocabularies spell special tokens as pieces of text: typed, they must not act as such.
    typed = {*theirs.all_special_ids} if theirs.unk_token_id is not None else set()
    ids = [theirs.unk_token_id if number in typed else number for number in encoding.ids]
    spans = [
        # A space that is a piece of its own is said to stand where the word begins.
        _trimmed(text, *span) if _bare(piece) else (span[0], span[0])
        for piece, span in zip(encoding.tokens, encoding.offsets, strict=True)
    ]
    return ids, spans


def _bare(piece: str) -> str:
    """A piece without the sign for the space before it."""
    return piece.replace("▁", " ").replace("Ġ", " ").strip()


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
    if not 0 <= token_id < len(theirs):  # where M2M100 has languages that its files need not list
        return getattr(theirs, "id_to_lang_token", {}).get(token_id)
    found = theirs.convert_ids_to_tokens(token_id)
    return found if isinstance(found, str) else None


def _id_of(theirs: Any, code: str) -> int:
    """The id of a language code. Raises TokenizerError if it is none."""
    codes = getattr(theirs, "lang_code_to_id", None) or {}
    found = codes.get(code, theirs.convert_tokens_to_ids(code))
    if not isinstance(found, int) or found == theirs.unk_token_id:
        raise TokenizerError(
            "no_such_language",
            "this tokenizer knows no language {language}: use one of its own codes",
            language=repr(code),
        )
    return found
