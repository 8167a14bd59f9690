"""The result in one line that needs no knowledge of searches."""

from __future__ import annotations

from collections.abc import Sequence

from demo.i18n import quoted, say
from demo.i18n.display import capitalize, language_name
from models.decoding.greedy_output import greedy_output
from models.decoding.trace import DecodingTrace

# Tasks of recipes, where a card has another word. A translator with one language may write sounds.
CARD_TASKS = {"shapes": "image captioning", "translation": ""}


def task_text(task: str, languages: Sequence[str]) -> str:
    """The kind of task, such as "Spanish → English" or "Image captioning"; empty if it is unknown."""
    if languages:
        return " → ".join(capitalize(language_name(code)) for code in languages)
    name = CARD_TASKS.get(task, task)
    return say(capitalize(name)) if name else ""


def result_captions(trace: DecodingTrace) -> list[str]:
    """The task, the output and what greedy search would write, for each hypothesis; parts may be unknown."""
    task, greedy = task_text(trace.task, trace.languages), greedy_output(trace)
    lines = []
    for text in (hypothesis.text for hypothesis in trace.hypotheses):
        parts = [
            say("{task}: {output}", task=task, output=_output_text(text)) if task else _output_text(text)
        ]
        if greedy is not None and trace.strategy != "greedy":
            other = say("Greedy search would write: {output}", output=_output_text(greedy.text))
            parts.append(say("Greedy search writes the same.") if greedy.text == text else other)
        lines.append(" ".join(parts))
    return lines


def _output_text(text: str) -> str:
    return quoted(text) if text else say("(empty)")
