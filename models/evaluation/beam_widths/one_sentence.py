"""Sentences on the outputs of one sentence at several beam widths. Imports no torch."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from models.errors import Message
from models.evaluation.beam_widths.change import (
    BestOutput,
    WidthChange,
    change_between,
    chrf_text,
    score_text,
)


def findings_of_one(widths: Sequence[int], outputs: Sequence[BestOutput]) -> list[Message]:
    """Sentences about the outputs of one text in the order of the widths, narrowest first."""
    pairs = list(pairwise(zip(widths, outputs, strict=True)))
    changes = [change_between(before, after) for (_, before), (_, after) in pairs]
    if set(changes) == {WidthChange.SAME}:
        return [
            Message(
                "widths_write_the_same",
                "Beam widths {narrow} to {wide} all write the same.",
                narrow=widths[0],
                wide=widths[-1],
            )
        ]
    messages = [
        _change(pair, kind) for pair, kind in zip(pairs, changes, strict=True) if kind is not WidthChange.SAME
    ]
    if outputs[0].chrf is not None and WidthChange.WORSE not in changes:
        messages.append(
            Message(
                "no_width_worse",
                "No beam width has a higher score and a lower chrF than the width before it.",
            )
        )
    if changes[-1] is WidthChange.SAME:
        last = max(index for index, kind in enumerate(changes) if kind is not WidthChange.SAME) + 1
        messages.append(
            Message(
                "same_from_width",
                "From beam width {width} to {wide} the output is the same.",
                width=widths[last],
                wide=widths[-1],
            )
        )
    return messages


def _change(pair: tuple[tuple[int, BestOutput], tuple[int, BestOutput]], kind: WidthChange) -> Message:
    (narrower, before), (wider, after) = pair
    score, new_score = score_text(before.score), score_text(after.score)
    if kind is WidthChange.NOT_HIGHER and score == new_score:
        return Message(
            "width_other_output",
            "From beam width {narrow} to {wide} the output changes, and its score is the same, {after}.",
            narrow=narrower,
            wide=wider,
            after=new_score,
        )
    if kind is WidthChange.NOT_HIGHER:
        return Message(
            "width_lower_score",
            "From beam width {narrow} to {wide} the score falls from {before} to {after}.",
            narrow=narrower,
            wide=wider,
            before=score,
            after=new_score,
        )
    if kind is WidthChange.LEVEL or before.chrf is None or after.chrf is None:
        return Message(
            "width_higher_score",
            "From beam width {narrow} to {wide} the score rises from {before} to {after}.",
            narrow=narrower,
            wide=wider,
            before=score,
            after=new_score,
        )
    chrf, new_chrf = chrf_text(before.chrf), chrf_text(after.chrf)
    if kind is WidthChange.WORSE:
        return Message(
            "width_worse",
            "From beam width {narrow} to {wide} the score rises from {before} to {after}, and chrF falls "
            "from {chrf} to {other}.",
            narrow=narrower,
            wide=wider,
            before=score,
            after=new_score,
            chrf=chrf,
            other=new_chrf,
        )
    return Message(
        "width_better",
        "From beam width {narrow} to {wide} the score rises from {before} to {after}, and chrF from {chrf} "
        "to {other}.",
        narrow=narrower,
        wide=wider,
        before=score,
        after=new_score,
        chrf=chrf,
        other=new_chrf,
    )
