"""Curves over the beam width against a plain loop over `decode`."""

from __future__ import annotations

import json
from functools import cache
from statistics import fmean
from typing import Any

import pytest
import torch

from models.decoding.decode import decode
from models.decoding.options import DecodingOptions
from models.decoding.trace import Hypothesis
from models.evaluation import __main__ as program
from models.evaluation.beam_widths.curve import WidthCurve, indices_by_width, options_by_width
from models.evaluation.beam_widths.width_curves import width_curves
from models.evaluation.report.evaluation_report import as_json
from models.evaluation.segments import Segments, segments_of_pairs
from models.evaluation.systems import System
from models.metrics.bootstrap import measure
from models.metrics.sentence import sentence_utility
from models.registry.registry import Registry
from tests.fakes.processes.programs import run_here
from tests.source_modules import ROOT

PAIRS = (
    ("El perro persigue al gato.", "The dog is chasing the cat."),
    ("No sé qué hacer.", "I don't know what to do."),
    (
        "Tom finalmente descubrió cómo instalar una base de datos.",
        "Tom finally found how to install a database.",
    ),
    ("¿Dónde está la biblioteca?", "Where is the library?"),
)
WIDTHS = (1, 2, 8, 16)
BEAM = DecodingOptions("beam", max_length=12)


@cache
def loaded() -> Any:
    return Registry(ROOT / "checkpoints").load("spa-eng-gru", torch.device("cpu"))


def segments() -> Segments:
    return segments_of_pairs(PAIRS)


def curve(options: DecodingOptions = BEAM) -> WidthCurve:
    (result,) = width_curves([System("ours", loaded(), options)], segments(), WIDTHS)
    return result


def plain_loop(width: int) -> list[Hypothesis]:
    options = DecodingOptions("beam", beam_size=width, max_length=12)
    model = loaded()
    return [decode(model.model, model.tokenizer, source, options).hypotheses[0] for source, _ in PAIRS]


@pytest.mark.slow
def test_every_number_is_that_of_a_plain_loop() -> None:
    beam_curve = curve()
    before: list[Hypothesis] | None = None
    for point in beam_curve.points:
        best = plain_loop(point.width)
        texts = [item.text for item in best]
        targets = [reference for _, reference in PAIRS]
        chrf = [sentence_utility(*pair, "chrf") for pair in zip(texts, targets, strict=True)]
        corpus = measure(texts, [[reference] for reference in targets], "en")
        assert point.score == pytest.approx(fmean(item.score for item in best), abs=1e-4)
        assert point.length == fmean(len(item.token_ids) for item in best)
        assert (point.chrf.value, point.bleu.value) == pytest.approx((corpus.chrf, corpus.bleu))
        assert point.cut == sum(not item.ended for item in best)
        assert point.empty == sum(not text.strip() for text in texts)
        outputs = beam_curve.outputs[str(point.width)]
        assert [output.output for output in outputs] == texts
        assert [output.chrf for output in outputs] == pytest.approx(chrf, abs=0.01)
        if before is not None:
            same = sum(a.token_ids == b.token_ids for a, b in zip(before, best, strict=True))
            assert point.width_changes["same"] == same
            assert sum(point.width_changes.values()) == len(PAIRS)
        before = best
    assert any(point.cut for point in beam_curve.points)  # otherwise the count of cut outputs is not tested
    json.dumps(as_json(beam_curve), allow_nan=False)


@pytest.mark.slow
def test_greedy_search_is_the_beam_of_width_one() -> None:
    greedy = DecodingOptions("greedy", max_length=12)
    texts = [
        decode(loaded().model, loaded().tokenizer, source, greedy).hypotheses[0].text for source, _ in PAIRS
    ]
    greedy_curve = curve(greedy)
    assert [output.output for output in greedy_curve.outputs["1"]] == texts
    both = [System("one", loaded(), greedy), System("two", loaded(), BEAM)]
    assert [one.system for one in width_curves(both, segments(), (1, 2))] == ["one"]  # the same search


def test_a_search_without_other_widths_has_no_curve() -> None:
    names = ("sampling", "stochastic", "exact", "mbr")
    searches = [DecodingOptions(name, max_length=5) for name in names]
    assert not any(map(options_by_width, searches))
    assert list(options_by_width(DecodingOptions("diverse", num_groups=4, beam_size=4))) == [4, 8, 16, 32, 64]


def test_rows_that_differ_in_width_alone_belong_together() -> None:
    def beam(width: int, **settings: Any) -> DecodingOptions:
        return DecodingOptions("beam", beam_size=width, **settings)

    rows = [
        beam(8),
        beam(2, length_penalty=1.0),
        DecodingOptions("greedy"),
        beam(2),
        beam(8, length_penalty=1.0),
    ]
    assert indices_by_width(rows) == [2, 3, 0]
    assert indices_by_width([DecodingOptions("sampling")]) == []
    diverse = [DecodingOptions("diverse", beam_size=width, num_groups=2) for width in (4, 2)]
    assert indices_by_width([*diverse, DecodingOptions("diverse", beam_size=6, num_groups=3)]) == [1, 0]


@pytest.mark.slow
def test_the_command_measures_the_named_widths(tmp_path: Any) -> None:
    data, report = tmp_path / "pairs.tsv", tmp_path / "report.json"
    data.write_text("".join(f"{source}\t{target}\n" for source, target in PAIRS[1:]), encoding="utf-8")
    arguments = ["--checkpoint", "spa-eng-gru", "--strategy", "beam", "--data", str(data), "--no-swap"]
    plain = run_here(program.main, *arguments, "--widths", "1,4")
    (beam_curve,) = json.loads(plain.stdout.splitlines()[-1])["width_curves"]
    assert [point["width"] for point in beam_curve["points"]] == [1, 4]
    assert set(beam_curve["findings"]) <= set(plain.stdout.splitlines())
    files = [report, report.with_suffix(".csv"), report.with_suffix(".html")]
    run_here(
        program.main,
        *arguments,
        "--widths",
        "1,4",
        *(part for file in files for part in ("--report", str(file))),
    )
    (same,) = json.loads(report.read_text(encoding="utf-8"))["width_curves"]
    assert same["points"] == beam_curve["points"]
    for sentence in beam_curve["findings"]:
        assert sentence in files[2].read_text(encoding="utf-8")
    assert "beam width 4: output" in files[1].read_text(encoding="utf-8").splitlines()[0]
    assert run_here(program.main, *arguments, "--widths", "4").returncode
