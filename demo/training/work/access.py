"""Access to the training service, on a server that has one."""

from __future__ import annotations

from demo.work.context import AppContext
from demo.work.requests.checks import RequestError
from demo.work.training_service import TrainingService


def training_service(context: AppContext) -> TrainingService:
    """The training service. Raises RequestError if the server has none."""
    if context.training is None:
        raise RequestError(
            "training_is_off", "This server does not train. Run the program on a machine of your own."
        )
    return context.training
