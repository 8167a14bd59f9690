"""Before and after a push to the Hub: the card that will be written, then where it is or why it is not.

Root element: `section.push`, inside the block that `elem_id` names; `data-state` is the outcome's, or "idle".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from demo.views.shared.view import View


@dataclass(frozen=True)
class PushMoment:
    """What there is to see; nothing of it is secret."""

    state: str = "idle"  # idle, sending, done or failed
    text: str = ""  # one sentence
    url: str = ""  # of the repository, once it is there
    card: str | None = None  # README.md, header included; None leaves what was shown


class PushView(View):
    """Draws a `PushMoment`; the card is never read as HTML."""

    def __init__(self, *, elem_id: str, **options: Any) -> None:
        """Empty at first."""
        super().__init__("push", elem_id=elem_id, **options)

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
