"""The answer of a lab as JSON for the script that draws it."""

from __future__ import annotations

from typing import Any

from demo.labs.lab import Lab
from demo.widgets.answers.content import as_sent, controls_as_sent
from demo.widgets.answers.controls import Controls
from demo.work.errors import sentence
from models.errors import UnrolledError


def lab_answer(lab: Lab, controls: Controls) -> dict[str, Any]:
    """The content of a lab or, as `refused`, a sentence that says why there is none, with its controls."""
    try:
        return as_sent(lab.compute(controls), controls.controls)
    except UnrolledError as error:
        return {"controls": controls_as_sent(controls.controls), "refused": sentence(error)}
