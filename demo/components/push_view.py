"""Before and after a push to the Hub: the card that will be written, then where it is or why it is not.

Root element: `section.push`, inside the block that `elem_id` names; `data-state` is the outcome's, or "idle".
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gradio as gr

ASSETS = Path(__file__).parent / "assets"
SCRIPTS = ("translate", "dom", "markdown", "push")


def _asset(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


SOURCE = "function pushView(element, props, watch) {{\n{}\n}}".format(
    "\n".join(_asset(f"{name}.js") for name in SCRIPTS)
)


@dataclass(frozen=True)
class PushMoment:
    """What there is to see; nothing of it is secret."""

    state: str = "idle"  # idle, sending, done or failed
    text: str = ""  # one sentence
    url: str = ""  # of the repository, once it is there
    card: str | None = None  # README.md, header included; None leaves what was shown


class PushView(gr.HTML):
    """Draws a `PushMoment`; the card is never read as HTML."""

    def __init__(self, *, elem_id: str, **options: Any) -> None:
        """Empty at first."""
        super().__init__(
            value=None,
            elem_id=elem_id,
            html_template=_asset("push.html"),
            css_template=_asset("push.css"),
            js_on_load=f"{SOURCE}\npushView(element, props, watch);",
            apply_default_css=False,
            **options,
        )

    def postprocess(self, value: PushMoment | None) -> dict[str, Any] | None:
        """As the browser reads it."""
        if value is None:
            return None
        header, body = _parts(value.card) if value.card is not None else ("", "")
        shown = {"state": value.state, "text": value.text, "url": value.url}
        return shown | {"hasCard": value.card is not None, "header": header, "body": body}

    def preprocess(self, payload: Any) -> None:
        """Nothing: what comes back from a browser is not what was sent."""

    def api_info(self) -> dict[str, Any]:
        """What the client library says of the value."""
        return {"type": "object", "description": "state, text, url; header and body of the card"}


def _parts(card: str) -> tuple[str, str]:
    """The YAML header and the Markdown under it."""
    _, header, body = card.split("---\n", 2)
    return header.strip(), body.strip()
