"""A text as the network reads it: one chip for each token, with its id on hover or focus."""

from __future__ import annotations

from typing import Any

from demo.decode.source_tokens.chips import chips
from demo.widgets.view.view import View
from models.tokenization.tokenizer import Encoding

TEMPLATE = """
<div class="st">
  <div class="st-line"><span class="st-count"></span><span class="st-detail" aria-hidden="true"></span></div>
  <div class="st-chips" role="group" aria-label="Source tokens"></div>
  <p class="st-note" role="status"></p>
</div>
"""


class SourceTokens(View):
    """Shows an Encoding, or a sentence that says why there is none; text is never read as HTML."""

    def __init__(self, value: Encoding | str | None = None, **settings: Any) -> None:
        super().__init__("decode/source_tokens", value, template=TEMPLATE, **settings)

    def postprocess(self, value: Encoding | str | None) -> dict[str, Any]:
        """Convert the value for the browser."""
        if not isinstance(value, Encoding):
            return {"tokens": [], "unknown": [], "note": value or ""}
        # The ids of a picture are its pixels; its tokens are the numbered cells.
        ids = value.ids if len(value.ids) == len(value.tokens) else range(len(value.tokens))
        return chips(ids, value.tokens, value.offsets, value.unknown)
