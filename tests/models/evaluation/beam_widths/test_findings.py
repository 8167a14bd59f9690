"""Every sentence on beam widths is true of the numbers: each is computed again here, from its fields."""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import pytest

from models.errors import Message
from models.evaluation.beam_widths.curve import (
    BeamCurve,
    BestOutput,
    WidthChange,
    WidthPoint,
    change_between,
    count_changes,
    in_means,
    means,
)
from models.evaluation.beam_widths.findings import findings, findings_of_one
from models.evaluation.systems import MetricScore

WIDTHS = (1, 2, 4, 8)
SEEDS = range(60)
NEG_INF = float("-inf")


def outputs(rng: random.Random, count: int = 1, missing: float = 0.0) -> list[list[BestOutput]]:
    """Outputs by width, then by segment, of so few kinds that many changes keep an output or a number."""
    kinds = [
        BestOutput((index,) * rng.randint(1, 3), rng.choice((-2.0, -1.5, -1.0)), rng.choice((40.0, 60.0)))
        for index in range(4)
    ]
    nothing = BestOutput((), NEG_INF, 0.0)
    return [[nothing if rng.random() < missing else rng.choice(kinds) for _ in range(count)] for _ in WIDTHS]


def curve(rng: random.Random) -> BeamCurve:
    rows = outputs(rng, 5, missing=rng.choice((0.0, 0.2)))
    places, points = in_means(rows), []
    for width, before, row in zip(WIDTHS, [None, *rows], rows, strict=False):
        chrf, bleu = (MetricScore(name, rng.choice((50.0, 50.04, 52.0)), 0, 0) for name in ("chrF", "BLEU"))
        ends = rng.choice((0, 3)), rng.choice((0, 1))
        points.append(
            WidthPoint(
                width, *means(row, places), *ends, chrf, bleu, count_changes(before, row) if before else {}
            )
        )
    return BeamCurve("ours", {}, 5, len(places), 2.0, tuple(points), count_changes(rows[0], rows[-1]))


def number(text: object) -> float:
    return float(str(text).replace("−", "-").replace("%", ""))


def values(message: Message) -> dict[str, float]:
    """The fields of a message that are single numbers."""
    return {name: number(value) for name, value in message.fields.items() if name not in ("empty", "cut")}


def is_true_of(message: Message, curve: BeamCurve) -> bool:
    """Whether the points of a curve make a sentence on a test set true."""
    by_width = {point.width: point for point in curve.points}
    narrowest, widest = curve.points[0], curve.points[-1]
    fields = values(message)
    chrf = {width: round(point.chrf.value, 1) for width, point in by_width.items()}
    score = {width: round(point.score, 3) for width, point in by_width.items() if point.score is not None}
    match message.code:
        case "chrf_at_every_width":
            return set(chrf.values()) == {fields["value"]}
        case "chrf_best_at_widest" | "chrf_best_at_width":
            best = int(fields["best"])
            at_widest = message.code == "chrf_best_at_width" or best == widest.width
            others = "other" not in fields or fields["other"] == chrf[int(fields["wide"])]
            return chrf[best] == fields["value"] == max(chrf.values()) and at_widest and others
        case "mean_score_rises" | "mean_score_falls" | "mean_score_same":
            before, after = score[int(fields["narrow"])], score[int(fields["wide"])]
            change = {"mean_score_rises": after > before, "mean_score_falls": after < before}
            numbers = fields["after"] == after and fields.get("before", before) == before
            return change.get(message.code, after == before) and numbers
        case "worse_at_width":
            worse, better = curve.overall["worse"], curve.overall["better"]
            shares = [round(100 * count / curve.segments, 1) for count in (worse, better)]
            ends = (fields["narrow"], fields["wide"]) == (narrowest.width, widest.width)
            counts = (fields["worse"], fields["better"], fields["count"]) == (worse, better, curve.segments)
            return ends and counts and [fields["share"], fields["other_share"]] == shares
        case "length_at_width":
            lengths = [round(by_width[int(fields[name])].length or 0, 2) for name in ("narrow", "wide")]
            return (
                lengths == [fields["before"], fields["after"]]
                and fields["reference"] == curve.reference_length
            )
        case "ends_at_width":
            expected = (
                {str(point.width): str(getattr(point, name)) for point in curve.points}
                for name in ("empty", "cut")
            )
            actual = (
                dict(part.split(": ") for part in str(message.fields[name]).split(", "))
                for name in ("empty", "cut")
            )
            return list(expected) == list(actual)
        case "not_in_means":
            return fields["count"] == curve.segments - curve.in_means > 0
    raise AssertionError(message.code)


def is_true_of_one(message: Message, widths: Iterable[int], best: list[BestOutput]) -> bool:
    """Whether the outputs of one source make a sentence true."""
    by_width, fields = dict(zip(widths, best, strict=True)), values(message)
    if message.code == "no_width_worse":
        return all(change_between(*pair) is not WidthChange.WORSE for pair in pairwise(best))
    tokens = [item.tokens for width, item in by_width.items() if width >= fields.get("width", 0)]
    if message.code in ("widths_write_the_same", "same_from_width"):
        before = [width for width in by_width if width < fields.get("width", 0)]
        return len(set(tokens)) == 1 and (not before or by_width[before[-1]].tokens != tokens[0])
    one, other = by_width[int(fields["narrow"])], by_width[int(fields["wide"])]
    scores = (fields.get("before", one.score), fields["after"]) == (one.score, other.score)
    chrf = "chrf" not in fields or (fields["chrf"], fields["other"]) == (one.chrf, other.chrf)
    assert one.chrf is not None
    assert other.chrf is not None
    true = {
        "width_worse": other.score > one.score and other.chrf < one.chrf,
        "width_better": other.score > one.score and other.chrf > one.chrf,
        "width_higher_score": other.score > one.score,
        "width_lower_score": other.score < one.score,
        "width_other_output": other.score == one.score and other.tokens != one.tokens,
    }
    return scores and chrf and true[message.code]


def test_every_finding_on_a_test_set_is_true() -> None:
    codes = set()
    for seed in SEEDS:
        beam_curve = curve(random.Random(seed))
        messages = findings(beam_curve)
        codes |= {message.code for message in messages}
        assert [message for message in messages if not is_true_of(message, beam_curve)] == []
    assert {"mean_score_rises", "mean_score_falls", "chrf_best_at_width", "not_in_means"} <= codes


def test_every_finding_on_one_sentence_is_true_and_names_every_change() -> None:
    codes = set()
    for seed in SEEDS:
        best = [row[0] for row in outputs(random.Random(seed))]
        messages = findings_of_one(WIDTHS, best)
        codes |= {message.code for message in messages}
        assert [message for message in messages if not is_true_of_one(message, WIDTHS, best)] == []
        changes = sum(change_between(*pair) is not WidthChange.SAME for pair in pairwise(best))
        assert (
            sum("narrow" in message.fields and "after" in message.fields for message in messages) == changes
        )
    assert {"width_worse", "width_better", "no_width_worse", "same_from_width"} <= codes


@pytest.mark.parametrize("code", ["width_worse", "mean_score_rises"])
def test_the_check_finds_a_false_sentence(code: str) -> None:
    seeds = (random.Random(seed) for seed in SEEDS)
    if code == "width_worse":
        single = next(
            row
            for row in ([output[0] for output in outputs(rng)] for rng in seeds)
            if says(findings_of_one(WIDTHS, row), code)
        )
        (message, *_) = [item for item in findings_of_one(WIDTHS, single) if item.code == code]
        assert not is_true_of_one(message, WIDTHS, single[::-1])
    else:
        result = next(item for item in map(curve, seeds) if says(findings(item), code))
        (message,) = [finding for finding in findings(result) if finding.code == code]
        reversed_points = tuple(
            WidthPoint(**{**vars(point), "score": other.score})
            for point, other in zip(result.points, result.points[::-1], strict=True)
        )
        assert not is_true_of(message, BeamCurve(**{**vars(result), "points": reversed_points}))


def says(messages: list[Message], code: str) -> bool:
    return any(message.code == code for message in messages)


def test_findings_without_a_reference_say_nothing_of_quality() -> None:
    best: list[Any] = [
        BestOutput((1,), -2.0, None),
        BestOutput((2,), -1.0, None),
        BestOutput((2,), -1.0, None),
    ]
    assert [finding.code for finding in findings_of_one((1, 2, 4), best)] == [
        "width_higher_score",
        "same_from_width",
    ]


def test_values_that_display_alike_count_as_equal() -> None:
    assert (
        change_between(BestOutput((1,), -2.0, 50.0), BestOutput((2,), -1.9996, 40.0))
        is WidthChange.NOT_HIGHER
    )
    assert change_between(BestOutput((1,), -2.0, 50.0), BestOutput((2,), -1.0, 49.96)) is WidthChange.LEVEL
    assert change_between(BestOutput((1,), -2.0, 50.0), BestOutput((1,), -1.0, 40.0)) is WidthChange.SAME
