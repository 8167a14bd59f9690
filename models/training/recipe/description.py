"""The data of a recipe in a few words, for cards and lists. Imports no torch."""

from __future__ import annotations

from models.corpus.generated.all_tasks import TASKS
from models.training.recipe.config import FILES_TASK, TrainingConfig


def data_description(config: TrainingConfig) -> str:
    """A phrase about the origin of the pairs."""
    data = config.data
    if data.task != FILES_TASK:
        task = TASKS[data.task]
        options = ", ".join(f"{name} {value}" for name, value in (task.defaults | dict(data.options)).items())
        return f"Generated: {task.title.lower()} ({options})"
    return "Pairs of texts that were given to the run"
