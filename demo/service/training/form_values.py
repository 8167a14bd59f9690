"""Between the form and a recipe: what the fields say as a `TrainingConfig`, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from demo.requests.checks import RequestError
from demo.service.training.fields import FIELDS, Field
from models.networks.config import ConfigError
from models.training.recipe.config import TrainingConfig

Values = dict[str, Any]  # by the fields' paths


def applies(field: Field, values: Mapping[str, Any]) -> bool:
    """Whether the chosen architecture has this setting."""
    return not field.only or values["network.architecture"] in field.only


def checked_values(raw: Mapping[str, object]) -> Values:
    """All fields that apply, as a recipe holds them. Raises RequestError naming the field."""
    by_path = {field.path: field for field in FIELDS}
    architecture = by_path["network.architecture"].checked(raw.get("network.architecture"))
    values: Values = {"network.architecture": architecture}
    for field in FIELDS:
        if applies(field, values):
            values[field.path] = field.checked(raw.get(field.path))
    return values


def training_config(name: str, task: Mapping[str, Any], values: Values, start: str = "") -> TrainingConfig:
    """A recipe from checked values; `task` holds what the data card says. Raises RequestError."""
    recipe: dict[str, Any] = {"name": name, "start": start}
    for path, value in values.items():
        section, _, setting = path.rpartition(".")
        place = recipe.setdefault(section, {}) if section else recipe
        place[setting] = value
    recipe["data"] = {**recipe.get("data", {}), **task}
    try:
        return TrainingConfig.from_dict(recipe)
    except ConfigError as error:
        raise RequestError(
            "settings_clash", "These settings do not go together: {error}.", error=error
        ) from error


def values_of(config: TrainingConfig) -> Values:
    """What the fields show for a recipe; those of another architecture are left out."""
    recipe = config.to_dict()
    values: Values = {}
    for field in FIELDS:
        section, _, setting = field.path.rpartition(".")
        place = recipe[section] if section else recipe
        if setting in place:
            values[field.path] = place[setting]
    return values
