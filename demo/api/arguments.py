"""The arguments of the endpoints: their names, types, defaults and meanings. Imports no Gradio."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from demo.work.operator.caps import MAX_CHARACTERS, MAX_OUTPUT_TOKENS, allowed_settings
from models.decoding.strategies import meaning, setting_by_field
from models.registry.checkpoint import CheckpointConfig

REQUIRED = inspect.Parameter.empty
# Defaults for programs: the simplest strategy, and the longest outputs of the checkpoint.
API_DEFAULTS: dict[str, Any] = {"strategy": "greedy", "max_length": None}
# Programs may pass arguments by position, so these settings keep theirs. A setting that is not listed comes
# after all of these, in the order of `DecodingOptions`. A release appends its new settings here.
POSITIONS = (
    *("strategy", "beam_size", "num_groups", "diversity", "threshold", "length_penalty", "normalizer"),
    *("early_stopping", "num_samples", "temperature", "top_k", "top_p", "min_p", "utility", "node_budget"),
    *("seed", "max_length", "min_length", "no_repeat_ngram_size", "repetition_penalty", "banned"),
    *("num_best", "must_contain"),
)


@dataclass(frozen=True)
class Argument:
    """One argument of an endpoint."""

    name: str
    kind: Any  # a type that Gradio turns into a JSON schema
    meaning: str  # one sentence
    default: Any = REQUIRED

    @property
    def is_required(self) -> bool:
        """Whether a call must pass the argument."""
        return self.default is REQUIRED


CHECKPOINT = Argument("checkpoint", str, "Name of a checkpoint, as the list of checkpoints has it.")
TEXT = Argument(
    "text",
    str,
    f"The source, at most {MAX_CHARACTERS} characters, in the checkpoint's source language; for one that "
    "reads pictures a PNG as a data URL.",
)
TRACE = Argument(
    "trace",
    bool,
    "Whether to add the whole record of the search: every candidate of every step with its fate, and "
    "attention. About 10 kB for greedy search, 40 kB for a beam of four.",
    False,
)
TARGET = Argument("target", str, f"The output to score, at most {MAX_CHARACTERS} characters.")


def setting(name: str) -> Argument:
    """The argument for a setting of a decoding, by its name in calls or in answers."""
    if name in setting_by_field():
        same = setting(setting_by_field()[name])
        return Argument(name, same.kind | None, f"The same as {same.name}, under its name in answers.", None)
    item = allowed_settings()[name]
    default = API_DEFAULTS.get(name, item.default)
    kind: Any = Literal[item.words] if item.choices else item.kind
    return Argument(name, kind if default is not None else kind | None, meaning(item), default)


def setting_names() -> tuple[str, ...]:
    """The settings of a decoding in the order of an endpoint's arguments."""
    return tuple(dict.fromkeys((*POSITIONS, *allowed_settings(), *setting_by_field())))


def settings_by_name(values: Sequence[object], config: CheckpointConfig) -> dict[str, Any]:
    """Name the values, which come in the order of `setting_names`; the checkpoint limits the output."""
    by_name = dict(zip(setting_names(), values, strict=True))
    if by_name["max_length"] is None:
        by_name["max_length"] = min(config.max_length, MAX_OUTPUT_TOKENS)
    return {name: value for name, value in by_name.items() if name in allowed_settings() or value is not None}


def translate_arguments() -> tuple[Argument, ...]:
    """The arguments of decoding; its choices include strategies registered at run time."""
    strategy, *others = map(setting, setting_names())
    return CHECKPOINT, TEXT, strategy, TRACE, *others


def score_arguments() -> tuple[Argument, ...]:
    """The arguments of scoring."""
    return CHECKPOINT, TEXT, TARGET, setting("length_penalty"), setting("normalizer")


def with_documentation(
    handler: Callable[..., Any], name: str, meaning: str, arguments: Sequence[Argument], answer: Any
) -> Callable[..., Any]:
    """Wrap `handler` with the name, signature and docstring that Gradio shows to clients."""

    def endpoint(*values: object) -> Any:
        return handler(*values)

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [
        inspect.Parameter(argument.name, kind, default=argument.default, annotation=argument.kind)
        for argument in arguments
    ]
    endpoint.__name__ = name
    endpoint.__signature__ = inspect.Signature(parameters, return_annotation=answer)  # type: ignore[attr-defined]
    endpoint.__annotations__ = {**{argument.name: argument.kind for argument in arguments}, "return": answer}
    lines = [f"    {argument.name}: {argument.meaning}" for argument in arguments]
    endpoint.__doc__ = "\n".join([meaning, "", *(["Args:", *lines] if lines else [])])
    return endpoint
