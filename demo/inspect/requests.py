"""Requests of the page's script about a step of an output, with their checks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from demo.i18n import later
from demo.widgets.answers.content import checked_options
from demo.work.operator.caps import MAX_NAME_CHARACTERS
from demo.work.requests.checks import RequestError, check_name, check_text, whole
from demo.work.requests.edit import MAX_ID, token_ids
from models.errors import brief


@dataclass(frozen=True)
class WhyRequest:
    """One step of one output. Raises RequestError for any value that is not what it should be."""

    checkpoint: str
    text: str
    prefix: tuple[int, ...]  # ids of the tokens before
    token: int
    rival: int | None = None  # the token to contrast with

    @classmethod
    def parse(cls, data: object) -> WhyRequest:
        """Check the data of the page's script."""
        if not isinstance(data, Mapping):
            raise RequestError(
                "question_not_an_object", "A question must be an object; got {value}.", value=brief(data)
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


@dataclass(frozen=True)
class InspectRequest:
    """One view of one step. Raises RequestError for any value that is not what it should be."""

    view: str  # the name of a view, which may not exist
    why: WhyRequest
    output: tuple[int, ...]  # all ids of the current output
    options: Mapping[str, object] = field(default_factory=dict)  # each is checked by its control

    @classmethod
    def parse(cls, data: object) -> InspectRequest:
        """Check the data of the page's script."""
        why = WhyRequest.parse(data)
        assert isinstance(data, Mapping)
        view, options = data.get("view"), data.get("options", {})
        if not isinstance(view, str) or len(view) > MAX_NAME_CHARACTERS:
            raise RequestError(
                "not_a_view_name", "view must be the name of a view; got {value}.", value=brief(view)
            )
        output = token_ids("output", data.get("output", ()))
        return cls(view, why, output or (*why.prefix, why.token), checked_options(options))
