"""A link to the Evaluate tab: checkpoints and strategies filled in and evaluated, or a part opened."""

from __future__ import annotations

from demo.links import Link
from demo.links.parameters import EVALUATE
from demo.links.sources import known_checkpoint
from demo.links.wiring import LinkAnswer, LinkTarget
from demo.operator.caps import MAX_OUTPUT_TOKENS
from demo.service.context import AppContext


def evaluate_target(context: AppContext) -> LinkTarget:
    """The target of links to Evaluate. The view fills in the form itself."""

    def answer(link: Link | None) -> LinkAnswer:
        if link is None:
            return LinkAnswer([])
        names = [known_checkpoint(context, link, name) for name in ("checkpoint", "other_checkpoint")]
        values = {name: link.check(name, check) for name, check in EVALUATE.items()}
        values |= {
            "checkpoints": [name for name in names if name] or None,
            "strategies": link.strategies(MAX_OUTPUT_TOKENS),
        }
        return LinkAnswer([], view={name: value for name, value in values.items() if value is not None})

    return LinkTarget("evaluate", [], answer)
