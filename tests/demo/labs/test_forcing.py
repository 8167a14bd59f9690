"""The lab of teacher forcing: schedules against the formulas of the paper, costs against the network."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from demo.labs.forcing.lab import LAB, PAIRS
from demo.learn.lab_answers import networks_of, on_lab
from demo.widgets.answers.content import Controls
from demo.work.context import AppContext
from models.decoding.judge.rescore import rescore
from models.registry.registry import Registry
from tests.demo.labs.small_network import checkpoint, small_networks
from tests.demo.labs.test_every_lab import ask
from tests.messages import says

SOURCE, REFERENCE = PAIRS["translation", "es", "en"]


def facts(**options: object) -> dict[str, float]:
    content = LAB.compute(Controls(options=options, networks=small_networks()))
    return {name: float(value) for name, value in content.facts.items()}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "half", "last"),
    [
        ("constant", 0.8, 0.8),
        ("linear", 0.5, 0.2),
        ("exponential", 0.8 * math.sqrt(0.2 / 0.8), 0.2),
        ("inverse_sigmoid", 0.2 + 0.6 * (math.exp(5) + 1) / (2 * math.exp(5)), 0.2),
    ],
)
def test_a_schedule_follows_its_formula(name: str, half: float, last: float) -> None:
    options = {"schedule": name, "start": 0.8, "end": 0.2}
    assert facts(**options, done=0)["ratio"] == pytest.approx(0.8)
    assert facts(**options, done=50)["ratio"] == pytest.approx(half)
    assert facts(**options, done=100)["ratio"] == pytest.approx(last)


def test_the_inverse_sigmoid_follows_its_printed_formula() -> None:
    k, done = math.exp(5), 0.7
    expected = 0.1 + 0.9 * (k + 1) / (k + math.exp(10 * done))
    assert facts(schedule="inverse_sigmoid", done=70)["ratio"] == pytest.approx(expected)


@pytest.mark.slow
def test_costs_are_those_of_the_network() -> None:
    network = checkpoint()
    scored = rescore(network.model, network.tokenizer, SOURCE, REFERENCE)
    result = facts()
    rows = ask("forcing")["table"]["rows"]
    assert result["tokens"] == len(scored.tokens)
    assert [float(row[2]) for row in rows[: len(scored.tokens)]] == pytest.approx(
        [-token.log_prob for token in scored.tokens], abs=0.006
    )
    assert result["teacher_forced_right"] == sum(token.rank == 0 for token in scored.tokens)


def test_full_teacher_forcing_in_the_lab_changes_nothing() -> None:
    result = facts(schedule="constant", start=1)
    scored = rescore(checkpoint().model, checkpoint().tokenizer, SOURCE, REFERENCE)
    assert result["scheduled_cost"] == pytest.approx(-scored.log_prob / len(scored.tokens), abs=1e-5)
    assert any(
        "changes 0 of the" in text for text in ask("forcing", schedule="constant", start=1)["sentences"]
    )


@pytest.mark.slow
def test_the_first_difference_is_marked_after_the_given_tokens() -> None:
    first = facts()["first_difference"]
    answer = ask("forcing")
    assert f"at token {first:.0f}:" in answer["sentences"][0]
    assert answer["charts"][0]["layout"]["shapes"][0]["x0"] == first - 1
    rows = answer["table"]["rows"]
    assert not any(row[5].startswith("≠") for row in rows[: int(first) - 1])
    assert rows[int(first) - 1][5].startswith("≠")
    assert facts(given=first)["first_difference"] > first


def test_an_invalid_schedule_or_pair_is_refused() -> None:
    assert says(ask("forcing", start=0.2, end=0.9)["refused"], "schedule_rises")
    assert says(ask("forcing", reference=" ")["refused"], "source_and_reference_missing")
    assert says(ask("forcing", reference="a" * 4000)["refused"], "reference_too_long_to_feed")


def test_without_a_checkpoint_the_schedules_remain() -> None:
    answer = on_lab({"lab": "forcing"})
    assert [chart["name"] for chart in answer["charts"]] == ["schedule"]
    assert "No checkpoint for this is here." in answer["sentences"]


def test_the_lab_offers_and_opens_the_servers_checkpoints(shipped: Path) -> None:
    networks = networks_of(AppContext(Registry(shipped), "cpu"))
    options = {"checkpoint": "words", "text": "hola amigo"}
    answer = on_lab({"lab": "forcing", "options": options}, networks=networks)
    assert [name for name, _ in answer["controls"][4]["options"]] == ["letters", "words"]
    assert answer["controls"][4]["value"] == "words"
    assert len(answer["charts"]) == 2
    with networks.open_checkpoint("letters") as (opened, _):
        assert opened.name == "letters"
