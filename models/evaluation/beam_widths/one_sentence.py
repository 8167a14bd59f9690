"""What the outputs of one sentence at several beam widths say, in sentences. Loads no torch."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from models.errors import Message
from models.evaluation.beam_widths.step import Best, Step, shown_chrf, shown_score, step


def findings_of_one(widths: Sequence[int], outputs: Sequence[Best]) -> list[Message]:
    """Of one sentence, whose outputs stand in the order of the widths, narrowest first."""
    pairs = list(pairwise(zip(widths, outputs, strict=True)))
    taken = [step(before, after) for (_, before), (_, after) in pairs]
    if set(taken) == {Step.SAME}:
        values = {"narrow": widths[0], "wide": widths[-1]}
        return [
            Message("widths_write_the_same", "Beam widths {narrow} to {wide} all write the same.", **values)
        ]
    found = [_step(pair, kind) for pair, kind in zip(pairs, taken, strict=True) if kind is not Step.SAME]
    if outputs[0].chrf is not None and Step.WORSE not in taken:
        found.append(
            Message(
                "no_width_worse",
                "No beam width has a higher score and a lower chrF than the width before it.",
            )
        )
    if taken[-1] is Step.SAME:
        last = max(at for at, kind in enumerate(taken) if kind is not Step.SAME) + 1
        same = "From beam width {width} to {wide} the output is the same."
        found.append(Message("same_from_width", same, width=widths[last], wide=widths[-1]))
    return found


def _step(pair: tuple[tuple[int, Best], tuple[int, Best]], kind: Step) -> Message:
    (narrow, before), (wide, after) = pair
    values: dict[str, object] = {"narrow": narrow, "wide": wide}
    values |= {"before": shown_score(before.score), "after": shown_score(after.score)}
    if kind is Step.LOWER and values["before"] == values["after"]:
        text = "From beam width {narrow} to {wide} the output changes, and its score is the same, {after}."
        return Message("width_other_output", text, **values)
    if kind is Step.LOWER:
        text = "From beam width {narrow} to {wide} the score falls from {before} to {after}."
        return Message("width_lower_score", text, **values)
    if kind is Step.LEVEL or before.chrf is None or after.chrf is None:
        text = "From beam width {narrow} to {wide} the score rises from {before} to {after}."
        return Message("width_higher_score", text, **values)
    values |= {"chrf": shown_chrf(before.chrf), "other": shown_chrf(after.chrf)}
    if kind is Step.WORSE:
        text = (
            "From beam width {narrow} to {wide} the score rises from {before} to {after}, and chrF falls "
            "from {chrf} to {other}."
        )
        return Message("width_worse", text, **values)
    text = (
        "From beam width {narrow} to {wide} the score rises from {before} to {after}, and chrF from {chrf} "
        "to {other}."
    )
    return Message("width_better", text, **values)
