"""A tokenizer of the transformers library with the interface of `Tokenizer`. Imports no torch.

A source has the special tokens that the library adds, such as language codes and the end token. A target has
only the end token: the tokens that begin an output are forced on the decoder.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from models.tokenization import hugging_face_pieces as library
from models.tokenization.plain_text import PlainText
from models.tokenization.segmentation import TokenizerError
from models.tokenization.tokenizer import Encoding, Tokenizer


class HuggingFaceTokenizer(Tokenizer):
    """The tokenizer of a network of the transformers library, with the rules for how its outputs begin.

    `generation` is the model's generation configuration as a dictionary. It has the start token, the tokens
    that must never be generated and, unless a variant names the language to write, the first token.
    `vocab_size` may exceed the number of spellings. Raises TokenizerError for settings that the library
    allows but a search here does not.
    """

    def __init__(self, library_tokenizer: Any, generation: Mapping[str, Any], vocab_size: int) -> None:
        # Each side has its own copy: the library would switch sides in place, for all visitors at once.
        self._reads, self._writes = copy.deepcopy(library_tokenizer), copy.deepcopy(library_tokenizer)
        self._prefix, self._size, self.picture = "", vocab_size, None
        self._gaps: frozenset[int] = frozenset()
        if hasattr(library_tokenizer, "spm_target"):  # a Marian has a SentencePiece model for each side
            self._writes._switch_to_target_mode()
        if getattr(library_tokenizer, "separate_vocabs", False):  # some have a vocabulary for each side, too
            library.use_vocabulary(self._reads, self._reads.encoder)
            library.use_vocabulary(self._writes, self._writes.target_encoder)
        self._take_ids(generation)
        self._frame_of_theirs = library.frame(self._reads)
        for side in (self._reads, self._writes):
            library.settle(side)
        self._special = {*library.special_ids(self._writes), self.pad_id, self.eos_id} - {self.unk_id}
        self._begin("", "")

    def in_variant(
        self, source_language: str, target_language: str, prefix: str = "", reads_gaps: bool = False
    ) -> HuggingFaceTokenizer:
        """Return this tokenizer for other languages or another task; "" leaves a language as it is.

        `prefix` is put before each source, such as T5's "translate English to German: ". With `reads_gaps` a
        typed "<mask>" or "<extra_id_0>" is the token that stands for a gap. The two share everything else.
        Raises TokenizerError for an unknown code.
        """
        other = copy.copy(self)
        other._prefix = prefix
        if reads_gaps:
            other._reads, other._writes = copy.deepcopy(self._reads), copy.deepcopy(self._writes)
            other._gaps = library.gap_ids(other._reads)
            for side in (other._reads, other._writes):
                library.settle(side, reads_special=True)
        other._begin(source_language, target_language)
        return other

    def _begin(self, source_language: str, target_language: str) -> None:
        """The special tokens around a source, and those at the beginning of an output."""
        head, tail = self._frame_of_theirs
        if source_language:
            # The library's tokenizer is not changed, since other visitors use it at the same time.
            before, code = (
                library.id_of(self._reads, self._reads.src_lang),
                library.id_of(self._reads, source_language),
            )
            head, tail = ([code if i == before else i for i in part] for part in (head, tail))
        self._frame = head, tail
        if target_language:
            self.first_ids = (library.id_of(self._writes, target_language),)
        self._silent = {*self._special, *self.first_ids} - self._gaps
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
        self.forces_end = last is not None
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
        return self._size

    @property
    def special_ids(self) -> frozenset[int]:
        return frozenset((*self._silent, self.unk_id, self.bos_id))

    def encode(self, text: str) -> Encoding:
        """Encode a source; the tokens of the prefix stand for no character of the text."""
        read = PlainText.of(text)
        source_text, (head, tail) = self._prefix + read.text, self._frame
        ids, offsets = library.pieces(self._reads, source_text, self._gaps)
        end = (len(source_text), len(source_text))
        ids, offsets = [*head, *ids, *tail], [(0, 0)] * len(head) + offsets + [end] * len(tail)
        return self._encoding(self._reads, read, ids, offsets, len(self._prefix))

    def encode_target(self, text: str) -> Encoding:
        """The ids of a text as an output, with the end token."""
        read = PlainText.of(text)
        ids, offsets = library.pieces(self._writes, read.text, self._gaps)
        end = len(read.text)
        return self._encoding(self._writes, read, [*ids, self.eos_id], [*offsets, (end, end)], 0)

    def _encoding(
        self, side: Any, read: PlainText, ids: Sequence[int], offsets: Sequence[tuple[int, int]], skipped: int
    ) -> Encoding:
        spans = [(max(start - skipped, 0), max(end - skipped, 0)) for start, end in offsets]
        lacking = [read.text[a:b] for i, (a, b) in zip(ids, spans, strict=True) if i == side.unk_token_id]
        tokens = tuple(library.spelt(side, token_id) or f"<{token_id}>" for token_id in ids)
        placed = tuple(read.span(*span) for span in spans)
        return Encoding(read.typed, tuple(ids), tokens, placed, tuple(dict.fromkeys(filter(None, lacking))))

    def encode_ids(self, texts: Sequence[str]) -> list[Sequence[int]]:
        return [self.encode(text).ids for text in texts]

    def decode(self, ids: Sequence[int]) -> str:
        """The text of the ids, without the codes of languages."""
        shown_ids = [i for i in ids if i not in self._silent and library.spelt(self._writes, i) is not None]
        text: str = self._writes.decode(shown_ids, skip_special_tokens=False)
        return text.strip()

    def token(self, token_id: int) -> str:
        """The spelling of an id; an id that only fills up the network's vocabulary is spelt as its number."""
        if not 0 <= token_id < self._size:
            raise KeyError(token_id)
        return library.spelt(self._writes, token_id) or f"<{token_id}>"

    def source_token(self, token_id: int) -> str:
        return library.spelt(self._reads, token_id) or f"<{token_id}>"

    def token_id(self, token: str) -> int | None:
        result = self._writes.convert_tokens_to_ids(token)
        return result if isinstance(result, int) and library.spelt(self._writes, result) == token else None

    def to_json(self) -> str:
        """Raise TokenizerError: the library has its own files."""
        raise TokenizerError(
            "foreign_tokenizer_not_saved",
            "a tokenizer of the transformers library is saved by `save_pretrained`",
        )


class _Target(HuggingFaceTokenizer):
    """The same tokenizer with `encode` for targets."""

    def __init__(self, both: HuggingFaceTokenizer) -> None:
        self.__dict__.update(both.__dict__)
        self.target = self

    def encode(self, text: str) -> Encoding:
        return self.encode_target(text)
