"""Handlers of the form of the Training tab."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import gradio as gr

from demo.i18n import later, say
from demo.training.choices import WATCH, can_be_tuned, run_choices, start_choices, training_service
from demo.training.form.settings_card import shown_values
from demo.training.work.data_previews import DataPreview, DataPreviews
from demo.training.work.fields import FIELDS, PRESETS, checked_values, fit_tokens, for_fine_tuning, values_of
from demo.training.work.order import TrainingOrder, command
from demo.training.work.source import TABLE_KINDS, Prepared, read_source, shown_columns
from demo.training.work.workload import expectation
from demo.widgets.form.choices import own_checkpoints
from demo.work.context import AppContext
from demo.work.errors import failure_text, safe_text
from demo.work.operator.caps import MAX_RECIPE_BYTES, MAX_TITLE_CHARACTERS
from demo.work.requests.caller import dropped_without_listener
from demo.work.requests.checks import RequestError, check_choice, check_name, check_short_text, check_visitor
from models.corpus.corrections import Correction, CorrectionSet
from models.corpus.generated.all_tasks import GENERATED
from models.errors import UnrolledError
from models.networks.architectures import network_config
from models.networks.config import ConfigError
from models.registry.name import CheckpointName
from models.training.recipe.config import TrainingConfig
from models.training.recipe.sections import FILES_TASK
from models.training.runs.request import is_token

Updates = tuple[Any, ...]  # one for each widget
CORRECTIONS = "corrections"  # the kind of data


def order_of(context: AppContext, data_names: Sequence[str], values: Sequence[object]) -> TrainingOrder:
    """Return the `TrainingOrder` of the form. `values`: title, checkpoint to fine-tune, data, settings.

    Raises RequestError, UnknownCheckpointError, CheckpointError.
    """
    title, start, *inputs = values
    data = dict(zip(data_names, inputs[: len(data_names)], strict=True))
    settings = dict(zip((field.path for field in FIELDS), inputs[len(data_names) :], strict=True))
    order = TrainingOrder.parse(title, start, data, settings, context.label)
    if not order.start:
        return order
    config = context.config(order.start)
    order = replace(order, source=replace(order.source, hints=config.hints))
    return order.tuning(network_config(config.network))


def on_preview(context: AppContext, data_names: Sequence[str], token: object, *values: object) -> Updates:
    """A preview of the data, its columns, and what to expect. Problems are shown in place of the preview."""
    order = None
    try:
        order = order_of(context, data_names, values)
        prepared, preview, *estimates = _look_at(context, order, token)
    except Exception as error:  # raised, it would cover the preview with a bare "Error"
        return failure_text(error, "a look at data"), _columns_to_choose(order), *[gr.skip()] * 2
    return preview, prepared.columns, *estimates


def on_chosen(context: AppContext, data_names: Sequence[str], token: object, *values: object) -> Updates:
    """`on_preview` without the columns, which the visitor has just chosen."""
    preview, _, *updates = on_preview(context, data_names, token, *values)
    return preview, *updates


def _columns_to_choose(order: TrainingOrder | None) -> dict[str, Any] | None:
    """The columns of a table whose roles are unclear, so that the visitor can choose them."""
    if order is None or order.source.kind not in TABLE_KINDS:
        return None
    with suppress(UnrolledError), dropped_without_listener():
        return shown_columns(read_source(order.source)[0], order.source)
    return None


def _look_at(
    context: AppContext, order: TrainingOrder, token: object
) -> tuple[Prepared, DataPreview, str, str]:
    """The data, its preview in the run's tokens, the size and duration of the run, and its command line.

    Raises DataError, also if no pair is short enough; RequestError, TokenizerError, UnknownCheckpointError.
    """
    tokenizer = context.tokenizer(order.start) if order.start else None
    corrections = _corrections_of(context, token)
    previews = context.one_for_all(DataPreviews)
    prepared, preview, workload = previews.preview(context.turns, order, corrections, tokenizer)
    on_cpu = context.device_type() == "cpu"
    expected = expectation(order.config, workload.epoch(order.config), preview.vocab_size, on_cpu)
    return prepared, preview, expected, command(order.config, _start_folder(context, order))


def _start_folder(context: AppContext, order: TrainingOrder) -> Path | None:
    return context.registry.folder(order.start) if order.start else None


def on_begin(context: AppContext, data_names: Sequence[str], token: object, *values: object) -> Updates:
    """Start a run, and watch it: lists of runs, problem, preview, what to expect, command, timer, mode.

    If it fails, the problem is shown and everything else stays.
    """
    try:
        training = training_service(context)
        check_visitor(token)
        order = order_of(context, data_names, values)
        prepared, *previewed = _look_at(context, order, token)
        request = order.request(str(token), context.device_name, _start_folder(context, order), prepared)
        run = training.launcher.start(request, order.files(prepared))
    except Exception as error:  # raised, it would cover the estimate with a bare "Error"
        return gr.skip(), gr.skip(), problem(error), *[gr.skip()] * 5
    gr.Info(safe_text(say("“{title}” has started.", title=request.title)), duration=4)
    return *run_choices(context, token, run.id), "", *previewed, gr.Timer(active=True), WATCH


def problem(error: Exception) -> str:
    """The sentence on a failure for the space below the buttons."""
    return safe_text(failure_text(error, "the training form"))


def on_preset(context: AppContext, name: object, kind: object, task: object, start: object) -> list[Any]:
    """The fields of a preset, with tokens that fit the task; fine-tuning keeps the start's network."""
    check_choice(later("The preset"), name, tuple(PRESETS))
    tokens_for = str(task) if kind == "generated" else FILES_TASK
    check_choice(later("The task"), tokens_for, (FILES_TASK, *GENERATED))
    config = fit_tokens(PRESETS[str(name)], tokens_for)
    if start:
        check_name(start)
        if not can_be_tuned(context, str(start)):
            raise RequestError(
                "checkpoint_of_pictures",
                "That checkpoint reads pictures; the form has pairs of texts. Choose another.",
            )
        network = network_config(context.config(str(start)).network)
        tuned = for_fine_tuning(config, few_pairs=kind in ("paste", "corrections"))
        config = replace(tuned, network=replace(network, dropout=config.network.dropout))
    return shown_values(values_of(config))


def on_task(context: AppContext, name: object, kind: object, task: object, start: object) -> list[Any]:
    """Updates of the token fields for another task; in fine-tuning, of all fields."""
    fields = on_preset(context, name, kind, task, start)
    if start:
        return fields
    changing = {"tokenizer.kind", "tokenizer.target_kind", "tokenizer.vocab_size", "data.max_pieces"}
    return [
        update if field.path in changing else gr.skip() for field, update in zip(FIELDS, fields, strict=True)
    ]


def on_save(context: AppContext, data_names: Sequence[str], *values: object) -> tuple[str, str]:
    """The recipe as JSON text and the problem; one of the two is empty."""
    try:
        config = order_of(context, data_names, values).config
    except Exception as error:
        return "", problem(error)
    return json.dumps(config.to_dict(), indent=2, ensure_ascii=False) + "\n", ""


def on_load(context: AppContext, data_names: Sequence[str], path: object) -> list[Any]:
    """The form of an uploaded recipe, and no problem; or the problem, and the form stays."""
    try:
        return [*_loaded_form(context, data_names, path), ""]
    except Exception as error:
        return [*[gr.skip()] * (2 + len(data_names) + len(FIELDS)), problem(error)]


def _loaded_form(context: AppContext, data_names: Sequence[str], path: object) -> list[Any]:
    """The form of a recipe in a file: its name, its start if it exists here, its task, its fields."""
    if not (isinstance(path, str | Path) and Path(path).is_file()) or (
        Path(path).stat().st_size > MAX_RECIPE_BYTES
    ):
        raise RequestError("recipe_missing", "Choose a recipe: a JSON file such as “Save the recipe” writes.")
    try:
        config = TrainingConfig.load(Path(path))
    except ConfigError as error:
        raise RequestError("not_a_recipe", "That is not a recipe: {error}.", error=error) from error
    if config.network.reads_pictures:
        raise RequestError(
            "recipe_of_pictures",
            "The form trains networks that read texts. Train this recipe on a command line: {command}",
            command="python -m models.training --config recipe.json --output runs/mine",
        )
    values = checked_values(values_of(config))
    name = config.name[:MAX_TITLE_CHARACTERS]
    check_short_text(later("name"), name, MAX_TITLE_CHARACTERS)
    start = config.start if config.start in context.registry.names() else ""
    if start != config.start:
        named = repr(config.start[:60])
        gr.Warning(safe_text(say("The recipe fine-tunes {name}: choose it under “Start from”.", name=named)))
    if config.data.task == FILES_TASK:
        gr.Info(say("The recipe learns from a file: choose it again, a recipe does not hold it."))
        data_values: dict[str, Any] = {"kind": "file"}
    else:
        task = GENERATED[config.data.task]
        options = task.defaults | dict(config.data.options)
        data_values = {"kind": "generated", "task": task.name}
        data_values |= {f"{task.name}.{option}": value for option, value in options.items()}
    data = [gr.update(value=data_values[key]) if key in data_values else gr.skip() for key in data_names]
    return [name, start, *data, *shown_values(values)]


def on_kind(
    context: AppContext, token: object, name: object, kind: object, task: object, start: object
) -> list[Any]:
    """The start, the fields, and the list of corrections for another kind of data.

    The kind "corrections" chooses the checkpoint that they correct, unless the visitor has chosen another
    one.
    """
    if kind != CORRECTIONS:
        return [gr.skip(), *on_task(context, name, kind, task, start), gr.skip()]
    tuned = start or corrected_checkpoint(context, token)
    return [tuned, *on_task(context, name, kind, task, tuned), on_corrections(context, token, kind)]


def on_corrections(context: AppContext, token: object, kind: object) -> Any:
    """The current list if the page shows it, or a sentence that there is none."""
    if kind != CORRECTIONS:
        return gr.skip()
    return _all_corrections(context, token) or say("You have corrected nothing yet.")


def on_forget(context: AppContext, token: object) -> str:
    """Delete the visitor's corrections; returns a sentence in place of the list. Raises DataError."""
    corrections = _corrections_of(context, token)
    if corrections is not None:
        corrections.clear()
    return say("All your corrections are forgotten.")


def corrected_checkpoint(context: AppContext, token: object) -> str:
    """The checkpoint with most corrections, the latest among equals; empty if none can be fine-tuned here."""
    tunable = {name for _, name in start_choices(context, own_checkpoints(context, token))}
    corrections = reversed(_all_corrections(context, token))
    names = [CheckpointName.of(correction.checkpoint).base for correction in corrections]
    ranked = Counter(name for name in names if name in tunable).most_common(1)
    return ranked[0][0] if ranked else ""


def _all_corrections(context: AppContext, token: object) -> tuple[Correction, ...]:
    corrections = _corrections_of(context, token)
    return () if corrections is None else corrections.all()


def _corrections_of(context: AppContext, token: object) -> CorrectionSet | None:
    """The visitor's personal set, None if there is none."""
    if context.training is None or not is_token(token):
        return None
    return context.training.corrections(str(token))
