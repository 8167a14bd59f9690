"""A link to the Decode tab: its checkpoint, source and settings in the widgets, decoded at once."""

from __future__ import annotations

from typing import Any

import gradio as gr
from gradio.components import Component

from demo.controls.choices import own_checkpoints, picker_updates
from demo.controls.picture import picture_choice
from demo.controls.source import Opening, example_updates, opening, tokens_of
from demo.controls.strategy import StrategyControls
from demo.i18n import tell
from demo.links import DEFAULTS, Link
from demo.links.sources import known_checkpoint, source_text
from demo.links.wiring import Answer, Target
from demo.requests.checks import RequestError, check_text
from demo.service.context import AppContext
from demo.tabs.decode import DecodeTab, on_example_trace
from models.registry.card import CheckpointError
from models.registry.name import CheckpointName

NOTHING = gr.skip()


def decode_target(context: AppContext, tab: DecodeTab) -> Target:
    """The widgets, and what a link says of each."""
    controls = tab.strategy.controls
    outputs = [*all_controls(tab), tab.trace, tab.linked]

    def answer(link: Link | None) -> Answer:
        view = {} if link is None else link.view()
        if link is None or not link.values:
            return Answer([*[NOTHING] * (len(outputs) - 2), _example(context), NOTHING], view=view)
        name = known_checkpoint(context, link, "checkpoint") or context.default_checkpoint
        shown = opening(context, name)
        settings = link.settings(shown.max_length)
        left = DEFAULTS if link.whole else {}
        text = source_text(context, link, "text", name)
        return Answer(
            [
                *source_updates(context, name, shown, shown.text if text is None else text),
                *settings_updates(controls, {**left, "max_length": shown.max_length, **settings}),
                *example_updates(shown.examples),
                NOTHING,
                name,
            ],
            run=name is not None,
            view=view,
        )

    return Target("decode", outputs, answer)


def all_controls(tab: DecodeTab) -> list[Component]:
    """What a decoding is asked by, in the order of `source_updates`, `settings_updates` and the examples."""
    source = tab.source
    return [
        *(tab.checkpoint, source.text, source.picture, source.tokens),
        *tab.strategy.controls.in_order(),
        *source.examples,
    ]


def _example(context: AppContext) -> Any:
    name = context.default_checkpoint
    return NOTHING if name is None else on_example_trace(context, name)


def source_updates(context: AppContext, name: str | None, shown: Opening, text: str) -> list[Any]:
    """Checkpoint, text, picture and tokens."""
    if name is None:
        return [NOTHING, text, NOTHING, NOTHING]
    # A variant is in no list before it is chosen; where visitors train, their own checkpoints join later.
    listed = context.training is not None and not CheckpointName.of(name).variant
    (choices,) = ({},) if listed else picker_updates(context, own_checkpoints(context, None), (name,), 1)
    picture, tokens = shown.picture, shown.tokens
    if picture is not None:
        picture = picture_choice(context.config(name), text)
    try:
        check_text(text)
        tokens = tokens_of(context.tokenizer(name), text)
    except (RequestError, CheckpointError) as error:
        tokens = tell(error)
    return [{**gr.update(value=name), **choices}, text, picture, tokens]


def settings_updates(controls: StrategyControls, values: dict[str, Any]) -> list[Any]:
    """An update for each widget; one whose maximum is another setting reaches to it."""
    return [
        _update(widget, values[name]) if name in values else NOTHING
        for name, widget in controls.widgets.items()
    ]


def _update(widget: Any, value: Any) -> Any:
    if not isinstance(widget, gr.Slider):
        return gr.update(value=value)
    return gr.update(value=value, minimum=widget.minimum, maximum=max(widget.maximum, value))
