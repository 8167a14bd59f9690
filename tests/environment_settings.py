"""Every environment variable of the program."""

from __future__ import annotations

from demo.work.operator.settings import OperatorSettings, ServerSettings
from models.corpus.public.settings import CorpusSettings
from models.environment.variables import table
from models.hub.settings import HubSettings
from models.inspection.neighbours.settings import StateSettings
from models.training.launch.launcher import TrainingLimits

OWNERS = (ServerSettings, OperatorSettings, TrainingLimits, CorpusSettings, HubSettings, StateSettings)


def settings_table() -> str:
    """The table of docs/settings.md."""
    return table(*OWNERS)
