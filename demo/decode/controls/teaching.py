"""“Teach this”: a correction, kept in the visitor's personal set for fine-tuning."""

from __future__ import annotations

import gradio as gr

from demo.i18n import later, say
from demo.server.events import PRIVATE
from demo.work.context import AppContext
from demo.work.errors import guard
from demo.work.operator.caps import MAX_CHARACTERS, RUNS
from demo.work.requests.checks import RequestError, check_name, check_short_text, check_text, check_visitor

READ_OUTPUT = """(visitor, name, text, correction) => {
  const shown = document.querySelector("#trace .tv-hypothesis[aria-pressed='true'] .tv-text");
  return [visitor, name, text, correction, shown?.title ?? ""];
}"""


def build_correction_card(
    context: AppContext, visitor: gr.BrowserState, name: gr.Dropdown, text: gr.Textbox
) -> None:
    """Build the card, folded away at first. The output is read off the page, as the visitor saw it."""
    with gr.Accordion("Teach this: put the output right", open=False, elem_id="teach"):
        with gr.Row(elem_classes="teach-row"):
            correction = gr.Textbox(
                label="What it should say",
                info="Kept for you alone; the Training tab fine-tunes on your corrections.",
                max_length=MAX_CHARACTERS,
                elem_id="teach-text",
                scale=4,
            )
            teach = gr.Button("Teach this", elem_id="teach-button", scale=0, min_width=120)
        message = gr.HTML(
            "",
            elem_id="teach-said",
            apply_default_css=False,
            js_on_load="element.setAttribute('role', 'status');",
        )
        output = gr.Textbox(visible=False)  # carries the text that the page reads off itself
    teach.click(
        guard(on_teach, context),
        [visitor, name, text, correction, output],
        [correction, message],
        js=READ_OUTPUT,
        **RUNS.queue,
        **PRIVATE,
    )


def on_teach(
    context: AppContext, token: object, name: object, text: object, correction: object, output: object
) -> tuple[str, str]:
    """Keep a correction; returns an empty box and their number. Raises DataError, RequestError."""
    if context.training is None:
        raise RequestError("corrections_not_kept", "This server does not train, so it keeps no corrections.")
    check_visitor(token)
    check_name(name)
    if context.config(str(name)).reads_pictures:
        raise RequestError(
            "corrections_need_texts", "Only texts can be corrected, and this checkpoint reads pictures."
        )
    check_text(text)
    check_short_text(later("correction"), correction, MAX_CHARACTERS)
    if not str(correction).strip():
        raise RequestError("correction_missing", "First write what the output should be.")
    corrections = context.training.corrections(str(token))
    corrections.add(str(text), str(correction), str(output)[:MAX_CHARACTERS], str(name))
    count = len(corrections.all())
    if count == 1:
        return "", say("1 correction kept. Fine-tune on it in the Training tab, under “My corrections”.")
    return "", say(
        "{count} corrections kept. Fine-tune on them in the Training tab, under “My corrections”.",
        count=count,
    )
