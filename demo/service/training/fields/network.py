"""The settings of a network: those that each architecture offers, a shared one once."""

from __future__ import annotations

from collections.abc import Mapping

from demo.service.training.fields.field import Field
from models.networks.architectures import ARCHITECTURES
from models.networks.config import NetworkConfig, NetworkSetting

NETWORK = "Network"
# The form is for texts; whoever trains on pictures writes a recipe.
OFFERED: Mapping[str, type[NetworkConfig]] = {
    name: kind for name, kind in ARCHITECTURES.items() if not kind.reads_pictures
}


def _in_order() -> list[str]:
    """The names of all settings, each architecture's in its own order."""
    names: list[str] = []
    for kind in OFFERED.values():
        place = 0
        for name in kind.offered:
            if name not in names:
                names.insert(place, name)
            place = names.index(name) + 1
    return names


def _field(name: str) -> Field:
    having = {key: kind for key, kind in OFFERED.items() if name in kind.offered}
    setting, default = next((kind.settings()[name], kind.defaults()[name]) for kind in having.values())
    low, high = setting.form or (0, 0)
    return Field(
        f"network.{name}",
        setting.label,
        setting.help,
        NETWORK,
        _kind(setting, default),
        low,
        high,
        tuple((title, choice) for choice, title in (setting.choices or {}).items()),
        only=() if having.keys() == OFFERED.keys() else tuple(having),
        default=default,
    )


def _kind(setting: NetworkSetting, default: object) -> str:
    if setting.choices is not None:
        return "choice"
    if isinstance(default, bool):
        return "switch"
    return "whole" if setting.most else "number"


ARCHITECTURE = Field(
    "network.architecture",
    "Architecture",
    "What reads the source and writes the target.",
    NETWORK,
    "choice",
    choices=tuple((kind.title, name) for name, kind in OFFERED.items()),
)
NETWORK_FIELDS: tuple[Field, ...] = (ARCHITECTURE, *map(_field, _in_order()))
