"""The training service of a server that has one."""

from __future__ import annotations

from demo.requests.checks import RequestError
from demo.service.context import AppContext
from demo.service.training.training import Training


def enabled(context: AppContext) -> Training:
    """The training service. Raises RequestError where the server has none."""
    if context.training is None:
        raise RequestError(
            "training_is_off", "This server does not train. Run the program on a machine of your own."
        )
    return context.training
