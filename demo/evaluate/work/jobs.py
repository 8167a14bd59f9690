"""Evaluations as jobs: visitors with the same request share one, and may reload the page meanwhile."""

from __future__ import annotations

import hashlib
import json
import secrets
import time
from collections.abc import Callable
from dataclasses import replace

from demo.evaluate.work.request import EvaluateRequest
from demo.evaluate.work.run import evaluate
from demo.i18n import later
from demo.work.context import AppContext
from demo.work.jobs import Job, JobLimits, Jobs, JobStatus
from demo.work.operator.caps import EVALUATION
from demo.work.requests.caller import owner
from models.evaluation.report.evaluation_report import EvaluationReport, as_json
from models.registry.name import CheckpointName

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

    def result(self, key: str) -> EvaluationReport | None:
        """The report of an evaluation that is done; None of any other."""
        job = self._jobs.find(key)
        report: EvaluationReport | None = None if job is None else job.result
        return report

    def request(self, key: str) -> EvaluateRequest | None:
        """The request of an evaluation that is under way or kept."""
        job = self._jobs.find(key)
        return None if job is None else job.task

    def stop(self, key: str) -> None:
        """Take this visitor off an evaluation, which ends if it has no other."""
        self._jobs.leave(key, owner())

    def _evaluate(self, job: Job[str, EvaluateRequest]) -> None:
        def progress(activity: str, share: float) -> None:
            job.activity, job.share = activity, share

        request, job.watch.seconds = job.task, self._limits.seconds
        # A report of the same request without widths spares all but the searches at these widths.
        without_widths = self._key(replace(request, widths=()))
        cached = self.result(without_widths) if request.widths else None
        job.result = evaluate(self._context, request, job.watch, progress, SLICE_SECONDS, cached)
        job.size = len(json.dumps(as_json(job.result)))

    def _key(self, request: EvaluateRequest) -> str:
        """A keyed digest of the request and of the versions of its checkpoints, which a run may overwrite."""
        version = self._context.registry.version
        versions = [version(CheckpointName.of(system.checkpoint).base) for system in request.systems]
        content = repr((request, versions)).encode("utf-8", "surrogatepass")
        return hashlib.blake2b(content, key=self._secret, digest_size=16).hexdigest()
