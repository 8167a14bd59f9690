"""The same searches of the same segments at several beam widths."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import fmean

from models.decoding.options import DecodingOptions
from models.decoding.outputs import Output
from models.errors import Message
from models.evaluation.beam_widths.curve import (
    BeamCurve,
    BestOutput,
    WidthChange,
    WidthCurve,
    WidthOutput,
    WidthPoint,
    WorseSentence,
    change_between,
    count_changes,
    in_means,
    means,
    options_by_width,
)
from models.evaluation.beam_widths.findings import findings
from models.evaluation.command import settings_of
from models.evaluation.run import ONE_PROCESS, reference_ids, system_outputs
from models.evaluation.segments import Segments
from models.evaluation.systems import System, SystemResult, metric_score
from models.metrics.significance import difference
from models.training.process_group import Group

MAX_WORSE_SENTENCES = 10  # the most that a report lists as made worse by the widest beam
OnActivity = Callable[[Message, float], None]  # the current activity, and the share of all work that is done
# A system's outputs, as texts and as the search returned them.
SearchOutcome = tuple[SystemResult, list[Output]]


def width_curves(
    systems: Sequence[System],
    segments: Segments,
    widths: Sequence[int],
    on_activity: OnActivity = lambda activity, share: None,
    group: Group = ONE_PROCESS,
) -> tuple[WidthCurve, ...]:
    """A curve for each different search of the systems that has a beam and allows two of the widths or more.

    `on_activity` may raise to stop. All processes of a group must call this function.
    """
    searches: dict[tuple[str, DecodingOptions], tuple[System, dict[int, DecodingOptions]]] = {}
    for system in systems:
        by_width = options_by_width(system.options, widths)
        if len(by_width) > 1:
            search = system.checkpoint.name, next(iter(by_width.values()))
            searches.setdefault(search, (system, by_width))
    total_width = sum(width for _, by_width in searches.values() for width in by_width)
    done_width, curves = 0, []
    for system, by_width in searches.values():
        results: dict[int, SearchOutcome] = {}
        for width, options in by_width.items():
            activity = Message("at_width", "{system} at beam width {width}", system=system.name, width=width)

            def report(
                share: float, activity: Message = activity, done_before: int = done_width, width: int = width
            ) -> None:
                on_activity(activity, (done_before + width * share) / total_width)

            report(0)
            results[width] = _search(replace(system, options=options), segments, report, group)
            done_width += width
        curves.append(_curve(system, segments, results))
    return tuple(curves)


def _search(
    system: System, segments: Segments, report: Callable[[float], None], group: Group
) -> SearchOutcome:
    outputs = system_outputs(system, segments, report, group)
    texts = tuple(output.text for output in outputs)
    return SystemResult(system.name, texts, segments, system.language, system), outputs


def _curve(system: System, segments: Segments, results: Mapping[int, SearchOutcome]) -> WidthCurve:
    best = {width: _best(*searched) for width, searched in results.items()}
    best_outputs = list(best.values())
    indices = in_means(best_outputs)
    changes = [{}, *(count_changes(*pair) for pair in pairwise(best_outputs))]
    points = [
        WidthPoint(
            width,
            *means(best[width], indices),
            empty=sum(not output.text.strip() for output in outputs),
            cut=sum(not output.ended and bool(output.tokens) for output in outputs),
            chrf=metric_score("chrF", result.chrf),
            bleu=metric_score("BLEU", result.bleu),
            width_changes=width_changes,
        )
        for (width, (result, outputs)), width_changes in zip(results.items(), changes, strict=True)
    ]
    (first, _), *_, (last, _) = results.values()
    assert first.system is not None
    settings = settings_of(first.system.options)
    del settings["beam_size"]
    curve = BeamCurve(
        system.name,
        settings,
        len(segments),
        len(indices),
        fmean(map(len, reference_ids(system.checkpoint.tokenizer, segments))),
        tuple(points),
        count_changes(best_outputs[0], best_outputs[-1]),
    )
    return WidthCurve(
        **vars(curve),
        findings=tuple(findings(curve)),
        difference=difference(last.chrf, first.chrf),
        worst=_worst(segments, first, last, (best_outputs[0], best_outputs[-1])),
        outputs={
            str(width): tuple(
                WidthOutput(
                    output.text,
                    round(output.score, 4) if output.score > -math.inf else None,
                    round(best_output.chrf or 0, 2),
                )
                for output, best_output in zip(outputs, best[width], strict=True)
            )
            for width, (_, outputs) in results.items()
        },
    )


def _best(result: SystemResult, outputs: Sequence[Output]) -> list[BestOutput]:
    pairs = zip(outputs, result.sentence_chrf, strict=True)
    return [BestOutput(output.tokens, output.score, chrf) for output, chrf in pairs]


def _worst(
    segments: Segments,
    first: SystemResult,
    last: SystemResult,
    outputs: tuple[Sequence[BestOutput], Sequence[BestOutput]],
) -> tuple[WorseSentence, ...]:
    worse = [
        WorseSentence(
            segment.line,
            segment.source,
            segment.references[0],
            (first.outputs[index], last.outputs[index]),
            (round(before.score, 4), round(after.score, 4)),
            (round(before.chrf or 0, 2), round(after.chrf or 0, 2)),
        )
        for index, (segment, before, after) in enumerate(zip(segments.all, *outputs, strict=True))
        if change_between(before, after) is WidthChange.WORSE
    ]
    return tuple(
        sorted(worse, key=lambda sentence: sentence.chrf[1] - sentence.chrf[0])[:MAX_WORSE_SENTENCES]
    )
