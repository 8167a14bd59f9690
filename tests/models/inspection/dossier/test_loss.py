"""The loss without a part, and the command that prints it."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
import torch

from models.corpus.generated.all_tasks import generate
from models.inspection.dossier.__main__ import main
from models.inspection.dossier.ablation import HeadIndex
from models.inspection.dossier.loss import both_outputs, losses
from models.metrics.corpus import measure
from models.networks.transformer.layers import DecoderLayer
from models.networks.transformer.model import TransformerModel
from tests.documents import ROOT
from tests.fakes.processes.programs import run_module_here
from tests.models.inspection.neighbours.test_states import load
from tests.refusals import Refusal, passed_on


def test_without_its_only_head_a_network_cannot_reverse(device: str) -> None:
    checkpoint = load("reverse-gru", device)
    pairs = generate("reversal", 40, random.Random(0))
    outputs = both_outputs(checkpoint, HeadIndex(0, 0), pairs)
    assert outputs.sources == tuple(dict.fromkeys(source for source, _ in pairs))
    exact, chrf = losses(checkpoint, outputs)
    metrics = measure(outputs.without, outputs.references)
    assert exact.without == pytest.approx(metrics.exact_match)
    assert chrf.without == pytest.approx(metrics.chrf)
    assert exact.low > 80
    assert outputs.changed > 0.9


def test_a_head_without_output_weights_costs_nothing() -> None:
    checkpoint = load("dates-transformer")
    assert isinstance(checkpoint.model, TransformerModel)
    layer = checkpoint.model.decoder[0]
    assert isinstance(layer, DecoderLayer)
    with torch.no_grad():
        layer.cross_attention.output.weight[:, :32] = 0  # the part of head 1 of 4
    outputs = both_outputs(checkpoint, HeadIndex(0, 0), generate("dates", 20, random.Random(0)))
    assert outputs.changed == 0
    for lost in losses(checkpoint, outputs):
        assert (lost.lost, lost.low, lost.high) == (0, 0, 0)


@pytest.mark.slow
def test_the_command_ends_with_one_json_line() -> None:
    command = ["models.inspection.dossier", "--checkpoint", "reverse-gru"]
    printed = run_module_here(*command, "--head", "1", "--generated", "12", "--sentence", "abc", "cba").stdout
    figures = json.loads(printed.splitlines()[-1])
    assert (figures["checkpoint"], figures["part"]) == ("reverse-gru", {"layer": 0, "head": 0})
    assert figures["in_one_sentence"]["steps"] == 4
    assert [lost["metric"] for lost in figures["lost"]] == ["exact_match", "chrf"]


@pytest.mark.parametrize(
    ("arguments", "refusal"),
    [
        (["reverse-gru", "--head", "2"], ("no_such_head", 2, 1)),
        (["reverse-lstm", "--head", "1"], ("no_heads",)),
        (["reverse-gru", "--unit", "1000"], ("no_such_output_unit", 1000)),
        (["spa-eng-gru", "--head", "1"], ("pairs_needed",)),
        (["reverse-gru", "--head", "1", "--sentence", "a" * 600, "a"], ("no_sentence_for_dossier",)),
    ],
)
def test_an_impossible_command_is_refused_in_a_sentence(
    arguments: list[str], refusal: Refusal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    with passed_on(SystemExit, *refusal):
        main(["--generated", "3", "--checkpoint", *arguments])


def test_a_unit_of_a_translator_has_a_loss_of_bleu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    file = tmp_path / "pairs.tsv"
    file.write_text("The house.\tLa casa.\nI am very happy.\tEstoy muy feliz.\n", encoding="utf-8")
    main(["--checkpoint", "spa-eng-transformer", "--unit", "7", "--pairs", str(file)])
    figures = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert [lost["metric"] for lost in figures["lost"]] == ["exact_match", "chrf", "bleu"]
    assert figures["part"] == {"unit": 6}
