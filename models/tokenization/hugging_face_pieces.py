"""The pieces, ids, spellings and offsets that a tokenizer of the transformers library makes of a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from models.tokenization.tokenizer import TokenizerError

Pieces = tuple[list[int], list[tuple[int, int]]]  # ids, and where each stands in the text
FILLER = -1  # an id that no vocabulary has


def use_vocabulary(marian: Any, ids: Mapping[str, int]) -> None:
    """Let a Marian number and spell pieces by one of its two vocabularies: its own methods mix them."""
    marian.current_encoder, marian.decoder = ids, {number: piece for piece, number in ids.items()}
    # Others were added behind the source's vocabulary, and are never written.
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
    languages = getattr(theirs, "id_to_lang_token", None)  # which an M2M100 need not count as tokens
    return {*theirs.all_special_ids, *(languages.keys() - theirs.added_tokens_decoder if languages else ())}


def settle(theirs: Any) -> None:
    """Set once what would else be set with each call, from several threads."""
    if theirs.is_fast:
        theirs.backend_tokenizer.no_truncation()
        theirs.backend_tokenizer.no_padding()
        theirs.backend_tokenizer.encode_special_tokens = True


def frame(theirs: Any) -> tuple[list[int], list[int]]:
    """The special tokens that the library puts before and behind every source."""
    if not theirs.is_fast:
        within = theirs.build_inputs_with_special_tokens([FILLER])
        return within[: within.index(FILLER)], within[within.index(FILLER) + 1 :]
    encoding = theirs.backend_tokenizer.encode("a", add_special_tokens=True)
    marked = [i for i, mark in zip(encoding.ids, encoding.special_tokens_mask, strict=True) if mark]
    before = next((index for index, mark in enumerate(encoding.special_tokens_mask) if not mark), len(marked))
    return marked[:before], marked[before:]


def pieces(theirs: Any, text: str) -> Pieces:
    """Ids and offsets, without special tokens."""
    if not theirs.is_fast:
        # Special tokens that somebody types are text; the library can only let no added token be one then.
        added = (token.content for token in theirs.added_tokens_decoder.values() if token.special)
        typed = any(token in text for token in (*theirs.all_special_tokens, *added))
        surfaces = theirs.tokenize(text, split_special_tokens=typed)
        return _without_special(theirs, theirs.convert_tokens_to_ids(surfaces)), _aligned(text, surfaces)
    encoding = theirs.backend_tokenizer.encode(text, add_special_tokens=False)
    ids = _without_special(theirs, encoding.ids)
    spans = [
        # A space that is a piece of its own is said to stand where the word begins.
        _trimmed(text, *span) if _bare(piece) else (span[0], span[0])
        for piece, span in zip(encoding.tokens, encoding.offsets, strict=True)
    ]
    return ids, spans


def _without_special(theirs: Any, ids: Sequence[int]) -> list[int]:
    """The ids without special tokens: typed ones are plain text and must not act."""
    special = special_ids(theirs) if theirs.unk_token_id is not None else set()
    return [theirs.unk_token_id if number in special else number for number in ids]


def _bare(piece: str) -> str:
    """A piece without the sign for the space before it, or for the rest of the word behind it."""
    return piece.replace("▁", " ").replace("Ġ", " ").strip().removesuffix("@@")


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without a space at its beginning."""
    while start < end and text[start].isspace():
        start += 1
    return start, end


def _aligned(text: str, surfaces: Sequence[str]) -> list[tuple[int, int]]:
    """The spans of pieces that come without offsets: each is searched for behind the one before.

    One that is spelt otherwise than in the text gets what lies between its neighbours.
    """
    spans: list[tuple[int, int] | None] = []
    position, lower = 0, text.lower()
    if len(lower) == len(text) and all(surface == surface.lower() for surface in surfaces):
        text = lower
    for surface in surfaces:
        piece = _bare(surface)
        result = text.find(piece, position) if piece else -1
        spans.append((result, result + len(piece)) if result >= 0 else None)
        position = position if result < 0 else result + len(piece)
    placed: list[tuple[int, int]] = []
    for number, span in enumerate(spans):
        start = placed[-1][1] if placed else 0
        following = next((later[0] for later in spans[number + 1 :] if later), len(text))
        placed.append(span or _trimmed(text, start, following) if _bare(surfaces[number]) else (start, start))
    return placed


def spelt(theirs: Any, token_id: int) -> str | None:
    """The library's spelling of an id; None if it has none."""
    if theirs.is_fast:
        return theirs.backend_tokenizer.id_to_token(token_id) if token_id >= 0 else None
    # Slow ones make up something for other ids, or raise IndexError.
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
