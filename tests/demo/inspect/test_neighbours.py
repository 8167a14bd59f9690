"""The nearest states, as the page shows them."""

from __future__ import annotations

import random
from math import exp
from pathlib import Path

import pytest

from demo.work.context import AppContext
from models.corpus.generated.all_tasks import generate
from models.inspection.neighbours.store import folder_of, store_states
from tests.demo.inspect.view_requests import ask, decoded

GRU, REVERSE = "spa-eng-gru", "reverse-gru"


def test_near_states_of_a_task_that_is_known_write_the_same_letter(context: AppContext) -> None:
    trace = decoded(context, REVERSE, "abcdefgh")
    node = trace.path(trace.hypotheses[0].node)[2]
    answer = ask(context, "neighbours", trace, 2)
    finding, weight, searched, trust = answer["sentences"]
    assert weight.endswith(" equal ones.")
    assert finding.startswith(
        "10 of the 10 nearest states wrote “f” too. The nearer a state, the more its vote counts: "
        "together they give it 100%, the network "
    )
    assert "sentences that" not in searched
    assert "random examples of this task" in searched
    assert "Khandelwal" in trust
    assert len(answer["table"]["rows"]) == 10
    distances = [row[0] for row in answer["table"]["rows"]]
    assert distances == sorted(distances)
    for _, token, marked, source in answer["table"]["rows"]:
        assert token == "f"
        assert "⟦f⟧" in marked
        assert "f" in source
    (chart,) = answer["charts"]
    votes, network = chart["data"]
    assert votes["x"][0] == 1
    assert network["x"][0] == pytest.approx(exp(node.log_prob), abs=1e-3)


def test_the_reader_chooses_the_number_of_neighbours_and_their_token(context: AppContext) -> None:
    trace = decoded(context, REVERSE, "abcdefgh")
    answer = ask(context, "neighbours", trace, 2, state="source", token="3", k=7)
    assert answer["sentences"][0] == "7 of the 7 nearest states of the encoder are of “d” too."
    assert all("⟦d⟧" in row[2] for row in answer["table"]["rows"])
    assert [control["name"] for control in answer["controls"]] == ["state", "token", "k", "lines"]
    assert answer["charts"] == []


def test_a_network_without_attention_has_no_context(context: AppContext) -> None:
    for name, kinds in (("reverse-lstm", 2), (REVERSE, 3)):
        state = ask(context, "neighbours", decoded(context, name), 0)["controls"][0]
        assert len(state["options"]) == kinds


def test_typed_lines_are_searched(context: AppContext) -> None:
    """The sentence on show is left out, whoever gave it: its own state would be nearest."""
    trace = decoded(context, GRU, "La casa es grande.")
    lines = "La casa es grande.\nLa casa es muy grande.\nMi casa es vieja.\tMy house is old."
    answer = ask(context, "neighbours", trace, 1, lines=lines, k=2)
    rows = answer["table"]["rows"]
    assert {row[3] for row in rows} <= {"La casa es muy grande.", "Mi casa es vieja."}
    assert all(" ⟦house⟧" in row[2] for row in rows)
    assert "only" in answer["sentences"][2]


def test_stored_states_are_searched_first(context: AppContext, states: Path) -> None:
    checkpoint = context.checkpoint(REVERSE)
    store_states(states, checkpoint, generate("reversal", 40, random.Random(5)))
    trace = decoded(context, REVERSE, "abc")
    assert "40 sentences that are kept" in ask(context, "neighbours", trace, 0)["sentences"][2]
    index = folder_of(states, REVERSE) / "store.json"
    index.write_text(index.read_text().replace('"fingerprint": "', '"fingerprint": "0'))
    answer = ask(context, "neighbours", trace, 0)
    assert "random examples" in answer["sentences"][2]
    assert "made by other weights" in answer["sentences"][3]


@pytest.mark.slow
def test_pictures_among_the_neighbours_are_named_by_their_captions(context: AppContext) -> None:
    trace = decoded(context, "shapes-captioner")
    for state, width in (("decoder", 3), ("source", 3)):
        table = ask(context, "neighbours", trace, 1, state=state)["table"]
        assert len(table["head"]) == width
        assert all(len(str(cell)) < 200 for row in table["rows"] for cell in row)
