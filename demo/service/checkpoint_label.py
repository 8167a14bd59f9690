"""Labels of checkpoints, on the page and in files. They hide ids of runs, which are secrets."""

from __future__ import annotations

from demo.service.training.training import TrainingService
from models.registry.name import VARIANT_MARK
from models.registry.registry import Registry
from models.training.runs.collection import Runs, UnknownRunError
from models.training.runs.request import RUN_ID, without_secrets
from models.training.runs.run_folder import Run


def checkpoint_label(name: str, registry: Registry, training: TrainingService | None) -> str:
    """The name, or for a run its title and the end of its id; a variant or precision follows it."""
    base, mark, suffix = name.partition(VARIANT_MARK)
    if not RUN_ID.fullmatch(base) or base in registry.names():
        return name
    try:
        label = run_label(training.runs, training.runs.find(base)) if training else without_secrets(base)
    except UnknownRunError:  # it was removed
        label = without_secrets(base)
    return f"{label}{mark}{suffix}"


def run_label(runs: Runs, run: Run) -> str:
    """The label of a run. Raises UnknownRunError."""
    return without_secrets(f"{runs.request(run).title} · {run.id[-4:]}")
