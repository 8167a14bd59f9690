"""Evaluating systems on a test set, in a turn of its own that gives way between batches."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from demo.i18n import tell
from demo.requests.checks import RequestError
from demo.service.context import AppContext
from demo.service.decoding.watch import Watch
from demo.service.evaluation.request import EvaluateRequest
from models.errors import Message

RUN = 0.4  # share of all that the systems' own work takes, as measured; the rest is looking into the outputs
Tell = Callable[[str, float], None]  # what is done, a Message or a system's name, and the share of all

STOPPED = Message("evaluation_stopped", "The evaluation was stopped.")


def evaluated(
    context: AppContext,
    request: EvaluateRequest,
    watch: Watch | None = None,
    told: Tell = lambda what, share: None,
    slice_seconds: float | None = None,
) -> dict[str, Any]:
    """What `models.evaluation.report` says of it, its sentences as Messages.

    `watch.seconds` is how long it may take. Raises RequestError, UnknownCheckpointError, CheckpointError,
    DataError.
    """
    from models.budget import resting
    from models.decoding.limits import DecodingError
    from models.decoding.search.parallel import one_at_a_time
    from models.evaluation.report.dissected import counts, dissect
    from models.evaluation.run import Progress, given_alone, run
    from models.evaluation.systems import System

    watch, segments = watch or Watch(), request.segments
    for each in request.systems:
        context.check_fits(each.checkpoint, segments.all[0].source)
    with watch.loading():
        names = dict.fromkeys(each.checkpoint for each in request.systems)
        loaded = {name: replace(context.checkpoint(name), name=context.label(name)) for name in names}
    systems = [System(each.name, loaded[each.checkpoint], each.options) for each in request.systems]

    def runs(progress: Progress) -> None:
        _go_on(watch)
        told(progress.what, RUN * progress.share)

    def looks(what: Message, share: float) -> None:
        _go_on(watch)
        told(what, RUN + (1 - RUN) * share)

    try:
        with (
            context.turns.turn(watch, slice_seconds),
            one_at_a_time(),
            resting(partial(_go_on, watch)),
        ):
            results = run(systems, segments, runs) if systems else given_alone(segments)
            seen: tuple[Counter[str] | None, Counter[str] | None] = None, None
            if request.training and systems:
                config = systems[0].checkpoint.config
                sources, targets = zip(*request.training, strict=True)
                seen = counts(sources, config.source_language), counts(targets, config.target_language)
            return dissect(
                results,
                training_sources=seen[0],
                training_targets=seen[1],
                tell=looks,
                changes=request.changes if systems else 0,
            )
    except DecodingError as error:
        raise RequestError(error.message) from error


def spoken(found: Any) -> Any:
    """The same with its sentences in the language of the request."""
    if isinstance(found, Message):
        return tell(found)
    if isinstance(found, Mapping):
        return {name: spoken(value) for name, value in found.items()}
    if isinstance(found, Iterable) and not isinstance(found, str):
        return [spoken(value) for value in found]
    return found


def _go_on(watch: Watch) -> None:
    """Between two batches: others first, if they wait. Raises RequestError if it has to end."""
    watch.rest()
    if watch.cancelled.is_set():
        raise RequestError(STOPPED)
    if time.monotonic() - watch.started > watch.seconds:
        raise RequestError(
            "evaluation_out_of_time", "This took too long and was stopped. Send fewer pairs at a time."
        )
