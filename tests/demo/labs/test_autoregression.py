"""The lab of autoregression: its sentences agree with its charts and with known signals."""

from __future__ import annotations

import re

import pytest

from demo.labs.autoregression import LAB
from demo.widgets.answers.content import Controls
from tests.demo.labs.test_every_lab import ask


def facts(**options: object) -> dict[str, float]:
    return {name: float(value) for name, value in LAB.compute(Controls(options=options)).facts.items()}


def test_errors_grow_until_running_free_is_worse_than_the_mean() -> None:
    result = facts()
    assert result["noise_error"] < result["one_step_error"] < result["k_step_error"]
    assert result["k_step_error"] < facts(k=64)["k_step_error"] < result["mean_error"]
    assert result["free_running_error"] > result["mean_error"]
    assert "Free-running is worse than always saying the mean here." in ask("autoregression")["sentences"]


def test_without_noise_a_sine_is_predicted_for_ever() -> None:
    result = facts(noise=0, tau=2)
    assert result["noise_error"] == 0
    assert max(result["one_step_error"], result["free_running_error"]) < 1e-3


def test_the_sentence_the_chart_and_the_table_agree() -> None:
    answer = ask("autoregression", k=64)
    result = facts(k=64)
    assert answer["sentences"][0].startswith(
        f"One step ahead the error is {result['one_step_error']:.3f}; 64 steps"
    )
    curve, point = answer["charts"][1]["data"][:2]
    assert curve["y"][63] == point["y"][0] == pytest.approx(result["k_step_error"], abs=1e-4)
    assert [row[0] for row in answer["table"]["rows"]][-2:] == ["64", "free-running"]
    assert answer["table"]["rows"][0][2] == "1.0"


def test_each_prediction_begins_where_enough_is_known() -> None:
    data = ask("autoregression", tau=5, k=3, read=200)["charts"][0]["data"]
    starts = [next(index for index, value in enumerate(line["y"]) if value is not None) for line in data]
    assert starts == [0, 5, 7, 0]
    assert data[3]["x"][0] == 201
    assert len(ask("autoregression", k=1)["charts"][0]["data"]) == 3


def test_no_error_is_missing_and_a_huge_one_is_a_power_of_ten() -> None:
    answer = ask("autoregression", signal="walk", tau=100, read=150, k=100)
    cells = [cell for row in answer["table"]["rows"] for cell in row]
    assert not any("nan" in str(cell) or "e+" in str(cell) for cell in (*cells, *answer["sentences"]))
    huge = ask("autoregression", signal="walk", tau=100, read=200)["table"]["rows"][-1][1]
    assert re.fullmatch(r"\d × 10[⁰¹²³⁴⁵⁶⁷⁸⁹]+", huge)
