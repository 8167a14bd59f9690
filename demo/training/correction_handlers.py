"""A visitor's corrections on the Training tab: their list, and the checkpoint that they correct."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import gradio as gr

from demo.i18n import say
from demo.training.choices import checkpoint_pickers
from demo.training.handlers import corrections_of, on_task
from demo.work.context import AppContext
from models.corpus.corrections import Correction
from models.registry.name import CheckpointName

CORRECTIONS = "corrections"  # the kind of data


def on_kind(
    context: AppContext, token: object, name: object, kind: object, task: object, start: object
) -> list[Any]:
    """The start, the fields, and the list of corrections for another kind of data.

    The kind "corrections" chooses the checkpoint that they correct, unless the visitor has chosen another
    one.
    """
    if kind != CORRECTIONS:
        return [gr.skip(), *on_task(context, name, kind, task, start), gr.skip()]
    tuned = start or corrected_checkpoint(context, token, _all(context, token))
    corrections = on_corrections(context, token, kind)
    return [tuned, *on_task(context, name, kind, task, tuned), corrections]


def on_corrections(context: AppContext, token: object, kind: object) -> Any:
    """The current list if the page shows it, or a sentence that there is none."""
    if kind != CORRECTIONS:
        return gr.skip()
    return _all(context, token) or say("You have corrected nothing yet.")


def on_forget(context: AppContext, token: object) -> str:
    """Delete the visitor's corrections; returns a sentence in place of the list. Raises DataError."""
    corrections = corrections_of(context, token)
    if corrections is not None:
        corrections.clear()
    return say("All your corrections are forgotten.")


def corrected_checkpoint(context: AppContext, token: object, corrections: Sequence[Correction]) -> str:
    """The checkpoint with most corrections, the latest among equals; empty if none can be fine-tuned here."""
    tunable = {name for _, name in checkpoint_pickers(context, token)[-1]["choices"]}
    names = [CheckpointName.of(correction.checkpoint).base for correction in reversed(corrections)]
    ranked = Counter(name for name in names if name in tunable).most_common(1)
    return ranked[0][0] if ranked else ""


def _all(context: AppContext, token: object) -> tuple[Correction, ...]:
    corrections = corrections_of(context, token)
    return () if corrections is None else corrections.all()
