"""Evaluations of systems on a test set, each in a turn of the server that gives way between batches.

They are jobs: visitors with the same request share one, and may reload the page meanwhile.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from demo.evaluate.work.request import EvaluateRequest
from demo.i18n import later, message_text
from demo.work.context import AppContext
from demo.work.jobs import Job, JobLimits, Jobs, JobStatus
from demo.work.operator.caps import EVALUATION
from demo.work.requests.caller import owner
from demo.work.requests.checks import RequestError
from demo.work.watch import Watch
from models.errors import Message
from models.evaluation.report.evaluation_report import EvaluationReport, as_json
from models.registry.name import CheckpointName

if TYPE_CHECKING:
    from models.evaluation.report.evaluation_report import EvaluationReport
    from models.evaluation.systems import System


# Shares of the whole time, as measured.
DECODING_SHARE = 0.4  # decoding and scoring; the rest is the report
WIDTHS_SHARE = 0.5  # the searches at every beam width, if there are any
# Takes the activity, a Message or a system's name, and the share done.
OnActivity = Callable[[str, float], None]

_Value = TypeVar("_Value")

STOPPED = Message("evaluation_stopped", "The evaluation was stopped.")
OUT_OF_TIME = Message(
    "evaluation_out_of_time", "This took too long and was stopped. Send fewer pairs at a time."
)
SLICE_SECONDS = 0.1  # seconds after which an evaluation lets a decoding go on, if one waits
FULL = later("{count} evaluations are in the queue already. Try again in a minute.")
EVALUATION_LIMITS = JobLimits(
    running=EVALUATION.running,
    waiting=EVALUATION.waiting,
    seconds=EVALUATION.seconds,
    absent_seconds=60.0,
    kept_seconds=7200.0,
    max_kept=40,
    kept_bytes=128 << 20,
)


def evaluate(
    context: AppContext,
    request: EvaluateRequest,
    watch: Watch | None = None,
    on_activity: OnActivity = lambda activity, share: None,
    slice_seconds: float | None = None,
    without_widths: EvaluationReport | None = None,
) -> EvaluationReport:
    """Run the systems of a request and build their report, in at most `watch.seconds`.

    `without_widths` is the report of the same request without its widths: then only these are measured.
    Raises RequestError, UnknownCheckpointError, CheckpointError, DataError.
    """
    from models.budget import PASS_BYTES, letting_others_run
    from models.decoding.limits import DecodingError
    from models.decoding.search.parallel import one_at_a_time
    from models.evaluation.beam_widths.width_curves import width_curves
    from models.evaluation.report.build import build_report, count_words
    from models.evaluation.run import results_of_columns, run

    watch, segments = watch or Watch(), request.segments
    systems = _systems(context, request, watch)
    # The searches at every width come last.
    begin = 0.0 if without_widths else 1 - WIDTHS_SHARE * bool(request.widths)

    def report() -> EvaluationReport:
        on_run = _between(watch, on_activity, 0, begin * DECODING_SHARE)
        results = (
            run(systems, segments, lambda progress: on_run(progress.activity, progress.share))
            if systems
            else results_of_columns(segments)
        )
        words: list[Counter[str] | None] = [None, None]
        if request.training and systems:
            config = systems[0].checkpoint.config
            languages = config.source_language, config.target_language
            words = list(map(count_words, zip(*request.training, strict=True), languages))
        return build_report(
            results,
            training_sources=words[0],
            training_targets=words[1],
            on_activity=_between(watch, on_activity, begin * DECODING_SHARE, begin),
            changes=request.changes if systems else 0,
        )

    try:
        with (
            context.turns.turn(watch, slice_seconds, 0 if slice_seconds else PASS_BYTES),  # jobs: one runs
            one_at_a_time(),
            letting_others_run(partial(watch.go_on, STOPPED, OUT_OF_TIME)),
        ):
            base = without_widths or report()
            on_widths = _between(watch, on_activity, begin, 1)
            curves = width_curves(systems, segments, request.widths, on_widths)
            return replace(base, width_curves=curves)
    except DecodingError as error:
        raise RequestError(error.message) from error


def _systems(context: AppContext, request: EvaluateRequest, watch: Watch) -> list[System]:
    from models.evaluation.systems import System

    for system in request.systems:
        context.check_fits(system.checkpoint, request.segments.all[0].source)
    with watch.loading():
        names = dict.fromkeys(system.checkpoint for system in request.systems)
        loaded = {name: replace(context.checkpoint(name), name=context.label(name)) for name in names}
    return [System(system.name, loaded[system.checkpoint], system.options) for system in request.systems]


def translate_messages(value: _Value) -> _Value:
    """A report, or a payload made of one, with its Messages in the language of the request."""
    translated_value: Any = value
    if isinstance(value, Message):
        translated_value = message_text(value)
    elif is_dataclass(value):
        parts = {field.name: translate_messages(getattr(value, field.name)) for field in fields(value)}
        translated_value = replace(value, **parts)  # type: ignore[type-var]
    elif isinstance(value, Mapping):
        translated_value = {name: translate_messages(part) for name, part in value.items()}
    elif isinstance(value, tuple | list):
        translated_value = type(value)(map(translate_messages, value))
    return translated_value  # type: ignore[no-any-return]


def _between(watch: Watch, on_activity: OnActivity, low: float, high: float) -> OnActivity:
    """A listener for a part that takes the share of the whole from `low` to `high`; it may raise to stop."""

    def on_part(activity: str, share: float) -> None:
        watch.go_on(STOPPED, OUT_OF_TIME)
        on_activity(activity, low + (high - low) * share)

    return on_part


class Evaluations:
    """The evaluations of all visitors, by keys that nobody can guess."""

    def __init__(
        self,
        context: AppContext,
        limits: JobLimits = EVALUATION_LIMITS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._context, self._limits = context, limits
        self._secret = secrets.token_bytes(16)
        self._jobs = Jobs[str, EvaluateRequest]("evaluation", self._evaluate, limits, FULL, clock)

    def begin(self, request: EvaluateRequest) -> str:
        """Begin or join the evaluation of a request, and return its key.

        Raises RequestError if the queue is full, UnknownCheckpointError.
        """
        key = self._key(request)
        self._jobs.begin(key, request, owner())
        return key

    def status(self, key: str) -> JobStatus | None:
        """The status of an evaluation; None if it is not kept any more."""
        return self._jobs.status(key)

    def find(self, key: str) -> Job[str, EvaluateRequest] | None:
        """An evaluation that is under way or kept: its task is the request, its result the report or None."""
        return self._jobs.find(key)

    def stop(self, key: str) -> None:
        """Take this visitor off an evaluation, which ends if it has no other."""
        self._jobs.leave(key, owner())

    def _evaluate(self, job: Job[str, EvaluateRequest]) -> None:
        def progress(activity: str, share: float) -> None:
            job.activity, job.share = activity, share

        request, job.watch.seconds = job.task, self._limits.seconds
        # A report of the same request without widths spares all but the searches at these widths.
        without_widths = self._key(replace(request, widths=()))
        cached = self.find(without_widths) if request.widths else None
        report = None if cached is None else cached.result
        job.result = evaluate(self._context, request, job.watch, progress, SLICE_SECONDS, report)
        job.size = len(json.dumps(as_json(job.result)))

    def _key(self, request: EvaluateRequest) -> str:
        """A keyed digest of the request and of the versions of its checkpoints, which a run may overwrite."""
        version = self._context.registry.version
        versions = [version(CheckpointName.of(system.checkpoint).base) for system in request.systems]
        content = repr((request, versions)).encode("utf-8", "surrogatepass")
        return hashlib.blake2b(content, key=self._secret, digest_size=16).hexdigest()
