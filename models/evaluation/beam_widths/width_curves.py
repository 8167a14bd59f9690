"""Systems on a test set at several beam widths, as plain JSON types."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import pairwise
from statistics import fmean
from typing import Any

from models.decoding.options import DecodingOptions
from models.decoding.outputs import Output
from models.errors import Message
from models.evaluation.beam_widths.curve import AtWidth, Curve, in_means, means, steps
from models.evaluation.beam_widths.findings import findings
from models.evaluation.beam_widths.step import Best, Step, at_widths, step
from models.evaluation.command import settings_of
from models.evaluation.figures import figure
from models.evaluation.run import ALONE, reference_ids, system_outputs
from models.evaluation.segments import Segments
from models.evaluation.systems import Result, System
from models.metrics.significance import difference
from models.training.loop.process_group import Group

WORST = 10  # sentences that a wider beam made worse, which are shown
Tell = Callable[[Message, float], None]  # what is under way, and the share of all that is done


def width_curves(
    systems: Sequence[System],
    segments: Segments,
    widths: Sequence[int],
    tell: Tell = lambda what, share: None,
    group: Group = ALONE,
) -> list[dict[str, Any]]:
    """A curve for each different search of the systems that has a beam and may have two of the widths.

    `tell` may raise to stop. All processes of a group must call it.
    """
    searches: dict[tuple[str, DecodingOptions], tuple[System, dict[int, DecodingOptions]]] = {}
    for system in systems:
        rows = at_widths(system.options, widths)
        if len(rows) > 1:
            same = system.checkpoint.name, next(iter(rows.values()))
            searches.setdefault(same, (system, rows))
    whole = sum(width for _, rows in searches.values() for width in rows)
    done, curves = 0, []
    for system, rows in searches.values():
        results: dict[int, tuple[Result, list[Output]]] = {}
        for width, options in rows.items():
            what = Message("at_width", "{system} at beam width {width}", system=system.name, width=width)

            def told(share: float, what: Message = what, before: int = done, width: int = width) -> None:
                tell(what, (before + width * share) / whole)

            told(0)
            results[width] = _at_width(replace(system, options=options), segments, told, group)
            done += width
        curves.append(_as_sent(system, segments, results))
    return curves


def _at_width(
    system: System, segments: Segments, tell: Callable[[float], None], group: Group
) -> tuple[Result, list[Output]]:
    found = system_outputs(system, segments, tell, group)
    texts = tuple(output.text for output in found)
    return Result(system.name, texts, segments, system.language, system), found


def _as_sent(
    system: System, segments: Segments, results: Mapping[int, tuple[Result, list[Output]]]
) -> dict[str, Any]:
    best = {width: _bests(result, found) for width, (result, found) in results.items()}
    rows = list(best.values())
    places = in_means(rows)
    before: Sequence[Mapping[str, int]] = [{}, *(steps(*pair) for pair in pairwise(rows))]
    points = [
        _point(width, *results[width], means(best[width], places), taken)
        for width, taken in zip(results, before, strict=True)
    ]
    (first, _), *_, (last, _) = results.values()
    assert first.system is not None
    settings = settings_of(first.system.options)
    del settings["beam_size"]
    curve = Curve(
        system.name,
        settings,
        len(segments),
        len(places),
        fmean(map(len, reference_ids(system.checkpoint.tokenizer, segments))),
        tuple(points),
        steps(rows[0], rows[-1]),
    )
    change = difference(last.chrf, first.chrf)
    return {
        **asdict(curve),
        "findings": findings(curve),
        "difference": {**asdict(change), "significant": change.significant},  # widest less narrowest, in chrF
        "worst": _worst(segments, first, last, (rows[0], rows[-1])),
        "outputs": {
            str(width): [
                {"output": output.text, "score": _finite(output.score), "chrf": round(each.chrf or 0, 2)}
                for output, each in zip(found, best[width], strict=True)
            ]
            for width, (_, found) in results.items()
        },
    }


def _bests(result: Result, found: Sequence[Output]) -> list[Best]:
    return [
        Best(output.tokens, output.score, chrf)
        for output, chrf in zip(found, result.sentence_chrf, strict=True)
    ]


def _point(
    width: int,
    result: Result,
    found: Sequence[Output],
    mean: tuple[float | None, float | None],
    taken: Mapping[str, int],
) -> AtWidth:
    return AtWidth(
        width,
        *mean,
        empty=sum(not output.text.strip() for output in found),
        cut=sum(not output.ended and bool(output.tokens) for output in found),
        chrf=figure("chrF", result.chrf),
        bleu=figure("BLEU", result.bleu),
        steps=taken,
    )


def _worst(
    segments: Segments, first: Result, last: Result, outputs: tuple[Sequence[Best], Sequence[Best]]
) -> list[dict[str, Any]]:
    """Those whose score is higher and whose chrF is lower at the widest beam, the largest fall first."""
    found: list[dict[str, Any]] = [
        {
            "line": segment.line,
            "source": segment.source,
            "reference": segment.references[0],
            "outputs": [first.outputs[at], last.outputs[at]],
            "scores": [round(each.score, 4) for each in (before, after)],
            "chrf": [round(each.chrf or 0, 2) for each in (before, after)],
        }
        for at, (segment, before, after) in enumerate(zip(segments.all, *outputs, strict=True))
        if step(before, after) is Step.WORSE
    ]
    return sorted(found, key=lambda each: each["chrf"][1] - each["chrf"][0])[:WORST]


def _finite(value: float) -> float | None:
    return round(value, 4) if value > float("-inf") else None
