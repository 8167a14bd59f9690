"""Links to the tabs whose views read the link themselves: Checkpoints, Evaluate and Learn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from demo.evaluate.work.request import PASTE
from demo.links import Link
from demo.links.link import known_checkpoint
from demo.links.parameters import EVALUATE, LEARN
from demo.links.wiring import LinkAnswer, LinkTarget
from demo.work.context import AppContext
from demo.work.operator.caps import MAX_NAME_CHARACTERS, MAX_OUTPUT_TOKENS
from demo.work.requests.checks import RequestError, check_short_text
from models.evaluation.segments import MAX_SYSTEMS

SECTION = "section"


def checkpoints_target(context: AppContext) -> LinkTarget:
    """The target of links to Checkpoints, with one checkpoint or one section unfolded."""

    def section(name: str, value: str) -> str:
        check_short_text(name, value, MAX_NAME_CHARACTERS)
        if not value.isidentifier():
            raise RequestError(
                "not_a_section_name", "{name} must be the name of a section, such as attention.", name=name
            )
        return value

    def answer(link: Link) -> LinkAnswer:
        name = known_checkpoint(context, link, "checkpoint")
        return _view({"checkpoint": name, SECTION: link.take(SECTION, section)})

    return LinkTarget("checkpoints", [], answer)


def evaluate_target(context: AppContext) -> LinkTarget:
    """The target of links to Evaluate: checkpoints and strategies evaluated, or a part opened."""

    def answer(link: Link) -> LinkAnswer:
        values = {name: link.take(name, check) for name, check in EVALUATE.items()}
        values["checkpoints"] = _checkpoints(context, link) or None
        values["strategies"] = link.take_strategies(MAX_OUTPUT_TOKENS)
        if values["pasted"] is not None:
            values["kind"] = PASTE
        return _view(values)

    return LinkTarget("evaluate", [], answer)


def learn_target() -> LinkTarget:
    """The target of links to Learn: one lab, and what is chosen in it."""

    def answer(link: Link) -> LinkAnswer:
        return _view({name: link.take(name, check) for name, check in LEARN.items()})

    return LinkTarget("learn", [], answer)


def _view(values: Mapping[str, Any]) -> LinkAnswer:
    return LinkAnswer([], view={name: value for name, value in values.items() if value is not None})


def _checkpoints(context: AppContext, link: Link) -> list[str]:
    """The known checkpoints of a link: `a~b`, or in two parameters as earlier versions wrote them."""
    usable = []
    for name in ("checkpoint", "other_checkpoint"):
        for value in link.values.pop(name, "").split("~")[:MAX_SYSTEMS]:
            link.values |= {name: value} if value else {}
            usable.append(known_checkpoint(context, link, name, eight_bit=True))
    return [name for name in usable if name]
