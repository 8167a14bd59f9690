"""What the outputs of one sentence at several beam widths say, in sentences. Loads no torch."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from models.errors import Message
from models.evaluation.beam_widths.step import Best, Step, shown_chrf, shown_score, step


def findings_of_one(widths: Sequence[int], outputs: Sequence[Best]) -> list[Message]:
    """Sentences about one text, whose outputs stand in the order of the widths, narrowest first."""
    pairs = list(pairwise(zip(widths, outputs, strict=True)))
    taken = [step(before, after) for (_, before), (_, after) in pairs]
    if set(taken) == {Step.SAME}:
        return [
            Message(
                "widths_write_the_same",
                "Beam widths {narrow} to {wide} all write the same.",
                narrow=widths[0],
                wide=widths[-1],
            )
        ]
    result = [_step(pair, kind) for pair, kind in zip(pairs, taken, strict=True) if kind is not Step.SAME]
    if outputs[0].chrf is not None and Step.WORSE not in taken:
        result.append(
            Message(
                "no_width_worse",
                "No beam width has a higher score and a lower chrF than the width before it.",
            )
        )
    if taken[-1] is Step.SAME:
        last = max(index for index, kind in enumerate(taken) if kind is not Step.SAME) + 1
        result.append(
            Message(
                "same_from_width",
                "From beam width {width} to {wide} the output is the same.",
                width=widths[last],
                wide=widths[-1],
            )
        )
    return result


def _step(pair: tuple[tuple[int, Best], tuple[int, Best]], kind: Step) -> Message:
    (narrow, one), (wide, other) = pair
    before, after = shown_score(one.score), shown_score(other.score)
    if kind is Step.LOWER and before == after:
        return Message(
            "width_other_output",
            "From beam width {narrow} to {wide} the output changes, and its score is the same, {after}.",
            narrow=narrow,
            wide=wide,
            after=after,
        )
    if kind is Step.LOWER:
        return Message(
            "width_lower_score",
            "From beam width {narrow} to {wide} the score falls from {before} to {after}.",
            narrow=narrow,
            wide=wide,
            before=before,
            after=after,
        )
    if kind is Step.LEVEL or one.chrf is None or other.chrf is None:
        return Message(
            "width_higher_score",
            "From beam width {narrow} to {wide} the score rises from {before} to {after}.",
            narrow=narrow,
            wide=wide,
            before=before,
            after=after,
        )
    return _with_chrf(pair, (one.chrf, other.chrf), kind)


def _with_chrf(
    pair: tuple[tuple[int, Best], tuple[int, Best]], chrf: tuple[float, float], kind: Step
) -> Message:
    """A sentence about a step to a wider beam, whose score rises."""
    (narrow, one), (wide, other) = pair
    if kind is Step.WORSE:
        return Message(
            "width_worse",
            "From beam width {narrow} to {wide} the score rises from {before} to {after}, and chrF falls "
            "from {chrf} to {other}.",
            narrow=narrow,
            wide=wide,
            before=shown_score(one.score),
            after=shown_score(other.score),
            chrf=shown_chrf(chrf[0]),
            other=shown_chrf(chrf[1]),
        )
    return Message(
        "width_better",
        "From beam width {narrow} to {wide} the score rises from {before} to {after}, and chrF from {chrf} "
        "to {other}.",
        narrow=narrow,
        wide=wide,
        before=shown_score(one.score),
        after=shown_score(other.score),
        chrf=shown_chrf(chrf[0]),
        other=shown_chrf(chrf[1]),
    )
