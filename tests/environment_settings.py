"""Every environment variable of the program."""

from __future__ import annotations

from demo.work.operator.settings import OperatorSettings, ServerSettings
from models.corpus.public.prepare import CorpusSettings
from models.environment import table
from models.hub.settings import HubSettings
from models.inspection.neighbours import StateSettings
from models.training.launch.launcher import TrainingLimits

OWNERS = (ServerSettings, OperatorSettings, TrainingLimits, CorpusSettings, HubSettings, StateSettings)


def settings_table() -> str:
    """The table of docs/settings.md."""
    return table(*OWNERS)
