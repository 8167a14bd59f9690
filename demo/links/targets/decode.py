"""A link to the Decode tab: its checkpoint, source and settings in the widgets, decoded at once."""

from __future__ import annotations

import gradio as gr

from demo.decode.controls.source import example_updates, opening
from demo.decode.filling import (
    WORD_LISTS,
    DecodeTab,
    all_controls,
    settings_updates,
    source_updates,
    without_words,
)
from demo.decode.tab import on_example_trace
from demo.links import DEFAULTS, Link
from demo.links.link import known_checkpoint, source_text
from demo.links.wiring import LinkAnswer, LinkTarget
from demo.work.context import AppContext

UNCHANGED = gr.skip()


def decode_target(context: AppContext, tab: DecodeTab) -> LinkTarget:
    """The widgets, and the values that a link has for each."""
    controls = tab.strategy.controls
    outputs = [*all_controls(tab), tab.trace, tab.form_checkpoint]

    def answer(link: Link) -> LinkAnswer:
        view = link.take_view()
        if not link.values:
            name = context.default_checkpoint
            example = UNCHANGED if name is None else on_example_trace(context, name)
            return LinkAnswer([*[UNCHANGED] * (len(outputs) - 2), example, UNCHANGED], view=view)
        name = known_checkpoint(context, link, "checkpoint") or context.default_checkpoint
        content = opening(context, name)
        settings = link.take_settings(content.max_length)
        for setting in settings.keys() & WORD_LISTS if name is not None else ():
            if left_out := without_words(context, str(name), setting, settings[setting]):
                link.fault(left_out)
                del settings[setting]
        defaults = DEFAULTS if link.whole else {}
        text = source_text(context, link, "text", name)
        return LinkAnswer(
            [
                *source_updates(context, name, content, content.text if text is None else text),
                *settings_updates(controls, {**defaults, "max_length": content.max_length, **settings}),
                *example_updates(content.examples),
                UNCHANGED,
                name,
            ],
            run=name is not None,
            view=view,
        )

    return LinkTarget("decode", outputs, answer, tab.checkpoint)
