"""The training service: the runs of all visitors, their launcher, and personal sets of corrections."""

from __future__ import annotations

from pathlib import Path

from demo.work.requests.checks import RequestError
from models.corpus.corrections import CorrectionSet
from models.training.launch.launcher import Launcher, TrainingLimits
from models.training.runs.collection import Runs, UnknownRunError
from models.training.runs.run_folder import Run


class TrainingService:
    """The runs and corrections of one folder; a second server over the same folder sees the same."""

    def __init__(self, runs: Runs, launcher: Launcher, limits: TrainingLimits) -> None:
        self.runs, self.launcher, self.limits = runs, launcher, limits

    def checkpoint_folder(self, name: str) -> Path | None:
        """The folder of a run's best or else last checkpoint; None before there is one."""
        try:
            run = self.runs.find(name)
        except UnknownRunError:
            return None
        return checkpoint_of(run)

    def corrections(self, token: str) -> CorrectionSet:
        """A visitor's personal set of corrected translations. Raises DataError for an invalid token."""
        return CorrectionSet(self.limits.root / "corrections", token)


def finished_checkpoint(run: Run) -> Path:
    """The folder of a run's checkpoint. Raises RequestError before there is one."""
    folder = checkpoint_of(run)
    if folder is None:
        raise RequestError(
            "run_without_checkpoint", "This run has no checkpoint yet. Wait for its first evaluation."
        )
    return folder


def checkpoint_of(run: Run) -> Path | None:
    """The folder of a run's best or else last checkpoint; None before there is one."""
    return next((folder for folder in (run.best, run.last) if (folder / "config.json").is_file()), None)
