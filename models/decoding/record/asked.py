"""What a decoding was asked, as its trace keeps it, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from models.decoding import strategies
from models.decoding.options import DecodingOptions, settings


def recorded(options: DecodingOptions) -> dict[str, Any]:
    """The settings that its strategy uses, by the names of its class, then those of every decoding."""
    built = options.build_strategy()
    told = built.description
    names = (field.name for field in fields(built))  # type: ignore[arg-type]
    own = (name for name in names if name != "normalizer" and told.setting_of(name) in told.settings)
    return {
        **{name: getattr(built, name) for name in own},
        "normalizer": built.normalizer.kind,
        "length_penalty": built.normalizer.alpha,
        "max_length": options.max_length,
        "seed": options.seed,
        **options.constraints(),
    }


def asked(strategy: str, found: Mapping[Any, Any]) -> dict[str, Any]:
    """Arguments of `DecodingOptions` from a trace's strategy and settings: the inverse of `recorded`."""
    told, known = strategies.described(strategy), settings()
    values: dict[str, Any] = {"strategy": strategy}
    for field_name, value in found.items():
        name = told.setting_of(field_name)
        if name in known and name != "strategy":
            values[name] = known[name].said(value)
    return values
