"""The settings of a decoding in its trace, and the way back to `DecodingOptions`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from models.decoding import strategies
from models.decoding.options import DecodingOptions, settings
from models.decoding.settings import FormPart


def settings_for_trace(options: DecodingOptions) -> dict[str, Any]:
    """Return the settings of a decoding for its trace.

    First those of the strategy, under the names of its fields, then those that every decoding has.
    """
    strategy = options.build_strategy()
    description = strategy.description
    names = [field.name for field in fields(strategy) if field.name != "normalizer"]  # type: ignore[arg-type]
    setting_names = [name for name in names if description.setting_of(name) in description.settings]
    return {
        **{name: getattr(strategy, name) for name in setting_names},
        "normalizer": strategy.normalizer.kind,
        "length_penalty": strategy.normalizer.alpha,
        "max_length": options.max_length,
        "seed": options.seed,
        **options.constraints(),
    }


def option_values(strategy: str, recorded_settings: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the arguments of `DecodingOptions` for the settings of a trace; undoes `settings_for_trace`.

    A trace does not record the constraints that are switched off, so they have their defaults here.
    """
    description, options = strategies.description_of(strategy), settings()
    off = {name: item.default for name, item in options.items() if item.part is FormPart.CONSTRAINT}
    values: dict[str, Any] = {"strategy": strategy, **off}
    for field_name, value in recorded_settings.items():
        name = description.setting_of(field_name)
        if name in options and name != "strategy":
            values[name] = options[name].request_value(value)
    return values
