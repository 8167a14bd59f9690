"""The variants of a checkpoint: a pair of languages, or a task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import gradio as gr

from demo.i18n.display import capitalize, language_name
from demo.widgets.form.choices import own_checkpoints, picker_updates
from demo.work.context import AppContext
from demo.work.requests.checks import RequestError, check_name
from models.registry.card import CheckpointError
from models.registry.name import UnknownCheckpointError
from models.registry.variant import LANGUAGE_SEPARATOR, LANGUAGE_TAGS, Variants, bcp47

HIDDEN = {"visible": False}


@dataclass(frozen=True)
class VariantRow:
    """The widgets; none is shown for a checkpoint without variants."""

    source: gr.Dropdown
    target: gr.Dropdown
    task: gr.Dropdown

    def in_order(self) -> list[Any]:
        """The widgets in the order of the handlers."""
        return [self.source, self.target, self.task]


def build_variants(
    context: AppContext, name: str | None, elem_id: str, classes: Sequence[str] = ()
) -> VariantRow:
    """Build the widgets for a checkpoint in the current row; `elem_id` begins their ids."""
    properties = (_properties(context, name) if name else None) or [HIDDEN] * 3
    labels = {"source": "From", "target": "Into", "task": "Task"}
    widgets = (
        gr.Dropdown(
            label=label, elem_id=f"{elem_id}-{part}", elem_classes=list(classes), min_width=150, **property
        )
        for (part, label), property in zip(labels.items(), properties, strict=True)
    )
    return VariantRow(*widgets)


def on_variants(context: AppContext, name: object) -> list[Any]:
    """The choices of a checkpoint, with the values in its name. Raises RequestError."""
    check_name(name)
    properties = _properties(context, str(name)) or [HIDDEN] * 3
    return [gr.update(**property) for property in properties]


def on_variant(
    context: AppContext, name: object, source: object, target: object, task: object, token: object = None
) -> Any:
    """The list of Decode with the chosen variant. Raises as `_variant_name` does."""
    variant_name = _variant_name(context, name, source, target, task)
    if variant_name is None:
        return gr.skip()
    (choices,) = picker_updates(context, own_checkpoints(context, token), (variant_name,), 1)
    return {**choices, "value": variant_name}


def on_compared_variant(
    context: AppContext,
    name: object,
    source: object,
    target: object,
    task: object,
    other: object,
    token: object = None,
) -> list[Any]:
    """The list of Compare with the chosen variant, and the other list, which then offers it too.

    Raises as `_variant_name` does.
    """
    variant_name = _variant_name(context, name, source, target, task)
    if variant_name is None:
        return [gr.skip()] * 2
    _, first, others = picker_updates(context, own_checkpoints(context, token), ("", variant_name, other), 3)
    return [{**first, "value": variant_name}, others]


def _variant_name(
    context: AppContext, name: object, source: object, target: object, task: object
) -> str | None:
    """The name with the chosen variant, None if it has it already.

    Raises RequestError, UnknownCheckpointError, CheckpointError.
    """
    before = check_name(name).stored
    variants = Variants.of(context.config(before.base).network)
    if not variants:
        raise RequestError("one_variant_only", "{name} does one thing only.", name=before.base)
    variant = str(task) if variants.tasks else LANGUAGE_SEPARATOR.join((str(source), str(target)))
    variant_name = replace(before, variant=variant)
    context.config(variant_name)
    return None if variant_name == before else str(variant_name)


def _properties(context: AppContext, name: str) -> list[dict[str, Any]] | None:
    try:
        network = context.config(name).network
        variants = Variants.of(network)
    except (CheckpointError, UnknownCheckpointError, ValueError):
        return None  # the card says what is wrong with it
    settled = network.get("settled", {})
    if variants.tasks:
        tasks = [(capitalize(task.replace("_", " ")), task) for task, _ in variants.tasks]
        if variants.tasks[0][1].startswith(LANGUAGE_TAGS):
            tasks = _languages(tuple(task for task, _ in variants.tasks))
        return [HIDDEN, HIDDEN, {"visible": True, "choices": tasks, "value": network["variant"]}]
    if variants.targets:
        return [
            {"visible": True, "choices": _languages(codes), "value": settled[key]}
            for codes, key in ((variants.sources, "source_language"), (variants.targets, "target_language"))
        ] + [HIDDEN]
    return None


def _languages(codes: tuple[str, ...]) -> list[tuple[str, str]]:
    """The languages with a name first."""
    labelled = [(language_name(bcp47(code)), code) for code in codes]
    named_languages = [(f"{name} ({code})", code) for name, code in labelled if name != bcp47(code)]
    return sorted(named_languages) + sorted((code, code) for name, code in labelled if name == bcp47(code))
