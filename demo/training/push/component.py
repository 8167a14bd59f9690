"""A push to the Hub: the card before it, then the new address or the reason of a failure.

Root element: `section.push`, inside the block that `elem_id` names; `data-state` is the outcome's, or "idle".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from demo.widgets.view.view import View


@dataclass(frozen=True)
class PushMoment:
    """The state of a push, which contains no secret."""

    state: str = "idle"  # idle, sending, done or failed
    text: str = ""  # one sentence
    url: str = ""  # the address of the repository, once it exists
    card: str | None = None  # README.md with its header; None keeps the current one


class PushView(View):
    """Draws a `PushMoment`; the card is never read as HTML."""

    reads_browser = False

    def __init__(self, *, elem_id: str, **options: Any) -> None:
        """The view is empty at first."""
        super().__init__("training/push", elem_id=elem_id, **options)

    def postprocess(self, value: PushMoment | None) -> dict[str, Any] | None:
        """Convert the value for the browser."""
        if value is None:
            return None
        header, body = _parts(value.card) if value.card is not None else ("", "")
        payload = {"state": value.state, "text": value.text, "url": value.url}
        return payload | {"hasCard": value.card is not None, "header": header, "body": body}


def _parts(card: str) -> tuple[str, str]:
    """The YAML header and the Markdown below it."""
    _, header, body = card.split("---\n", 2)
    return header.strip(), body.strip()
