"""The settings in a trace, the way back to `DecodingOptions`, and the output of greedy search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from models.decoding import strategies
from models.decoding.description import FormPart
from models.decoding.options import DecodingOptions, settings
from models.decoding.status import Reason
from models.decoding.trace import DecodingTrace, GreedyOutput

UNCHOSEN = {Reason.OPENING, Reason.FORCED, Reason.CLOSING}  # tokens that greedy search must take, too


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


def greedy_output(trace: DecodingTrace) -> GreedyOutput | None:
    """Return the output of greedy search; None if the trace does not know it.

    It is the hypothesis of first choices if there is one. Under constraints the first choice of the model is
    not always allowed, so that only greedy search itself knows its output.
    """
    if trace.greedy is not None or _is_constrained(trace):
        return trace.greedy
    for hypothesis in trace.hypotheses:
        path = trace.path(hypothesis.node)
        if all(node.token_rank == 0 or node.reason in UNCHOSEN for node in path):
            return GreedyOutput(hypothesis.text, hypothesis.token_ids)
    return None


def _is_constrained(trace: DecodingTrace) -> bool:
    constraints = (setting for setting in settings().values() if setting.part is FormPart.CONSTRAINT)
    return any(trace.settings.get(item.name, item.default) != item.default for item in constraints)
