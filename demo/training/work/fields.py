"""The form of a training run: each setting of a recipe that has a label, and the recipe of its values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from demo.i18n import say
from demo.work.requests.checks import RequestError
from models.errors import Message
from models.networks.architectures import ARCHITECTURES
from models.networks.config import ConfigError, NetworkConfig
from models.setting import Setting, labels, settings_of
from models.training.recipe.config import TrainingConfig
from models.training.recipe.sections import DataConfig, OptimizerConfig, TeacherForcingConfig, TokenizerConfig

Values = dict[str, Any]  # keys: paths of fields

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


def applies(field: FormField, values: Mapping[str, Any]) -> bool:
    """Whether the chosen architecture has this setting."""
    return not field.only or values["network.architecture"] in field.only


def checked_values(raw: Mapping[str, object]) -> Values:
    """The values of all fields that apply, as in a recipe. Raises RequestError with the field's name."""
    by_path = {field.path: field for field in FIELDS}
    architecture = by_path["network.architecture"].checked_value(raw.get("network.architecture"))
    values: Values = {"network.architecture": architecture}
    for field in FIELDS:
        if applies(field, values):
            values[field.path] = field.checked_value(raw.get(field.path))
    return values


def training_config(name: str, task: Mapping[str, Any], values: Values, start: str = "") -> TrainingConfig:
    """Make a recipe of checked values; `task` holds those of the data card. Raises RequestError."""
    recipe: dict[str, Any] = {"name": name, "start": start}
    for path, value in values.items():
        section, _, setting = path.rpartition(".")
        section_values = recipe.setdefault(section, {}) if section else recipe
        section_values[setting] = value
    recipe["data"] = {**recipe.get("data", {}), **task}
    try:
        return TrainingConfig.from_dict(recipe)
    except ConfigError as error:
        raise RequestError(
            "settings_clash", "These settings do not go together: {error}.", error=error
        ) from error


def values_of(config: TrainingConfig) -> Values:
    """The values of the fields for a recipe, without those of other architectures."""
    recipe = config.to_dict()
    values: Values = {}
    for field in FIELDS:
        section, _, setting = field.path.rpartition(".")
        section_values = recipe[section] if section else recipe
        if setting in section_values:
            values[field.path] = section_values[setting]
    return values
