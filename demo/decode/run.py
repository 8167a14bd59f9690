"""A run of the Decode tab: answered at once, or through Gradio's queue if it takes time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing

import gradio as gr
from gradio.components import Component

from demo.decode.controls.source import SourceLine
from demo.decode.controls.strategy import StrategyCard
from demo.server.gate.rates import wait_message
from demo.server.queues import QUICK, RAW_DECODING
from demo.trace.component import TraceView
from demo.widgets.captions.length import length_note
from demo.widgets.form.picture import become_source
from demo.work.context import AppContext
from demo.work.decoding.running import RunningDecodings, in_steps, start
from demo.work.errors import form_sentence, guard, safe_text
from demo.work.operator.allowed_settings import allowed_settings
from demo.work.requests.decode import RequestError, decode_request
from demo.work.turns import QueueFullError
from models.decoding.trace import DecodingTrace

# Calls that report a run to page.js; a failed one leaves no progress behind.
ON_BEGIN, ON_END = "() => unrolled.run(true)", "() => unrolled.run(false)"
ON_FAILURE = "() => { unrolled.run(false, true); return ''; }"
DECODE = "(...values) => { unrolled.decode(values); }"
EXAMPLE_TEXT = "(text) => text"  # a button names the whole text
NEXT_SEED = "(seed) => ((Number(seed) || 0) + 1) % COUNT"  # COUNT: the number of seeds


def on_run(
    context: AppContext, running: RunningDecodings, session: str, *values: object
) -> Iterator[tuple[object, object]]:
    """Decode with the values of the widgets: progress while it takes long, then the trace.

    Leaves the trace as it is if the visitor has requested something else meanwhile.
    """
    if message := wait_message():
        yield gr.skip(), message
        return
    request = decode_request(*values)
    under_way = running.take(session, request) or start(context, request, running.begin(session))
    watch = under_way.watch
    try:
        with closing(in_steps(under_way)) as answers:
            for answer in answers:
                if watch.superseded:
                    yield gr.skip(), "" if watch.visitor_left else gr.skip()
                elif isinstance(answer, str):
                    yield gr.skip(), answer
                else:
                    yield answer, note_on(context, answer)
    except RequestError as error:
        if not (watch.cancelled.is_set() or isinstance(error, QueueFullError)):
            raise
        # A stopped decoding is not a failure: a sentence replaces the progress.
        problem = gr.skip() if watch.superseded else safe_text(form_sentence(error))
        yield gr.skip(), "" if watch.visitor_left else problem
    finally:
        running.end(session, watch)


def note_on(context: AppContext, trace: DecodingTrace) -> str:
    """A note on a result, as HTML; empty if there is none."""
    return safe_text(length_note(len(trace.source), context.config(trace.checkpoint).usual_length))


def on_stop(running: RunningDecodings, session: str) -> None:
    """End the visitor's decoding; the output so far is shown."""
    running.stop(session)


def wire_run(
    context: AppContext,
    running: RunningDecodings,
    inputs: Sequence[Component],
    source: SourceLine,
    strategy: StrategyCard,
    trace: TraceView,
) -> None:
    """Connect button, examples, picture and seed: answered at once, or through the queue.

    `inputs` are what `decode_request` reads, the checkpoint first.
    """
    run_guarded, stop_guarded = guard(on_run, context, running), guard(on_stop, running)

    def run_for(request: gr.Request, *values: object) -> Iterator[tuple[object, object]]:
        yield from run_guarded(str(request.session_hash), *values)

    run_for.wait_message = True  # type: ignore[attr-defined]

    def stop_for(request: gr.Request) -> None:
        stop_guarded(str(request.session_hash))

    queued = trace.queued(run_for, inputs, [trace, source.progress], **RAW_DECODING)
    queued.success(js=ON_END)
    queued.failure(js=ON_FAILURE, outputs=source.progress)

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
