"""The facts of trainings in lessons are those of the training today."""

from __future__ import annotations

import pytest

from demo.lessons.trainings import TRAININGS, MeasuredTraining
from tests.demo.labs.trained import trained

PARTS = [
    pytest.param(item, marks=[pytest.mark.slow, *([pytest.mark.full] if index else [])])
    for index, item in enumerate(TRAININGS)
]


@pytest.mark.parametrize("training", PARTS)
def test_a_training_gives_what_was_measured(training: MeasuredTraining) -> None:
    facts = trained(training.lab, **training.options).facts
    for name, value in training.facts.values():
        # Other processors round otherwise; gradient norms differ most.
        margin = 0.5 if name == "largest_gradient_norm" else 0.05
        assert facts[name] == pytest.approx(value, rel=margin), name
