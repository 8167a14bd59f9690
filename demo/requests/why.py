"""Why a token was written: one step of an output on show. What comes from the browser is checked here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from demo.i18n import later
from demo.requests.checks import RequestError, check_name, check_text, whole
from demo.requests.edit import MAX_ID, token_ids
from models.errors import shown


@dataclass(frozen=True)
class WhyRequest:
    """One step of one output. Raises RequestError for any value that is not what it should be."""

    checkpoint: str
    text: str
    prefix: tuple[int, ...]  # what was written before the token, by ids
    token: int
    rival: int | None = None  # rather than which other token

    @classmethod
    def of(cls, data: object) -> WhyRequest:
        """From what the page's script asks."""
        if not isinstance(data, Mapping):
            raise RequestError(
                "question_not_an_object", "A question must be an object; got {value}.", value=shown(data)
            )
        check_name(data.get("checkpoint"))
        check_text(data.get("text"))
        token, rival = (
            None if data.get(name) is None else whole(later("A token"), data[name], 0, MAX_ID)
            for name in ("token", "rival")
        )
        if token is None:
            raise RequestError("question_without_token", "A question must name a token.")
        prefix = token_ids("prefix", data.get("prefix"))
        return cls(str(data["checkpoint"]), data["text"], prefix, token, rival)
