"""The share of a GPU's peak in the strip of a run."""

from __future__ import annotations

from dataclasses import replace

from demo.training.run.status import status_facts
from demo.training.work.run_report import RunReport, bf16_operations
from models.networks.transformer.config import TransformerConfig
from models.training.events import TrainingEvent
from models.training.recipe.config import TrainingConfig
from models.training.runs.request import RunState
from tests.fakes.training.run_events import completed, started


def test_the_share_of_a_known_gpus_peak_replaces_the_parameters() -> None:
    began = replace(started(), parameters=50_000_000, trainable_parameters=50_000_000, device="NVIDIA H200")
    step = completed(10, tokens_per_second=329_667.0)

    def labelled(*events: TrainingEvent, bf16_operations: float = 6.0) -> dict[str, str]:
        report = RunReport(
            "reverse-0123456789ab", "x", RunState.RUNNING, events=events, bf16_operations=bf16_operations
        )
        return dict(status_facts(report)["facts"])

    assert labelled(began, step)["share of the GPU's peak"] == "≈ 10.0%"
    assert "parameters" not in labelled(began, step)
    assert labelled(replace(began, processes=2), step)["share of the GPU's peak"] == "≈ 5.0%"
    slice_of_card = replace(began, device="NVIDIA H200 MIG 1g.18gb")
    for unknown in (
        labelled(began),
        labelled(began, step, bf16_operations=0.0),
        labelled(replace(began, device="CPU"), step),
        labelled(slice_of_card, step),
        labelled(replace(began, trainable_parameters=1), step),
    ):
        assert unknown["parameters"] == "50,000,000"
        assert "share of the GPU's peak" not in unknown


def test_operations_in_bfloat16_are_those_of_the_recipe() -> None:
    network = TransformerConfig()
    config = TrainingConfig(name="x", network=network)
    assert bf16_operations(config) == 6 * network.multiplied_share
    assert bf16_operations(replace(config, optimizer=replace(config.optimizer, bf16=False))) == 0
