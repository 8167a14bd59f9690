"""The type of the handlers that answer the view of an evaluation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from demo.evaluate.work.jobs import Evaluations
from demo.work.context import AppContext
from models.errors import Message

Answer = dict[str, Any]
Handler = Callable[[AppContext, Evaluations, object], Answer]
GONE = Message("evaluation_gone", "This evaluation is not kept any more. Press Evaluate to compute it again.")
