"""The result in one line: the task, the output, and what greedy search would write."""

from __future__ import annotations

from dataclasses import replace

import pytest

from demo.i18n import in_language
from demo.widgets.captions.output import result_captions
from demo.work.context import AppContext
from models.decoding.record.untrusted import read_untrusted
from models.decoding.trace import AttentionOverride, GreedyOutput
from models.registry.registry import Registry
from tests.fakes.traces import library_trace
from tests.source_modules import ROOT


def test_the_line_says_what_the_checkpoint_does_its_output_and_that_of_greedy_search() -> None:
    trace = replace(library_trace(), task="translation", languages=("es", "en"))
    best, second = trace.hypotheses
    other = f"Greedy search would write: “{second.text}” The two part at step 1."
    assert result_captions(trace) == [
        f"Spanish → English: “{best.text}” {other}",
        f"Spanish → English, hypothesis 2 of 2: “{second.text}” Greedy search writes the same.",
    ]
    lost = replace(trace, greedy=GreedyOutput("a river", (1, 2)))
    assert read_untrusted(lost.to_json()) == lost
    assert all("would write: “a river” The two part at step" in line for line in result_captions(lost))
    with in_language("es"):
        assert result_captions(trace)[0].startswith(f"Español → Inglés: «{best.text}»")


def test_the_line_says_that_an_output_is_a_sample_and_that_greedy_search_has_the_same_edits() -> None:
    trace = replace(library_trace(), task="translation", languages=("es", "en"))
    best, second = trace.hypotheses
    drawn = result_captions(replace(trace, strategy="sampling"))
    assert drawn[0].startswith(f"Spanish → English, sample 1 of 2: “{best.text}” Greedy search would write:")
    assert drawn[1].startswith(f"Spanish → English, sample 2 of 2: “{second.text}” Greedy")
    of_unknown_task = replace(trace, strategy="sampling", task="", languages=())
    assert result_captions(of_unknown_task)[0].startswith("Sample 1 of 2: ")
    forced = replace(trace, forced=best.token_ids[:1], greedy=GreedyOutput(best.text, best.token_ids))
    weights = AttentionOverride(0, (1.0, 0.0))
    for edited in (forced, replace(forced, forced=(), overrides=(weights,))):
        assert result_captions(edited)[0].endswith("” With the same edits: Greedy search writes the same.")
    assert "edits" not in result_captions(replace(forced, opening=1))[0]


def test_the_line_leaves_out_what_the_trace_does_not_know() -> None:
    trace = library_trace()
    best = trace.hypotheses[0]
    nodes = trace.path(trace.hypotheses[1].node)
    steps = [
        replace(
            step, nodes=tuple(node._replace(token_rank=1) if node in nodes else node for node in step.nodes)
        )
        for step in trace
    ]
    assert result_captions(replace(trace, steps=tuple(steps)))[0] == f"“{best.text}”"
    assert result_captions(replace(trace, strategy="greedy"))[0] == f"“{best.text}”"
    constrained = replace(trace, settings={**trace.settings, "min_length": 3}, task="image captioning")
    assert result_captions(constrained)[0] == f"Image captioning: “{best.text}”"
    empty = replace(trace, hypotheses=(replace(best, text=""),), strategy="greedy")
    assert result_captions(empty) == ["(empty)"]


@pytest.mark.slow
def test_the_first_example_of_the_page_is_one_on_which_greedy_search_loses() -> None:
    from demo.work.requests.decode import DecodeRequest, decoding_options

    context = AppContext(Registry(ROOT / "checkpoints"), "cpu")
    name = context.default_checkpoint
    assert name is not None
    config, example = context.config(name), context.registry.example(name)
    assert example is not None
    requests = ({"strategy": "greedy"}, {"strategy": "beam", "beam_size": 4})
    requests = (
        DecodeRequest(name, config.examples[0], decoding_options(item, config.max_length))
        for item in requests
    )
    greedy, beam = (context.decode(request).hypotheses[0] for request in requests)
    assert beam.text == example.hypotheses[0].text
    assert greedy.text != beam.text
    assert beam.log_prob > greedy.log_prob + 1
    (line, *_) = result_captions(example)
    other = f"Greedy search would write: “{greedy.text}” The two part at step 1."
    assert line == f"Spanish → English: “{beam.text}” {other}"
