"""The form of a training run: every setting of a recipe that has a label, in the order of the form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from demo.i18n import say
from demo.work.requests.checks import RequestError
from models.errors import Message
from models.networks.architectures import ARCHITECTURES
from models.networks.config import NetworkConfig
from models.setting import Setting, labels, settings_of
from models.training.recipe.config import TrainingConfig
from models.training.recipe.sections import DataConfig, OptimizerConfig, TeacherForcingConfig, TokenizerConfig

NETWORK = "Network"
RUN = ("epochs", "batch_tokens", "evaluate_every", "report_every", "decode_valid", "patience")
# Path, section of the form, and class of each part of a recipe; then the settings that come first.
PARTS: tuple[tuple[str, str, Any, tuple[str, ...]], ...] = (
    ("tokenizer.", "Tokens and data", TokenizerConfig, ("kind", "target_kind", "lowercase")),
    ("data.", "Tokens and data", DataConfig, ("train_size", "valid_size", "max_pieces", "casual_sources")),
    ("optimizer.", "Optimizer", OptimizerConfig, ("kind", "learning_rate")),
    ("teacher_forcing.", "Teacher forcing", TeacherForcingConfig, ()),
    ("", "Run", TrainingConfig, RUN),
)
# The form is for texts; a run on pictures needs a recipe.
TEXT_ARCHITECTURES: Mapping[str, type[NetworkConfig]] = {
    name: kind for name, kind in ARCHITECTURES.items() if not kind.reads_pictures
}


def with_bounds(help: str, low: object, high: object) -> Message:
    """The help of a number, with its bounds."""
    return Message(
        "help_with_bounds", "{help} {low} to {high}.", help=Message("help", help), low=low, high=high
    )


@dataclass(frozen=True)
class FormField:
    """One field of the form."""

    path: str  # its path in the recipe: "optimizer.learning_rate"
    section: str
    setting: Setting  # the setting, with the bounds of the form
    only: tuple[str, ...] = ()  # the architectures that have it; () = all

    def checked_value(self, value: object) -> Any:
        """The value for a recipe. Raises RequestError."""
        checked = self.setting.checked_value(value, RequestError, say(self.setting.label))
        return checked.strip() if isinstance(checked, str) else checked


def _network_settings() -> list[str]:
    """The names of the settings of all architectures, each architecture's in its own order."""
    names: list[str] = []
    for kind in TEXT_ARCHITECTURES.values():
        index = 0
        for name in kind.offered:
            if name not in names:
                names.insert(index, name)
            index = names.index(name) + 1
    return names


def _network_field(name: str) -> FormField:
    owners = {key: kind for key, kind in TEXT_ARCHITECTURES.items() if name in kind.offered}
    setting = next(iter(owners.values())).settings()[name].on_form()
    return FormField(
        f"network.{name}", NETWORK, setting, () if len(owners) == len(TEXT_ARCHITECTURES) else tuple(owners)
    )


ARCHITECTURE = FormField(
    "network.architecture",
    NETWORK,
    Setting(
        "Architecture",
        "The network that reads the source and writes the target.",
        offers=labels({name: kind.title for name, kind in TEXT_ARCHITECTURES.items()}),
        default="",
    ),
)
NETWORK_FIELDS = (ARCHITECTURE, *map(_network_field, _network_settings()))
FIELDS = (
    *NETWORK_FIELDS,
    *(
        FormField(path + name, section, settings_of(owner)[name].on_form())
        for path, section, owner, first in PARTS
        for name in dict.fromkeys((*first, *settings_of(owner)))
        if settings_of(owner)[name].label
    ),
)
SECTIONS = tuple(dict.fromkeys(field.section for field in FIELDS))
