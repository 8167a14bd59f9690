"""Links to the tabs without a result of their own: Checkpoints, with one of them unfolded, and Training."""

from __future__ import annotations

from demo.checks import RequestError, check_short_text
from demo.context import AppContext
from demo.i18n import say
from demo.limits import MAX_NAME_CHARACTERS
from demo.links import Link
from demo.opening import Answer, Target
from demo.opening.sources import known_checkpoint

SECTION = "section"


def checkpoints_target(context: AppContext) -> Target:
    """Nothing to fill in: the gallery reads itself when the tab is chosen."""

    def section(name: str, value: str) -> str:
        check_short_text(name, value, MAX_NAME_CHARACTERS)
        if not value.isidentifier():
            raise RequestError(say("{name} must be the name of a section, such as attention.", name=name))
        return value

    def answer(link: Link | None) -> Answer:
        if link is None:
            return Answer([])
        name = known_checkpoint(context, link, "checkpoint")
        wanted = {"checkpoint": name, SECTION: link.check(SECTION, section)}
        return Answer([], view={name: value for name, value in wanted.items() if value is not None})

    return Target("checkpoints", [], answer)


def training_target() -> Target:
    """The tab alone: a run is watched by its secret, which is no part of these links."""
    return Target("training", [], lambda link: Answer([]))
