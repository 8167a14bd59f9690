"""Explanations on trial: a method that knows nothing is at chance, and so is a network that does."""

from __future__ import annotations

import json
import random
import subprocess
import sys

import pytest
import torch

from models.corpus.generated.all_tasks import GENERATED, generate
from models.inspection.trial import Rate, put_on_trial, trial
from models.registry.registry import Registry
from tests.documents import ROOT

RELEVANT = [name for name, task in GENERATED.items() if task.relevant]


@pytest.mark.parametrize("task", RELEVANT)
def test_what_an_output_hangs_on_is_the_letter_that_it_is(task: str) -> None:
    relevant = GENERATED[task].relevant
    assert relevant is not None
    for source, target in generate(task, 20, random.Random(0)):
        for at, letter in enumerate(target):
            assert {source[place] for place in relevant(source, at)} == {letter}


def test_a_trained_network_is_told_from_one_with_random_weights() -> None:
    checkpoint = Registry(ROOT / "checkpoints").load("reverse-gru", torch.device("cpu"))
    trained, untrained = put_on_trial(checkpoint, count=8)
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


def test_of_other_tasks_nothing_is_known() -> None:
    checkpoint = Registry(ROOT / "checkpoints").load("reverse-gru", torch.device("cpu"))
    with pytest.raises(ValueError, match="known of the tasks reversal, copy, sort; got 'dates'"):
        trial(checkpoint.model, checkpoint.tokenizer, "dates", ())


def test_the_command_ends_with_one_json_line() -> None:
    command = [sys.executable, "-m", "models.inspection.trial", "--sources", "2"]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    figures = json.loads(printed.splitlines()[-1])
    assert figures["checkpoint"] == "reverse-gru"
    assert figures["trained"].keys() == figures["random"].keys()
    refused = subprocess.run(
        [*command, "--checkpoint", "spa-eng-gru"], cwd=ROOT, capture_output=True, text=True
    )
    assert refused.returncode
    assert "got 'translation'" in refused.stderr
    assert "Traceback" not in refused.stderr
