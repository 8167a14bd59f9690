"""Conversion between the values of the form and a `TrainingConfig`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from demo.training.work.fields import FIELDS, FormField
from demo.work.requests.checks import RequestError
from models.networks.config import ConfigError
from models.training.recipe.config import TrainingConfig

Values = dict[str, Any]  # keys: paths of fields


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
