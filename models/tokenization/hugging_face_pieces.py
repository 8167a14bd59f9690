"""The pieces of a text by a tokenizer of the transformers library: ids, spellings and offsets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from models.tokenization.tokenizer import TokenizerError

Pieces = tuple[list[int], list[tuple[int, int]]]  # ids, and the span of each in the text
FILLER_ID = -1  # no vocabulary has this id


def use_vocabulary(marian: Any, ids: Mapping[str, int]) -> None:
    """Let a Marian number and spell pieces by one of its two vocabularies: its own methods mix them."""
    marian.current_encoder, marian.decoder = ids, {number: piece for piece, number in ids.items()}
    # Other tokens were added after the source's vocabulary, and are never written.
    marian._added_tokens_decoder = {
        ids.get(token.content, number): token
        for number, token in marian.added_tokens_decoder.items()
        if token.content in ids or ids is marian.encoder
    }
    marian._added_tokens_encoder = {
        token.content: number for number, token in marian._added_tokens_decoder.items()
    }


def special_ids(theirs: Any) -> set[int]:
    """The ids of special tokens, which stand for no text."""
    languages = getattr(theirs, "id_to_lang_token", None)  # an M2M100 need not count them as special tokens
    return {*theirs.all_special_ids, *(languages.keys() - theirs.added_tokens_decoder if languages else ())}


def settle(theirs: Any) -> None:
    """Set the options of a tokenizer once: setting them at each call would not be thread-safe."""
    if theirs.is_fast:
        theirs.backend_tokenizer.no_truncation()
        theirs.backend_tokenizer.no_padding()
        theirs.backend_tokenizer.encode_special_tokens = True


def frame(theirs: Any) -> tuple[list[int], list[int]]:
    """The special tokens that the library puts before and after every source."""
    if not theirs.is_fast:
        within = theirs.build_inputs_with_special_tokens([FILLER_ID])
        return within[: within.index(FILLER_ID)], within[within.index(FILLER_ID) + 1 :]
    encoding = theirs.backend_tokenizer.encode("a", add_special_tokens=True)
    marked = [i for i, mark in zip(encoding.ids, encoding.special_tokens_mask, strict=True) if mark]
    before = next((index for index, mark in enumerate(encoding.special_tokens_mask) if not mark), len(marked))
    return marked[:before], marked[before:]


def pieces(theirs: Any, text: str) -> Pieces:
    """Ids and offsets, without special tokens."""
    if not theirs.is_fast:
        # Special tokens that a user types are text. The library can only switch off all added tokens for
        # that.
        added = (token.content for token in theirs.added_tokens_decoder.values() if token.special)
        typed = any(token in text for token in (*theirs.all_special_tokens, *added))
        surfaces = theirs.tokenize(text, split_special_tokens=typed)
        return _without_special(theirs, theirs.convert_tokens_to_ids(surfaces)), _aligned(text, surfaces)
    encoding = theirs.backend_tokenizer.encode(text, add_special_tokens=False)
    ids = _without_special(theirs, encoding.ids)
    spans = [
        # A piece that is a space gets the offset of the word's beginning.
        _trimmed(text, *span) if _without_marks(piece) else (span[0], span[0])
        for piece, span in zip(encoding.tokens, encoding.offsets, strict=True)
    ]
    return ids, spans


def _without_special(theirs: Any, ids: Sequence[int]) -> list[int]:
    """The ids without special tokens: typed ones are plain text and must not act."""
    special = special_ids(theirs) if theirs.unk_token_id is not None else set()
    return [theirs.unk_token_id if number in special else number for number in ids]


def _without_marks(piece: str) -> str:
    """A piece without the mark for the space before it, or for the rest of the word after it."""
    return piece.replace("▁", " ").replace("Ġ", " ").strip().removesuffix("@@")


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without a space at its beginning."""
    while start < end and text[start].isspace():
        start += 1
    return start, end


def _aligned(text: str, surfaces: Sequence[str]) -> list[tuple[int, int]]:
    """The spans of pieces without offsets. Each piece is searched for after the previous one.

    A piece that is spelt differently in the text gets the span between its neighbours.
    """
    spans: list[tuple[int, int] | None] = []
    position, lower = 0, text.lower()
    if len(lower) == len(text) and all(surface == surface.lower() for surface in surfaces):
        text = lower
    for surface in surfaces:
        piece = _without_marks(surface)
        result = text.find(piece, position) if piece else -1
        spans.append((result, result + len(piece)) if result >= 0 else None)
        position = position if result < 0 else result + len(piece)
    placed: list[tuple[int, int]] = []
    for number, span in enumerate(spans):
        start = placed[-1][1] if placed else 0
        following = next((later[0] for later in spans[number + 1 :] if later), len(text))
        placed.append(
            span or _trimmed(text, start, following) if _without_marks(surfaces[number]) else (start, start)
        )
    return placed


def spelt(theirs: Any, token_id: int) -> str | None:
    """The library's spelling of an id; None if it has none."""
    if theirs.is_fast:
        return theirs.backend_tokenizer.id_to_token(token_id) if token_id >= 0 else None
    # Slow tokenizers invent a spelling for other ids, or raise IndexError.
    tables = (
        getattr(theirs, "decoder", range(len(theirs))),
        theirs.added_tokens_decoder,
        getattr(theirs, "id_to_lang_token", ()),
    )
    return theirs.convert_ids_to_tokens(token_id) if any(token_id in part for part in tables) else None


def id_of(theirs: Any, code: str) -> int:
    """The id of a language code. Raises TokenizerError if it is none."""
    codes = getattr(theirs, "lang_code_to_id", None) or {}
    result = codes.get(code, theirs.convert_tokens_to_ids(code))
    if not isinstance(result, int) or result == theirs.unk_token_id:
        raise TokenizerError(
            "no_such_language",
            "this tokenizer knows no language {language}: use one of its own codes",
            language=repr(code),
        )
    return result
