"""Tests of explanations: a random method is at chance, and so is a random network."""

from __future__ import annotations

import json
import math
import random

import pytest
import torch

from models.corpus.generated.all_tasks import TASKS
from models.corpus.generated.dates import DATE_FORMATS, MONTHS
from models.corpus.generated.shapes import COLOURS, PICTURE_SIZE, SHAPE_KINDS
from models.corpus.generated.task import AlignedPair
from models.inspection.attribution_test.rates import (
    TOKEN_SHARES,
    Rate,
    curves,
    known_pairs,
    mean_of,
    measure_rates,
    questions,
    rates_of_methods,
    shipped_results,
)
from models.inspection.methods import METHODS
from models.inspection.methods.occlusion import values_without
from models.inspection.question import ExplainedPrediction, InspectionError
from models.registry.registry import Registry
from models.tokenization.pictures import read_picture
from tests.documents import ROOT
from tests.fakes.processes.programs import run_module_here
from tests.messages import says
from tests.refusals import refused

ALIGNED_TASKS = [name for name, task in TASKS.items() if task.aligned]


def aligned_pairs(task: str, count: int, **options: int) -> list[AlignedPair]:
    result, rng = TASKS[task], random.Random(0)
    assert result.aligned is not None
    return [result.aligned(rng, result.check(options)) for _ in range(count)]


@pytest.mark.parametrize("task", ["reversal", "copy", "sort"])
def test_relevant_positions_hold_the_letter_of_the_output(task: str) -> None:
    for pair in aligned_pairs(task, 20):
        for letter, places in zip(pair.target, pair.relevant, strict=True):
            assert {pair.source[index] for index in places} == {letter}


def test_a_step_of_a_history_depends_on_the_same_step_of_the_source() -> None:
    for pair in aligned_pairs("histories", 20):
        read = pair.source.split()
        assert [[read[index] for index in places] for places in pair.relevant] == [
            [token] for token in pair.target.split()
        ]


def test_the_digits_of_a_date_depend_on_their_part_of_the_source() -> None:
    months = {name[:3].upper(): index for index, name in enumerate(MONTHS, start=1)}
    for pair in aligned_pairs("dates", 400, formats=len(DATE_FORMATS)):
        year, month, day = (
            "".join(pair.source[index] for index in sorted(pair.relevant[index])) for index in (0, 5, 8)
        )
        number = int(month) if month.isdecimal() else months[month[:3].upper()]
        assert (year, number, int(day)) == (pair.target[:4], int(pair.target[5:7]), int(pair.target[8:]))
        assert [not places for places in pair.relevant] == [sign == "-" for sign in pair.target]


def test_the_words_of_a_caption_depend_on_the_pixels_of_their_shape() -> None:
    """Most of the pixels around a shape have its colour, up to the noise of colours."""
    for pair in aligned_pairs("shapes", 10):
        pixels = list(read_picture(pair.source, PICTURE_SIZE).get_flattened_data())
        words = pair.target.split()
        assert len(words) == len(pair.relevant)
        for word, places in zip(words, pair.relevant, strict=True):
            assert bool(places) == (word in COLOURS or word in SHAPE_KINDS or word in ("large", "small"))
            if word in COLOURS:
                near = [
                    max(abs(one - other) for one, other in zip(pixels[index], COLOURS[word], strict=True))
                    < 40
                    for index in places
                ]
                assert sum(near) > 0.25 * len(near), (word, sum(near), len(near))


@pytest.mark.parametrize("task", ALIGNED_TASKS)
def test_every_token_with_relevant_positions_is_tested(task: str) -> None:
    names = {
        "reversal": "reverse-gru",
        "dates": "dates-transformer",
        "histories": "history-gru",
        "shapes": "shapes-captioner",
    }
    if task not in names:
        pytest.skip("no checkpoint of this task is shipped")
    tokenizer = Registry(ROOT / "checkpoints").load(names[task], torch.device("cpu")).tokenizer
    for pair in aligned_pairs(task, 5):
        prediction = list(questions(tokenizer, pair))
        assert [relevant for _, relevant in prediction] == [places for places in pair.relevant if places]
        assert all(len(question.source) > max(relevant) for question, relevant in prediction)


def test_the_best_order_has_the_best_curves() -> None:
    """Tokens ordered by their true cost give the fastest deletion and insertion; the reverse, the slowest."""
    checkpoint = Registry(ROOT / "checkpoints").load("reverse-gru", torch.device("cpu"))
    ((question, relevant), *_) = questions(checkpoint.tokenizer, aligned_pairs("reversal", 4)[3])
    prediction = ExplainedPrediction(checkpoint.model, question)
    size = len(question.source)
    (right,) = relevant
    best = [float(index == right) for index in range(size)]
    worst = [1 - item for item in best]
    good, bad = curves(prediction, [best, worst])
    assert good.deletion[0] == good.insertion[-1] == pytest.approx(math.exp(prediction.value), abs=1e-5)
    assert good.deletion[-1] == pytest.approx(good.insertion[0], abs=1e-6)
    assert good.areas[0] < bad.areas[0]
    mean = mean_of([good, bad])
    assert mean.deletion[3] == pytest.approx((good.deletion[3] + bad.deletion[3]) / 2)
    one_gone = torch.tensor([[index == right for index in range(size)]])
    assert float(values_without(prediction, one_gone).exp()) == pytest.approx(
        good.deletion[next(index for index, share in enumerate(TOKEN_SHARES) if round(share * size) == 1)],
        abs=1e-6,
    )


@pytest.mark.full
def test_the_test_distinguishes_trained_from_random_weights() -> None:
    checkpoint = Registry(ROOT / "checkpoints").load("reverse-gru", torch.device("cpu"))
    trained, untrained = measure_rates(checkpoint, count=8)
    assert trained.keys() == untrained.keys()
    for name in ("attention", "gradient", "masked"):
        assert trained[name].interval[0] > 0.9, name
    for name, rate in untrained.items():
        assert rate.share < 0.35, name
        assert rate.steps == 3 * trained[name].steps
    assert 0.1 < trained["gradient"].chance < 0.2


def test_a_rate_has_an_interval() -> None:
    low, high = Rate(9, 10, 0.1).interval
    assert 0.59 < low < Rate(9, 10, 0.1).share < high < 0.99


def test_tasks_without_known_alignment_are_refused() -> None:
    checkpoint = Registry(ROOT / "checkpoints").load("reverse-gru", torch.device("cpu"))
    with refused(InspectionError, "truth_unknown", "translation"):
        known_pairs("translation", 1)
    (pair,) = aligned_pairs("histories", 1)
    with refused(InspectionError, "truth_of_other_tokens"):
        list(questions(checkpoint.tokenizer, pair))


def test_the_file_that_the_page_shows_has_all_checkpoints_whose_truth_is_known() -> None:
    registry = Registry(ROOT / "checkpoints")
    tasks = {name: registry.config(name).task for name in registry.names()}
    assert shipped_results().keys() == {name for name, task in tasks.items() if task in ALIGNED_TASKS}
    for name, result in shipped_results().items():
        assert result.task == tasks[name]
        assert result.trained.keys() == result.random.keys() <= METHODS.keys()
        for rate in result.trained.values():
            assert rate.curves is not None
            assert 0 <= rate.share <= 1


@pytest.mark.slow
def test_a_figure_of_the_shipped_file_can_be_reproduced() -> None:
    """All sources of the file are measured again by one method."""
    result = shipped_results()["reverse-gru"]
    checkpoint = Registry(ROOT / "checkpoints").load("reverse-gru", torch.device("cpu"))
    again = rates_of_methods(
        checkpoint.model,
        checkpoint.tokenizer,
        known_pairs("reversal", result.sources, result.seed),
        ["attention"],
    )
    assert again["attention"].hits == result.trained["attention"].hits
    assert again["attention"].steps == result.trained["attention"].steps


@pytest.mark.full
def test_the_command_ends_with_one_json_line() -> None:
    command = ["models.inspection.attribution_test", "--sources", "2", "--checkpoint"]
    printed = run_module_here(*command, "reverse-gru").stdout
    figures = json.loads(printed.splitlines()[-1])["reverse-gru"]
    assert figures["trained"].keys() == figures["random"].keys()
    assert "insertion" in printed
    refused = run_module_here(*command, "spa-eng-gru")
    assert refused.returncode
    assert says(refused.stderr, "truth_unknown", task="'translation'")
    assert "Traceback" not in refused.stderr
