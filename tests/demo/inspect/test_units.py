"""Units over time, as the page shows them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from demo.inspect.inspection import content_of
from demo.inspect.requests import InspectRequest
from demo.work.context import AppContext
from demo.work.requests.decode import DecodeRequest
from models.decoding.options import DecodingOptions
from models.decoding.trace import DecodingTrace
from models.inspection.units import (
    OPEN,
    UnitsOverTime,
    correlation,
    positions,
    saturation,
    units_over_time,
    value_runs,
)
from tests.demo.inspect.view_requests import ask, decoded, question
from tests.messages import says

GRU, LSTM = "spa-eng-gru", "spa-eng-lstm"
GREEDY = DecodingOptions(strategy="greedy")


def units_of(context: AppContext, trace: DecodingTrace) -> UnitsOverTime:
    """The library's units for the best output."""
    checkpoint = context.checkpoint(trace.checkpoint)
    tokenizer = checkpoint.tokenizer
    source = tokenizer.encode(trace.source_text).ids
    output = [node.token_id for node in trace.path(trace.hypotheses[0].node)]
    (units,) = units_over_time(
        checkpoint.model, [source], [output], bos_id=tokenizer.bos_id, pad_id=tokenizer.pad_id
    )
    return units


def view_facts(context: AppContext, trace: DecodingTrace, **options: Any) -> dict[str, Any]:
    """The facts of the view, which it answers beside its sentences."""
    content, _ = content_of(context, InspectRequest.parse(question("units", trace, 0, options=options)))
    return dict(content.facts)


def heatmap(answer: dict[str, Any]) -> dict[str, Any]:
    result: dict[str, Any] = answer["charts"][0]["data"][0]
    return result


def numbers(answer: dict[str, Any]) -> list[int]:
    """Numbers of the units in the heatmap, from the top."""
    return [row[0][2] for row in heatmap(answer)["customdata"]]


@pytest.mark.parametrize(("network", "quantity"), [(GRU, "update gate"), (LSTM, "c"), ("reverse-rnn", "h")])
def test_a_row_is_one_unit_in_source_and_output(context: AppContext, network: str, quantity: str) -> None:
    trace = decoded(context, network)
    units = units_of(context, trace)
    answer = ask(context, "units", trace, 1, quantity=quantity, rows=16)
    assert len(numbers(answer)) == 16
    for number, row in zip(numbers(answer), heatmap(answer)["z"], strict=True):
        expected = [
            value
            for layer in (units.source[0], units.output[0])
            for value in layer.values[quantity][:, number - 1]
        ]
        assert row == pytest.approx(expected, abs=1e-3)
    line, frame = answer["charts"][0]["layout"]["shapes"]
    edge = len(units.source[0].values["h"]) - 0.5
    assert line["x0"] == line["x1"] == edge
    assert (frame["x0"], frame["x1"]) == (edge + 1, edge + 2)


def test_one_unit_is_shown_alone_with_all_its_gates(context: AppContext) -> None:
    trace = decoded(context, LSTM)
    units = units_of(context, trace)
    answer = ask(context, "units", trace, 0, unit=7)
    titles = [line["name"] for line in answer["charts"][1]["data"]]
    assert list(dict.fromkeys(titles)) == ["h", "c", "forget gate", "input gate", "output gate"]
    assert 7 in numbers(answer)
    head, rows = answer["table"]["head"], answer["table"]["rows"]
    column = [row[head.index("forget gate")] for row in rows]
    assert column == pytest.approx(units.output[0].values["forget gate"][:, 6], abs=1e-6)


def test_units_are_sorted_by_the_chosen_property(context: AppContext) -> None:
    trace = decoded(context, GRU)
    units = units_of(context, trace)
    shares, _ = saturation(units.output[0].values["reset gate"])
    answer = ask(context, "units", trace, 0, quantity="reset gate", sort="shut")
    shown_shares = [shares[number - 1] for number in numbers(answer)]
    assert shown_shares == sorted(shares, reverse=True)[: len(shown_shares)]
    assert answer["sentences"][0].startswith(f"Unit {numbers(answer)[0]} has its gate shut")
    changing = np.ptp(units.source[0].values["h"], axis=0)
    answer = ask(context, "units", trace, 0, sort="spread", side="source")
    assert numbers(answer)[0] == int(changing.argmax()) + 1
    assert numbers(ask(context, "units", trace, 0, sort="number")) == list(range(1, 25))


@pytest.mark.slow
def test_position_is_measured_over_several_texts(context: AppContext) -> None:
    """The text on show is one of the examples of the checkpoint."""
    trace = decoded(context, GRU)
    answer = ask(context, "units", trace, 0, sort="position", side="source")
    texts = [decoded(context, GRU, text) for text in context.config(GRU).examples]
    values = [units_of(context, text).source[0].values["h"] for text in texts]
    result = correlation(np.concatenate(values), positions([len(value) for value in values]))
    assert numbers(answer)[0] == int(np.abs(result).argmax()) + 1
    steps = sum(map(len, values))
    assert f"over {steps} steps of {len(texts)} texts" in answer["sentences"][0]
    assert "shuffled" in answer["sentences"][0]


def test_a_link_to_the_search_for_a_pattern_shows_the_units(context: AppContext) -> None:
    trace = decoded(context, GRU)
    assert ask(context, "units", trace, 0, do="search", above=1) == ask(context, "units", trace, 0)


@pytest.mark.slow
@pytest.mark.parametrize("network", [GRU, LSTM])
def test_a_clamped_unit_is_shown_beside_the_free_one(context: AppContext, network: str) -> None:
    trace = decoded(context, network)
    greedy = context.decode(DecodeRequest(network, trace.source_text, GREEDY)).hypotheses[0].text
    sentences = {}
    for unit in (1, 3):
        answer = ask(context, "units", trace, 0, do="hold", unit=unit, value=1, since=1)
        (_, current), (_, free), (_, other) = answer["table"]["rows"]
        assert current == trace.hypotheses[0].text
        assert free == greedy
        assert ("does not change the output" in answer["sentences"][0]) == (other == free)
        sentences[unit] = answer["sentences"][0]
    assert sentences[1] != sentences[3]
    total = f"{trace.hypotheses[0].log_prob:.2f}".replace("-", "−")
    assert f"{total} without" in sentences[1]
    assert ("of its c before" in sentences[1]) == (network == LSTM)


def test_a_captioner_has_units_in_its_decoder(context: AppContext) -> None:
    answer = ask(context, "units", decoded(context, "shapes-captioner"), 0)
    assert {control["name"] for control in answer["controls"]}.isdisjoint({"side"})
    assert not any("encoder" in sentence for sentence in answer["sentences"])


def test_the_view_of_units_refuses_a_network_without_a_state(context: AppContext) -> None:
    answer = ask(context, "units", decoded(context, "spa-eng-transformer"), 0)
    assert says(answer["refused"], "not_recurrent")


def test_retention_matches_a_count_by_hand() -> None:
    gate = np.array([[0.95, 0.95, 0.2], [0.92, 0.5, 0.95], [0.99, 0.95, 0.95], [0.1, 0.95, 0.95]])
    forward = value_runs(gate, [False] * 3)
    assert [(item.unit, item.first, item.last, item.steps) for item in forward] == [
        (2, 1, 3, 3),
        (0, 1, 2, 2),
        (1, 2, 3, 2),
    ]
    assert forward[0].retained == pytest.approx(0.95**3)
    backward = {item.unit: (item.first, item.last) for item in value_runs(gate, [True] * 3)}
    assert backward == {0: (2, 0), 1: (2, 2), 2: (2, 1)}


@pytest.mark.parametrize("side", ["output", "source"])
@pytest.mark.parametrize(
    ("network", "gate"), [(GRU, "update gate"), (LSTM, "forget gate"), ("history-gru", "update gate")]
)
def test_a_unit_described_as_retaining_its_content_does_so(
    context: AppContext, network: str, gate: str, side: str
) -> None:
    """A sentence is about the gate of the chosen unit, or of the unit that retains longest."""
    trace = decoded(context, network)
    layer = (units_of(context, trace).source if side == "source" else units_of(context, trace).output)[0]
    values = layer.values[gate]
    for unit in (1, 5, 9):
        facts = view_facts(context, trace, side=side, unit=unit)
        steps = int(facts.get("carrying_steps", 0))
        if not steps:
            continue
        of_text = values[:, int(facts["carrying_unit"]) - 1]
        runs = [of_text[index : index + steps] for index in range(len(of_text) - steps + 1)]
        assert any(run.min() > OPEN and run.prod() == pytest.approx(facts["carrying_kept"]) for run in runs)
        assert facts["carrying_kept"] >= 0.5
        assert steps >= 3


def test_a_cell_without_gates_is_not_described_as_retaining_its_content(context: AppContext) -> None:
    facts = view_facts(context, decoded(context, "reverse-rnn"))
    assert not any(name.startswith("carrying") for name in facts)
