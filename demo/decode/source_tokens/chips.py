"""The chips of a source's tokens. Imports no Gradio."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from demo.i18n.display import display_token
from models.tokenization.plain_text import UNK


def chips(
    ids: Iterable[int], surfaces: Sequence[str], spans: Iterable[Sequence[int]], unknown: Iterable[str]
) -> dict[str, Any]:
    """The tokens as the browser shows them; `unknown` are the texts that the vocabulary lacks."""
    tokens = [
        {
            "text": display_token(surface),
            "id": token_id,
            "start": start,
            "end": end,
            "unknown": surface == UNK,
        }
        for token_id, surface, (start, end) in zip(ids, surfaces, spans, strict=True)
    ]
    return {"tokens": tokens, "unknown": [display_token(text) for text in unknown], "note": ""}
