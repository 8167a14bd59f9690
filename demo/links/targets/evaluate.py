"""A link to the Evaluate tab: checkpoints and strategies filled in and evaluated, or a part opened."""

from __future__ import annotations

from demo.evaluate.work.test_sets import PASTE
from demo.links import Link
from demo.links.parameters import EVALUATE
from demo.links.sources import known_checkpoint
from demo.links.wiring import LinkAnswer, LinkTarget
from demo.work.context import AppContext
from demo.work.operator.caps import MAX_OUTPUT_TOKENS
from models.evaluation.segments import MAX_SYSTEMS


def evaluate_target(context: AppContext) -> LinkTarget:
    """The target of links to Evaluate. The view fills in the form itself."""

    def answer(link: Link | None) -> LinkAnswer:
        if link is None:
            return LinkAnswer([])
        values = {name: link.check(name, check) for name, check in EVALUATE.items()}
        values["checkpoints"] = _checkpoints(context, link) or None
        values["strategies"] = link.strategies(MAX_OUTPUT_TOKENS)
        if values["pasted"] is not None:
            values["kind"] = PASTE
        return LinkAnswer([], view={name: value for name, value in values.items() if value is not None})

    return LinkTarget("evaluate", [], answer)


def _checkpoints(context: AppContext, link: Link) -> list[str]:
    """The known checkpoints of a link: `a~b`, or in two parameters as earlier versions wrote them."""
    usable = []
    for name in ("checkpoint", "other_checkpoint"):
        for value in link.values.pop(name, "").split("~")[:MAX_SYSTEMS]:
            link.values |= {name: value} if value else {}
            usable.append(known_checkpoint(context, link, name, eight_bit=True))
    return [name for name in usable if name]
