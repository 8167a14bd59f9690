"""Sentences on a search at several beam widths, on a test set or on one sentence. Imports no torch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from models.errors import Message
from models.evaluation.beam_widths.curve import (
    CHRF_DIGITS,
    SCORE_DIGITS,
    BeamCurve,
    BestOutput,
    WidthChange,
    WidthPoint,
    change_between,
    chrf_text,
    score_text,
)


def findings(curve: BeamCurve) -> list[Message]:
    """Sentences about chrF, score, sentences that became worse, lengths, and empty or cut-off outputs."""
    first, last = curve.points[0], curve.points[-1]
    return [_quality(curve.points), *_scores(first, last), _worse(curve), *_lengths(curve), *_ends(curve)]


def _quality(points: Sequence[WidthPoint]) -> Message:
    """The width with the highest chrF, the narrowest of several."""
    values = [round(point.chrf.value, CHRF_DIGITS) for point in points]
    best, last = points[values.index(max(values))], points[-1]
    value = chrf_text(best.chrf.value)
    at_best = {"best": best.width, "value": value}
    if len(set(values)) == 1:
        return Message("chrf_at_every_width", "chrF is {value} at every beam width.", value=value)
    if best is last:
        return Message(
            "chrf_best_at_widest", "chrF is highest at the widest beam, {best}: {value}.", **at_best
        )
    return Message(
        "chrf_best_at_width",
        "chrF is highest at beam width {best}, {value}; at {wide} it is {other}.",
        **at_best,
        wide=last.width,
        other=chrf_text(last.chrf.value),
    )


def _scores(first: WidthPoint, last: WidthPoint) -> Iterator[Message]:
    if first.score is None or last.score is None:
        return
    at_widest = {"narrow": first.width, "wide": last.width, "after": score_text(last.score)}
    change = {**at_widest, "before": score_text(first.score)}
    gain = round(last.score, SCORE_DIGITS) - round(first.score, SCORE_DIGITS)
    if gain > 0:
        yield Message(
            "mean_score_rises",
            "The mean score rises from {before} at beam width {narrow} to {after} at {wide}.",
            **change,
        )
    elif gain < 0:
        yield Message(
            "mean_score_falls",
            "The mean score falls from {before} at beam width {narrow} to {after} at {wide}.",
            **change,
        )
    else:
        yield Message(
            "mean_score_same",
            "The mean score is the same at the beam widths {narrow} and {wide}: {after}.",
            **at_widest,
        )


def _worse(curve: BeamCurve) -> Message:
    worse, better = (curve.overall[kind] for kind in (WidthChange.WORSE, WidthChange.BETTER))
    return Message(
        "worse_at_width",
        "{worse} of {count} sentences ({share}) have a higher score and a lower chrF at beam width {wide} "
        "than at {narrow}; {better} ({other_share}) have a higher score and a higher chrF.",
        count=f"{curve.segments:,}",
        worse=f"{worse:,}",
        share=f"{worse / curve.segments:.1%}",
        better=f"{better:,}",
        other_share=f"{better / curve.segments:.1%}",
        narrow=curve.points[0].width,
        wide=curve.points[-1].width,
    )


def _lengths(curve: BeamCurve) -> Iterator[Message]:
    first, last = curve.points[0], curve.points[-1]
    if first.length is None or last.length is None:
        return
    yield Message(
        "length_at_width",
        "An output has {before} tokens on average at beam width {narrow}, {after} at {wide}; a reference "
        "has {reference}.",
        narrow=first.width,
        before=f"{first.length:.2f}",
        wide=last.width,
        after=f"{last.length:.2f}",
        reference=f"{curve.reference_length:.2f}",
    )


def _ends(curve: BeamCurve) -> Iterator[Message]:
    """Sentences about empty, cut-off and missing outputs, if there are any."""
    if any(point.empty or point.cut for point in curve.points):
        yield Message(
            "ends_at_width",
            "Empty outputs by beam width: {empty}; cut off at the length limit: {cut}.",
            empty=", ".join(f"{point.width}: {point.empty}" for point in curve.points),
            cut=", ".join(f"{point.width}: {point.cut}" for point in curve.points),
        )
    if curve.in_means < curve.segments:
        yield Message(
            "not_in_means",
            "Mean score and mean length leave out {count} sentences that got no output at some width.",
            count=f"{curve.segments - curve.in_means:,}",
        )


def findings_of_one(widths: Sequence[int], outputs: Sequence[BestOutput]) -> list[Message]:
    """Sentences about the outputs of one text in the order of the widths, narrowest first."""
    pairs = list(pairwise(zip(widths, outputs, strict=True)))
    changes = [change_between(before, after) for (_, before), (_, after) in pairs]
    if set(changes) == {WidthChange.SAME}:
        ends = {"narrow": widths[0], "wide": widths[-1]}
        return [
            Message("widths_write_the_same", "Beam widths {narrow} to {wide} all write the same.", **ends)
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
    at_wider = {"narrow": narrower, "wide": wider, "after": new_score}
    scores = {**at_wider, "before": score}
    if kind is WidthChange.NOT_HIGHER and score == new_score:
        return Message(
            "width_other_output",
            "From beam width {narrow} to {wide} the output changes, and its score is the same, {after}.",
            **at_wider,
        )
    if kind is WidthChange.NOT_HIGHER:
        return Message(
            "width_lower_score",
            "From beam width {narrow} to {wide} the score falls from {before} to {after}.",
            **scores,
        )
    if kind is WidthChange.LEVEL or before.chrf is None or after.chrf is None:
        return Message(
            "width_higher_score",
            "From beam width {narrow} to {wide} the score rises from {before} to {after}.",
            **scores,
        )
    both = {**scores, "chrf": chrf_text(before.chrf), "other": chrf_text(after.chrf)}
    if kind is WidthChange.WORSE:
        return Message(
            "width_worse",
            "From beam width {narrow} to {wide} the score rises from {before} to {after}, and chrF falls "
            "from {chrf} to {other}.",
            **both,
        )
    return Message(
        "width_better",
        "From beam width {narrow} to {wide} the score rises from {before} to {after}, and chrF from {chrf} "
        "to {other}.",
        **both,
    )
