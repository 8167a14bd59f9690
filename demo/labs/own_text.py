"""The text that a lab learns from: the reader's own, or the novel that ships."""

from __future__ import annotations

from demo.i18n import say
from demo.widgets.answers.controls import Controls


def own_text(controls: Controls) -> str:
    """Return the text that the reader has typed; "" stands for the novel."""
    return controls.text_field("text", say("your own text (empty: the novel)"), "").strip()
