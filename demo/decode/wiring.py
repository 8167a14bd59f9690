"""The wiring of what begins a run of the Decode tab, and of the button that stops it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import gradio as gr
from gradio.components import Component

from demo.decode.controls.source import SourceLine
from demo.decode.controls.strategy import StrategyCard
from demo.server.event_options import QUICK
from demo.widgets.form.picture import become_source
from demo.work.decoding.running import RunningDecodings
from demo.work.errors import guard
from demo.work.operator.allowed_settings import allowed_settings

ON_BEGIN = "() => unrolled.run(true)"
DECODE = "(...values) => { unrolled.decode(values); }"
EXAMPLE_TEXT = "(text) => text"  # a button names the whole text
NEXT_SEED = "(seed) => ((Number(seed) || 0) + 1) % COUNT"  # COUNT: the number of seeds


def on_stop(running: RunningDecodings, session: str) -> None:
    """End the visitor's decoding; the output so far is shown."""
    running.stop(session)


def wire_run(
    running: RunningDecodings,
    inputs: Sequence[Component],
    source: SourceLine,
    strategy: StrategyCard,
) -> None:
    """Connect button, examples, picture and seed with the page's script, which asks for the states of a run.

    `inputs` are what `decode_request` reads, the checkpoint first.
    """
    stop_guarded = guard(on_stop, running)

    def stop_for(request: gr.Request) -> None:
        stop_guarded(str(request.session_hash))

    def run(on: Callable[..., gr.events.Dependency]) -> None:
        on(None, inputs, None, js=DECODE, api_visibility="private")

    source.run.click(js=ON_BEGIN)
    run(source.run.click)
    source.stop.click(stop_for, None, None, **QUICK)
    for example in source.examples:
        example.click(js=ON_BEGIN)
        run(example.click(None, example, source.text, js=EXAMPLE_TEXT, api_visibility="private").success)
    source.picture.chosen(js=ON_BEGIN)
    run(become_source(source.picture, source.text).success)
    strategy.resample.click(js=ON_BEGIN)
    seed, count = strategy.controls["seed"], int(allowed_settings()["seed"].high or 0) + 1
    run(strategy.resample.click(None, seed, seed, js=NEXT_SEED.replace("COUNT", str(count))).success)
