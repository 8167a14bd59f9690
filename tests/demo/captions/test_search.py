"""Captions of a search: whether greedy search writes the same."""

from __future__ import annotations

from dataclasses import replace

import pytest

from demo.captions.search import greedy_caption
from demo.service.context import AppContext
from models.decoding.trace import BeamNode
from models.registry.registry import Registry
from tests.fakes.traces import library_trace
from tests.source_modules import ROOT


def _first_difference(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    """The step at which two outputs part."""
    return next(step for step, (a, b) in enumerate(zip(one, other, strict=False), 1) if a != b)


@pytest.mark.slow
def test_the_first_example_of_the_page_is_one_on_which_greedy_search_loses() -> None:
    from demo.requests.decode import DecodeRequest
    from demo.requests.options import decoding_options

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
    step = _first_difference(greedy.token_ids, beam.token_ids)
    assert f"step {step}:" in greedy_caption(example, example.path(example.hypotheses[0].node))


def test_an_output_of_first_choices_is_what_greedy_search_writes() -> None:
    trace = library_trace()
    path: list[BeamNode] = [node._replace(token_rank=0) for node in trace.path(trace.hypotheses[0].node)]
    same = greedy_caption(trace, path)
    second = [path[0], path[1]._replace(token_rank=1), *path[2:]]
    assert same
    assert greedy_caption(trace, second) not in {"", same}
    for settings in ({"no_repeat_ngram_size": 2}, {"min_length": 3}):
        assert greedy_caption(replace(trace, settings={**trace.settings, **settings}), path) == ""
    for strategy in ("greedy", "sampling"):
        assert greedy_caption(replace(trace, strategy=strategy), path) == ""
    assert greedy_caption(replace(trace, forced=(path[0].token_id,)), path) == ""
