"""Evaluating systems on a test set, in a turn of its own that gives way between batches."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from demo.i18n import tell
from demo.requests.checks import RequestError
from demo.service.context import AppContext
from demo.service.decoding.watch import Watch
from demo.service.evaluation.request import EvaluateRequest
from models.errors import Message

if TYPE_CHECKING:
    from models.evaluation.systems import System

RUN = 0.4  # share of all that the systems' own work takes, as measured; the rest is looking into the outputs
WIDTHS = 0.5  # share of all that the searches at every beam width take, where they are asked for
Tell = Callable[[str, float], None]  # what is done, a Message or a system's name, and the share of all

STOPPED = Message("evaluation_stopped", "The evaluation was stopped.")


def evaluated(
    context: AppContext,
    request: EvaluateRequest,
    watch: Watch | None = None,
    told: Tell = lambda what, share: None,
    slice_seconds: float | None = None,
    known: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """What `models.evaluation.report` says of it, its sentences as Messages.

    `known` is the report of the same request without its widths: only they are measured then.
    `watch.seconds` is how long it may take. Raises RequestError, UnknownCheckpointError, CheckpointError,
    DataError.
    """
    from models.budget import resting
    from models.decoding.limits import DecodingError
    from models.decoding.search.parallel import one_at_a_time
    from models.evaluation.beam_widths.width_curves import width_curves
    from models.evaluation.report.build import build_report, counts
    from models.evaluation.run import given_alone, run

    watch, segments = watch or Watch(), request.segments
    systems = _systems(context, request, watch)
    # The searches at every width come last, and are all that is left where the rest is known.
    begins = 0.0 if known else 1 - WIDTHS * bool(request.widths)

    def report() -> Mapping[str, Any]:
        tell = _between(watch, told, 0, begins * RUN)
        results = (
            run(systems, segments, lambda progress: tell(progress.what, progress.share))
            if systems
            else given_alone(segments)
        )
        seen: tuple[Counter[str] | None, Counter[str] | None] = None, None
        if request.training and systems:
            config = systems[0].checkpoint.config
            sources, targets = zip(*request.training, strict=True)
            seen = counts(sources, config.source_language), counts(targets, config.target_language)
        return build_report(
            results,
            training_sources=seen[0],
            training_targets=seen[1],
            tell=_between(watch, told, begins * RUN, begins),
            changes=request.changes if systems else 0,
        )

    try:
        with (
            context.turns.turn(watch, slice_seconds),
            one_at_a_time(),
            resting(partial(_go_on, watch)),
        ):
            found = known or report()
            tell = _between(watch, told, begins, 1)
            return {**found, "width_curves": width_curves(systems, segments, request.widths, tell)}
    except DecodingError as error:
        raise RequestError(error.message) from error


def _systems(context: AppContext, request: EvaluateRequest, watch: Watch) -> list[System]:
    from models.evaluation.systems import System

    for each in request.systems:
        context.check_fits(each.checkpoint, request.segments.all[0].source)
    with watch.loading():
        names = dict.fromkeys(each.checkpoint for each in request.systems)
        loaded = {name: replace(context.checkpoint(name), name=context.label(name)) for name in names}
    return [System(each.name, loaded[each.checkpoint], each.options) for each in request.systems]


def spoken(found: Any) -> Any:
    """The same with its sentences in the language of the request."""
    if isinstance(found, Message):
        return tell(found)
    if isinstance(found, Mapping):
        return {name: spoken(value) for name, value in found.items()}
    if isinstance(found, Iterable) and not isinstance(found, str):
        return [spoken(value) for value in found]
    return found


def _between(watch: Watch, told: Tell, low: float, high: float) -> Tell:
    """Tells the shares of a part, which lasts from `low` to `high` of the whole; ends what has to end."""

    def tell(what: str, share: float) -> None:
        _go_on(watch)
        told(what, low + (high - low) * share)

    return tell


def _go_on(watch: Watch) -> None:
    """Between two batches: others first, if they wait. Raises RequestError if it has to end."""
    watch.rest()
    if watch.cancelled.is_set():
        raise RequestError(STOPPED)
    if time.monotonic() - watch.started > watch.seconds:
        raise RequestError(
            "evaluation_out_of_time", "This took too long and was stopped. Send fewer pairs at a time."
        )
