"""A link to the Checkpoints tab, with one checkpoint or one section of it unfolded."""

from __future__ import annotations

from demo.links import Link
from demo.links.sources import known_checkpoint
from demo.links.wiring import LinkAnswer, LinkTarget
from demo.work.context import AppContext
from demo.work.operator.caps import MAX_NAME_CHARACTERS
from demo.work.requests.checks import RequestError, check_short_text

SECTION = "section"


def checkpoints_target(context: AppContext) -> LinkTarget:
    """The target of a link. It fills in nothing: the gallery reads itself when the tab is chosen."""

    def section(name: str, value: str) -> str:
        check_short_text(name, value, MAX_NAME_CHARACTERS)
        if not value.isidentifier():
            raise RequestError(
                "not_a_section_name", "{name} must be the name of a section, such as attention.", name=name
            )
        return value

    def answer(link: Link | None) -> LinkAnswer:
        if link is None:
            return LinkAnswer([])
        name = known_checkpoint(context, link, "checkpoint")
        values = {"checkpoint": name, SECTION: link.check(SECTION, section)}
        return LinkAnswer([], view={name: value for name, value in values.items() if value is not None})

    return LinkTarget("checkpoints", [], answer)
