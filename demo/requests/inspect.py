"""A look into a network: a view, the step that it is about, and what the reader has chosen in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from demo.operator.caps import MAX_NAME_CHARACTERS, MAX_OPTION_CHARACTERS
from demo.requests.checks import RequestError
from demo.requests.edit import token_ids
from demo.requests.why import WhyRequest
from models.errors import shown

MAX_OPTIONS = 20


@dataclass(frozen=True)
class InspectRequest:
    """One view of one step. Raises RequestError for any value that is not what it should be."""

    view: str  # which need not be there
    why: WhyRequest
    output: tuple[int, ...]  # all ids of the output on show
    options: Mapping[str, object] = field(default_factory=dict)  # each is checked by its control

    @classmethod
    def of(cls, data: object) -> InspectRequest:
        """From what the page's script asks."""
        why = WhyRequest.of(data)
        assert isinstance(data, Mapping)
        view, options = data.get("view"), data.get("options", {})
        if not isinstance(view, str) or len(view) > MAX_NAME_CHARACTERS:
            raise RequestError(
                "not_a_view_name", "view must be the name of a view; got {value}.", value=shown(view)
            )
        output = token_ids("output", data.get("output", ()))
        return cls(view, why, output or (*why.prefix, why.token), checked_options(options))


def checked_options(options: object) -> dict[str, object]:
    """What was chosen, by the names of controls, each of a size to be read. Raises RequestError."""
    if not isinstance(options, Mapping) or len(options) > MAX_OPTIONS:
        raise RequestError(
            "options_not_an_object", "options must be an object; got {value}.", value=shown(options)
        )
    for value in options.values():
        if not isinstance(value, str | int | float) or len(str(value)) > MAX_OPTION_CHARACTERS:
            raise RequestError(
                "option_not_plain",
                "An option must be a number or a short text; got {value}.",
                value=shown(value),
            )
    return dict(options)
