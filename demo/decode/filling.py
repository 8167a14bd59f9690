"""Fills in the form of the Decode tab for a checkpoint, a link or an earlier result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import gradio as gr
from gradio.components import Component

from demo.decode.controls.source import Opening, SourceLine, example_updates, opening, tokens_of
from demo.decode.controls.strategy import StrategyCard
from demo.decode.earlier_results.component import ResultsMenu
from demo.i18n import message_text, quoted, say
from demo.i18n.display import language_name
from demo.server.events import fill_in
from demo.server.gradio_compat import event_data
from demo.trace.component import TraceView
from demo.widgets.form.choices import fits, own_checkpoints, picker_updates, readable_config
from demo.widgets.picture_input.component import picture_choice
from demo.work.context import AppContext
from demo.work.errors import form_sentence, guard
from demo.work.operator.caps import allowed_settings
from demo.work.requests.checks import RequestError, check_name, check_result, check_text
from demo.work.requests.decode import DecodeRequest, decoding_options
from models.decoding.limits import DecodingError
from models.registry.card import CheckpointError
from models.registry.name import CheckpointName, UnknownCheckpointError

UNCHANGED = gr.skip()
WORD_LISTS = ("banned", "must_contain")  # settings that only a checkpoint with these words can obey


@dataclass(frozen=True)
class DecodeTab:
    """The widgets that other tabs or a link may fill in."""

    checkpoint: gr.Dropdown
    source: SourceLine
    strategy: StrategyCard
    trace: TraceView
    results: ResultsMenu
    form_checkpoint: gr.Textbox


def all_controls(tab: DecodeTab) -> list[Component]:
    """All controls of a decoding, in the order of `source_updates`, `settings_updates` and the examples."""
    source = tab.source
    return [
        *(tab.checkpoint, source.text, source.picture, source.tokens),
        *tab.strategy.controls.values(),
        *source.examples,
    ]


def chosen_outputs(tab: DecodeTab) -> list[Component]:
    """The controls that `on_checkpoint` fills in, before its message to the results."""
    source = tab.source
    controls = tab.strategy.controls
    word_lists = [controls[name] for name in WORD_LISTS]
    return [source.text, source.picture, source.tokens, controls["max_length"], *source.examples, *word_lists]


def on_checkpoint(
    context: AppContext, name: object, before: object, text: object, max_length: object, *word_lists: object
) -> tuple[Any, ...]:
    """Fill in the form for the chosen checkpoint, and give the page's script its next steps.

    The reader's text, length and WORD_LISTS stay where they fit. Where they do not, the first example takes
    the place of the text, a message says so, and the script keeps the text among the results. `before` is the
    checkpoint that the form was filled in for. Raises RequestError, UnknownCheckpointError.
    """
    check_name(name)
    content = opening(context, str(name))
    keeps = not content.text or (bool(text) and fits(context, name, before, str(text)))
    source = str(text) if keeps else content.text
    answer = {"checkpoint": name, "run": bool(source.strip()), "kept": None, "notice": ""}
    if not keeps and text and text not in _examples(context, before):
        answer["kept"] = {"checkpoint": before, "label": context.label(str(before)), "text": text}
        answer["notice"] = replacement_sentence(context, str(name))  # a toast needs the queue
    length = UNCHANGED if _is_set_by_hand(context, before, max_length) else content.max_length
    return (
        *source_updates(context, str(name), content, source)[1:],
        length,
        *example_updates(content.examples),
        *(_words_update(context, str(name), *item) for item in zip(WORD_LISTS, word_lists, strict=False)),
        answer,
    )


def unchanged_outputs(tab: DecodeTab) -> tuple[Any, ...]:
    """The outputs of `on_checkpoint` where a link or a result has filled in the form."""
    return *[UNCHANGED] * len(chosen_outputs(tab)), {"checkpoint": None, "run": False, "kept": None}


def _words_update(context: AppContext, name: str, setting: str, words: object) -> dict[str, Any]:
    """Empty a field of words that the checkpoint cannot obey; a sentence in its help then has them."""
    item = allowed_settings()[setting]
    left_out = "" if item.problem(words) else without_words(context, name, setting, words)
    return gr.update(value="", info=left_out) if left_out else gr.update(info=say(item.help))


def without_words(context: AppContext, name: str, setting: str, words: object) -> str:
    """A sentence that leaves out words of WORD_LISTS, if the checkpoint cannot obey them; "" if it can."""
    if not words:
        return ""
    from models.decoding.interventions import banned_ids, required_phrases  # loads torch

    try:
        {"banned": banned_ids, "must_contain": required_phrases}[setting](context.tokenizer(name), str(words))
    except (DecodingError, CheckpointError):
        label = context.label(name)
        return say("{name} cannot use {words}, so it was left out.", name=label, words=quoted(str(words)))
    return ""


def replacement_sentence(context: AppContext, name: str) -> str:
    """A sentence about the reason why the reader's text was replaced, and about the place where it is now."""
    config = context.config(name)
    if config.source_language:
        return say(
            "{name} reads {language}, so an example of its own is shown. Your text is kept under Results.",
            name=context.label(name),
            language=language_name(config.source_language),
        )
    return say(
        "{name} reads another kind of source, so an example of its own is shown. "
        "Your text is kept under Results.",
        name=context.label(name),
    )


def _is_set_by_hand(context: AppContext, name: object, max_length: object) -> bool:
    return readable_config(context, name) is not None and max_length != opening(context, str(name)).max_length


def _examples(context: AppContext, name: object) -> tuple[str, ...]:
    config = readable_config(context, name)
    return config.examples if config is not None else ()


def source_updates(context: AppContext, name: str | None, content: Opening, text: str) -> list[Any]:
    """Checkpoint, text, picture and tokens."""
    if name is None:
        return [UNCHANGED, text, UNCHANGED, UNCHANGED]
    # A variant is in no list before it is chosen; where visitors train, their own checkpoints join later.
    is_listed = context.training is not None and not CheckpointName.of(name).variant
    (choices,) = ({},) if is_listed else picker_updates(context, own_checkpoints(context, None), (name,), 1)
    picture, tokens = content.picture, content.tokens
    if picture is not None:
        picture = picture_choice(context.config(name), text)
    try:
        check_text(text)
        tokens = tokens_of(context.tokenizer(name), text)
    except (RequestError, CheckpointError) as error:
        tokens = message_text(error)
    return [{**gr.update(value=name), **choices}, text, picture, tokens]


def settings_updates(controls: Mapping[str, Any], values: Mapping[str, Any]) -> list[Any]:
    """Return an update for each widget. The maximum of a slider is raised if the new value lies above it."""
    return [
        _update(widget, values[name]) if name in values else UNCHANGED for name, widget in controls.items()
    ]


def _update(widget: Any, value: Any) -> Any:
    if not isinstance(widget, gr.Slider):
        return gr.update(value=value)
    return gr.update(value=value, minimum=widget.minimum, maximum=max(widget.maximum, value))


def on_reopen(context: AppContext, tab: DecodeTab, data: object) -> list[Any]:
    """Updates of the controls, the checkpoint that fills them, and data for the page's script.

    A result may come from elsewhere, or its checkpoint may have been removed: then the controls stay. Raises
    RequestError.
    """
    result = check_result(data)
    run = result.get("run") is True
    try:
        return [*_filled_in(context, tab, result), {"run": run, "notice": ""}]
    except (RequestError, UnknownCheckpointError, CheckpointError) as error:
        if run and isinstance(error, RequestError):
            raise
        notice = say("The controls stay as they are: {reason}", reason=form_sentence(error))
        return [*[gr.skip()] * (len(all_controls(tab)) + 1), {"run": False, "notice": notice}]


def _filled_in(context: AppContext, tab: DecodeTab, data: Mapping[str, Any]) -> list[Any]:
    settings = data.get("settings")
    if data.get("checkpoint") == "":  # a trace that a program made
        raise RequestError("trace_without_checkpoint", "It does not say which checkpoint made it.")
    request = DecodeRequest(data.get("checkpoint", ""), data.get("text", ""), decoding_options(settings))
    context.check_fits(request.checkpoint, request.text)
    content = opening(context, request.checkpoint)
    values = {name: getattr(request.settings, name) for name in settings or ()}
    return [
        *source_updates(context, request.checkpoint, content, request.text),
        *settings_updates(tab.strategy.controls, values),
        *example_updates(content.examples),
        request.checkpoint,
    ]


def wire_reopening(context: AppContext, tab: DecodeTab) -> None:
    """Fill in the controls for the page's script."""
    handler = guard(on_reopen, context, tab)

    def reopen(event: gr.EventData) -> Any:
        return handler(event_data(event))

    outputs = [*all_controls(tab), tab.form_checkpoint]
    filled = fill_in(
        tab.results.reopen, reopen, [], outputs, must_be_unchanged=tab.checkpoint, messages=[tab.results]
    )
    filled.done.success(None, tab.results, None, js=tab.results.filled, api_visibility="private")
    filled.answered.failure(js=tab.results.filled, api_visibility="private")
