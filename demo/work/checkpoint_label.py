"""Labels of checkpoints, on the page and in files. They hide ids of runs, which are secrets."""

from __future__ import annotations

from demo.i18n import later, listed, message_text, say
from demo.i18n.display import task_text
from demo.work.training_service import TrainingService
from models.networks.architectures import network_config
from models.networks.config import ConfigError
from models.registry.card import CheckpointError
from models.registry.hugging_face.files import is_hugging_face
from models.registry.name import VARIANT_MARK, CheckpointName, UnknownCheckpointError
from models.registry.registry import Registry
from models.training.runs.collection import Runs, UnknownRunError
from models.training.runs.request import RUN_ID, without_secrets
from models.training.runs.run_folder import Run

DAMAGED_RUN = later("Damaged run")


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


def checkpoint_words(name: str, registry: Registry) -> str:
    """A name in words, of task and network: "Spanish → English, GRU with attention".

    Empty if it cannot be read.
    """
    try:
        stored = CheckpointName.of(name).stored
        config, card = registry.config(stored), registry.card(stored)
        network = card.architecture.partition(",")[0]
        if not is_hugging_face(config):
            network = message_text(network_config(config.network).words())
    except (CheckpointError, UnknownCheckpointError, ConfigError):
        return ""
    return listed(filter(None, (task_text(card.task, config.languages(card.task)), network)))


def run_label(runs: Runs, run: Run) -> str:
    """The label of a run. Raises UnknownRunError."""
    title = say(DAMAGED_RUN) if runs.is_damaged(run) else runs.request(run).title
    return without_secrets(f"{title} · {run.id[-4:]}")
