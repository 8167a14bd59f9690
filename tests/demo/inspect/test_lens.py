"""The view of predictions from early layers."""

from __future__ import annotations

from math import exp

from demo.work.context import AppContext
from demo.work.requests.decode import DecodeRequest
from models.decoding.options import DecodingOptions
from tests.demo.inspect.view_requests import ask, decoded
from tests.messages import says

TRANSFORMER = "spa-eng-transformer"


def test_the_last_row_is_what_the_search_recorded(context: AppContext) -> None:
    trace = decoded(context, TRANSFORMER)
    path = trace.path(trace.hypotheses[0].node)
    (chart,) = ask(context, "lens", trace, 3)["charts"]
    assert chart["data"][0]["z"][-1] == [round(exp(node.log_prob), 4) for node in path]
    assert chart["data"][0]["customdata"][0] == [["step", step] for step in range(len(path))]
    (frame,) = chart["layout"]["shapes"]
    assert (frame["x0"], frame["x1"]) == (2.5, 3.5)


def test_the_lens_of_the_whole_encoder_gives_the_greedy_output(context: AppContext) -> None:
    trace = decoded(context, TRANSFORMER)
    answer = ask(context, "lens", trace, 0, side="encoder")
    greedy = context.decode(DecodeRequest(TRANSFORMER, trace.source_text, DecodingOptions(strategy="greedy")))
    assert answer["table"]["rows"][-1] == ["whole network", greedy.hypotheses[0].text]
    assert len(answer["table"]["rows"]) == len(answer["charts"][0]["data"][0]["z"])


def test_the_lens_refuses_a_network_without_layers_to_read_out(context: AppContext) -> None:
    for network in ("spa-eng-gru", "shapes-captioner"):
        answer = ask(context, "lens", decoded(context, network), 0)
        assert set(answer) == {"refused", "table"}
        assert says(answer["refused"], "no_decoder_layers")
