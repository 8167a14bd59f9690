"""The gradient through time, as the page shows it."""

from __future__ import annotations

from typing import Any

import pytest

from demo.work.context import AppContext
from models.decoding.trace import DecodingTrace
from models.inspection.question import ExplainedPrediction, Question
from models.inspection.recurrence import ThroughTime, through_time
from tests.demo.inspect.view_requests import ask, decoded
from tests.messages import says

STEP = 3


def norms_of(context: AppContext, name: str, trace: DecodingTrace, step: int = STEP) -> ThroughTime:
    """The library's norms for the same token."""
    checkpoint = context.checkpoint(name)
    tokenizer = checkpoint.tokenizer
    ids = [node.token_id for node in trace.path(trace.hypotheses[0].node)]
    source = tokenizer.encode(trace.source_text).ids
    return through_time(
        ExplainedPrediction(checkpoint.model, Question(source, (tokenizer.bos_id, *ids[:step]), ids[step]))
    )


def lines(answer: dict[str, Any]) -> dict[str, list[float]]:
    """The values of each line by its name, source before output."""
    result: dict[str, list[float]] = {}
    for line in answer["charts"][0]["data"]:
        result.setdefault(line["name"], []).extend(line["y"])
    return result


@pytest.mark.parametrize(("network", "state"), [("spa-eng-gru", "h"), ("spa-eng-lstm", "c")])
def test_the_lines_are_the_norms(context: AppContext, network: str, state: str) -> None:
    trace = decoded(context, network)
    norms = norms_of(context, network, trace)
    answer = ask(context, "gradient", trace, STEP, state=state)
    forward, *backward = norms.source[0]
    drawn = lines(answer)
    assert drawn[network] == pytest.approx([*forward[state], *norms.output[0][state]], rel=1e-3)
    assert (f"{network}, read from the end" in drawn) == bool(backward)
    assert answer["charts"][0]["layout"]["yaxis"]["type"] == "log"
    (last,) = (line for line in answer["charts"][0]["data"][1:2])
    assert last["customdata"] == [["step", step] for step in range(STEP + 1)]


def test_the_sentence_has_the_factor_from_the_last_to_the_first_step(context: AppContext) -> None:
    trace = decoded(context, "reverse-rnn", "abcdefgh")
    for step in (0, 7):
        norms = norms_of(context, "reverse-rnn", trace, step)
        last, first = norms.output[0]["h"][-1], norms.source[0][0]["h"][0]
        sentence = ask(context, "gradient", trace, step)["sentences"][0]
        word = "shrinks" if last >= first else "grows"
        factor = max(last / first, first / last)
        assert f"{word} by a factor of {factor:.2g}" in sentence
        assert (
            f"Back through {len(norms.output[0]['h']) + len(norms.source[0][0]['h']) - 1} steps" in sentence
        )


def test_norms_above_the_threshold_are_clipped(context: AppContext) -> None:
    trace = decoded(context, "reverse-lstm", "abcdefgh")
    result = norms_of(context, "reverse-lstm", trace)
    norms = [*result.source[0][0]["h"], *result.output[0]["h"]]
    answer = ask(context, "gradient", trace, STEP, theta=0)
    assert lines(answer)["clipped at θ"] == pytest.approx([min(norm, 1) for norm in norms], rel=1e-3)
    assert f"θ = 1 would cut {sum(norm > 1 for norm in norms)} of {len(norms)}" in answer["sentences"][1]
    assert answer["charts"][0]["layout"]["shapes"][-1]["y0"] == 1
    wide = ask(context, "gradient", trace, STEP, theta=2)
    assert lines(wide)["clipped at θ"] == lines(wide)["reverse-lstm"]


def test_networks_of_the_same_task_stand_side_by_side(context: AppContext) -> None:
    trace = decoded(context, "reverse-rnn", "abcdefgh")
    alone = ask(context, "gradient", trace, STEP)
    assert len(alone["table"]["rows"]) == 1
    answer = ask(context, "gradient", trace, STEP, beside="all")
    names = [row[0] for row in answer["table"]["rows"]]
    assert names == ["reverse-rnn", "reverse-gru", "reverse-lstm"]
    for name in names:  # they share an alphabet, so the token is the same for each
        norms = norms_of(context, name, trace)
        expected = [*norms.source[0][0]["h"], *norms.output[0]["h"]]
        assert lines(answer)[name] == pytest.approx(expected, rel=1e-3)
    (one,) = ask(context, "gradient", trace, STEP, beside="reverse-lstm")["table"]["rows"][1:]
    assert one[0] == "reverse-lstm"


@pytest.mark.slow
def test_recurrent_networks_with_other_tokenizers_are_offered_for_comparison(context: AppContext) -> None:
    """Transformers, which have no such gradient, are not offered."""
    trace = decoded(context, "spa-eng-gru")
    answer = ask(context, "gradient", trace, STEP, beside="all")
    offered = next(control for control in answer["controls"] if control["name"] == "beside")["options"]
    assert [name for name, _ in offered] == ["alone", "all", "spa-eng-gru-context", "spa-eng-lstm"]
    assert len(answer["table"]["rows"]) == 3


def test_a_captioner_has_a_gradient_through_its_output(context: AppContext) -> None:
    answer = ask(context, "gradient", decoded(context, "shapes-captioner"), 2)
    assert len(lines(answer)["shapes-captioner"]) == 3


@pytest.mark.slow
def test_the_gradient_through_time_refuses_networks_without_a_state(context: AppContext) -> None:
    assert says(
        ask(context, "gradient", decoded(context, "eng-spa-transformer"), 0)["refused"], "not_recurrent"
    )
    rounded = ask(context, "gradient", decoded(context, "spa-eng-gru@int8"), 0)["refused"]
    assert says(rounded, "no_gradients")
