"""What the server needs for training: the runs of all visitors, how they are started, personal sets."""

from __future__ import annotations

from pathlib import Path

from demo.requests.checks import RequestError
from models.corpus.corrections import CorrectionSet
from models.training.launch.launcher import Launcher
from models.training.launch.limits import TrainingLimits
from models.training.runs.collection import Runs, UnknownRunError
from models.training.runs.run_folder import Run


class Training:
    """Everything lies on disk; a second server over the same folder sees the same runs."""

    def __init__(self, runs: Runs, launcher: Launcher, limits: TrainingLimits) -> None:
        self.runs, self.launcher, self.limits = runs, launcher, limits

    def checkpoint_folder(self, name: str) -> Path | None:
        """Where the checkpoint of a run lies, its best or else its last; None if there is none yet."""
        try:
            run = self.runs.find(name)
        except UnknownRunError:
            return None
        return checkpoint_of(run)

    def corrections(self, token: str) -> CorrectionSet:
        """A visitor's personal set of corrected translations. Raises DataError for no token."""
        return CorrectionSet(self.limits.root / "corrections", token)


def finished_checkpoint(run: Run) -> Path:
    """Like `checkpoint_of`, where there must be one. Raises RequestError."""
    folder = checkpoint_of(run)
    if folder is None:
        raise RequestError(
            "run_without_checkpoint", "This run has no checkpoint yet. Wait for its first evaluation."
        )
    return folder


def checkpoint_of(run: Run) -> Path | None:
    """The folder of a run's best checkpoint, else of its last, None before there is one."""
    return next((folder for folder in (run.best, run.last) if (folder / "config.json").is_file()), None)
