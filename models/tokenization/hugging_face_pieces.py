"""The pieces of a text by a tokenizer of the transformers library: ids, spellings and offsets."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from models.tokenization.segmentation import TokenizerError

Pieces = tuple[list[int], list[tuple[int, int]]]  # ids, and the span of each in the text
_GAP = re.compile(r"<(mask|mask_\d+|extra_id_\d+)>|\[MASK\]")
FILLER_ID = -1  # no vocabulary has this id


def use_vocabulary(marian: Any, ids: Mapping[str, int]) -> None:
    """Make a Marian tokenizer with two vocabularies use one of them: its own methods mix both."""
    marian.current_encoder, marian.decoder = ids, {number: piece for piece, number in ids.items()}
    # Tokens that were added after the source's vocabulary are in no output.
    marian._added_tokens_decoder = {
        ids.get(token.content, number): token
        for number, token in marian.added_tokens_decoder.items()
        if token.content in ids or ids is marian.encoder
    }
    marian._added_tokens_encoder = {
        token.content: number for number, token in marian._added_tokens_decoder.items()
    }


def special_ids(tokenizer: Any) -> set[int]:
    """The ids of special tokens, which stand for no text."""
    # An M2M100 need not count its language tokens as special.
    languages = getattr(tokenizer, "id_to_lang_token", None)
    return {
        *tokenizer.all_special_ids,
        *(languages.keys() - tokenizer.added_tokens_decoder if languages else ()),
    }


def gap_ids(tokenizer: Any) -> frozenset[int]:
    """The ids of the special tokens that stand for a gap in a text: "<mask>", "<extra_id_0>"."""
    return frozenset(number for piece, number in tokenizer.get_added_vocab().items() if _GAP.fullmatch(piece))


def settle(tokenizer: Any, reads_special: bool = False) -> None:
    """Set the options of a tokenizer once: setting them at each call would not be thread-safe."""
    if tokenizer.is_fast:
        tokenizer.backend_tokenizer.no_truncation()
        tokenizer.backend_tokenizer.no_padding()
        tokenizer.backend_tokenizer.encode_special_tokens = not reads_special


def frame(tokenizer: Any) -> tuple[list[int], list[int]]:
    """The special tokens that the library puts before and after every source."""
    if not tokenizer.is_fast:
        within = tokenizer.build_inputs_with_special_tokens([FILLER_ID])
        return within[: within.index(FILLER_ID)], within[within.index(FILLER_ID) + 1 :]
    encoding = tokenizer.backend_tokenizer.encode("a", add_special_tokens=True)
    marked = [i for i, mark in zip(encoding.ids, encoding.special_tokens_mask, strict=True) if mark]
    before = next((index for index, mark in enumerate(encoding.special_tokens_mask) if not mark), len(marked))
    return marked[:before], marked[before:]


def pieces(tokenizer: Any, text: str, gaps: Collection[int] = ()) -> Pieces:
    """Ids and offsets, without special tokens other than `gaps`."""
    if not tokenizer.is_fast:
        # Special tokens that a user types are text. To read them so, the library must split all added
        # tokens.
        added = (token.content for token in tokenizer.added_tokens_decoder.values() if token.special)
        typed = not gaps and any(token in text for token in (*tokenizer.all_special_tokens, *added))
        surfaces = tokenizer.tokenize(text, split_special_tokens=typed)
        ids = tokenizer.convert_tokens_to_ids(surfaces)
        return _without_special(tokenizer, ids, gaps), _align_pieces(text, surfaces)
    try:
        encoding = tokenizer.backend_tokenizer.encode(text, add_special_tokens=False)
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # Rust's, which the library does not export
            raise
        raise TokenizerError(
            "tokenizer_gave_up", "The tokenizer of this checkpoint cannot read this text. Type another one."
        ) from error
    ids = _without_special(tokenizer, encoding.ids, gaps)
    spans = [
        # A piece that is a space gets the offset of the word's beginning.
        _trim_space(text, *span) if _without_marks(piece) else (span[0], span[0])
        for piece, span in zip(encoding.tokens, encoding.offsets, strict=True)
    ]
    return ids, spans


def _without_special(tokenizer: Any, ids: Sequence[int], gaps: Collection[int]) -> list[int]:
    """The ids without special tokens: typed ones are plain text and must not act."""
    special = special_ids(tokenizer).difference(gaps) if tokenizer.unk_token_id is not None else set()
    return [tokenizer.unk_token_id if number in special else number for number in ids]


def _without_marks(piece: str) -> str:
    """A piece without the mark for the space before it, or for the rest of the word after it."""
    return piece.replace("▁", " ").replace("Ġ", " ").strip().removesuffix("@@")


def _trim_space(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without a space at its beginning."""
    while start < end and text[start].isspace():
        start += 1
    return start, end


def _align_pieces(text: str, surfaces: Sequence[str]) -> list[tuple[int, int]]:
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
        following = next((later_span[0] for later_span in spans[number + 1 :] if later_span), len(text))
        placed.append(
            span or _trim_space(text, start, following)
            if _without_marks(surfaces[number])
            else (start, start)
        )
    return placed


def spelt(tokenizer: Any, token_id: int) -> str | None:
    """The library's spelling of an id; None if it has none."""
    if tokenizer.is_fast:
        return tokenizer.backend_tokenizer.id_to_token(token_id) if token_id >= 0 else None
    # Slow tokenizers invent a spelling for other ids, or raise IndexError.
    tables = (
        getattr(tokenizer, "decoder", range(len(tokenizer))),
        tokenizer.added_tokens_decoder,
        getattr(tokenizer, "id_to_lang_token", ()),
    )
    return tokenizer.convert_ids_to_tokens(token_id) if any(token_id in part for part in tables) else None


def id_of(tokenizer: Any, code: str) -> int:
    """The id of a language code. Raises TokenizerError if it is none."""
    codes = getattr(tokenizer, "lang_code_to_id", None) or {}
    result = codes.get(code, tokenizer.convert_tokens_to_ids(code))
    if not isinstance(result, int) or result == tokenizer.unk_token_id:
        raise TokenizerError(
            "no_such_language",
            "this tokenizer knows no language {language}: use one of its own codes",
            language=repr(code),
        )
    return result
