"""The programs in PyTorch print the numbers of their labs as these open."""

from __future__ import annotations

import pytest

from demo.answers.controls import Controls
from demo.labs import labs
from demo.service.context import AppContext
from demo.service.lab_networks import networks_of
from models.labs.masked import NETWORKS, MaskedResult
from models.registry.registry import Registry
from tests.demo.labs.programs.test_training_scripts import numbers, printed
from tests.demo.labs.trained import result_of
from tests.source_modules import ROOT

FOR_LESSONS = {"steps_with_less_error"}  # facts that no lab shows


@pytest.mark.slow
@pytest.mark.parametrize("name", ["autoregression", "forcing", "positions"])
def test_a_program_prints_the_facts_of_its_lab(name: str) -> None:
    text = printed(name)
    controls = Controls(networks=networks_of(AppContext(Registry(ROOT / "checkpoints"), "cpu")))
    facts = next(lab for lab in labs() if lab.name == name).compute(controls).facts
    assert facts
    for fact in facts.keys() - FOR_LESSONS:
        value = facts[fact]
        assert numbers(text, fact) == pytest.approx([value], abs=1e-5)


@pytest.mark.slow
def test_the_masked_word_of_torch_has_the_same_losses() -> None:
    text, result = printed("masked"), result_of("masked", 9)
    assert isinstance(result, MaskedResult)
    for name in NETWORKS:
        assert numbers(text, f"{name}_loss") == pytest.approx(result.losses[name], abs=1e-5)
