"""Quality by length as a file: it comes back as it was, and what is no such file is refused in a sentence."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from models.registry.card import CheckpointError
from models.registry.quality_by_length import LengthBin, QualityByLength, QualityError
from models.registry.registry import QUALITY, Registry

MEASURED = QualityByLength(
    checkpoint="spa-eng-gru",
    task="translation",
    source_language="es",
    target_language="en",
    test_set="0123456789abcdef",
    metric="BLEU",
    signature="nrefs:var|tok:13a",
    strategy="beam 4",
    unit="words",
    resamples=2000,
    bins=(LengthBin(1, 3, 60, 50.0, 40.5, 60.25), LengthBin(5, 5, 51, 30.0, 20.0, 40.0)),
)

LARGE = {"first": 1, "last": 2, "sources": 3, "low": 0, "high": 100}


def damaged(**changes: Any) -> str:
    return json.dumps({**json.loads(MEASURED.to_json()), **changes})


def test_a_record_comes_back_as_it_was() -> None:
    assert QualityByLength.from_json(MEASURED.to_json()) == MEASURED


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no such record"),
        ("[]", "schema version None"),
        ("3", "no such record"),
        ("[" * 100_000, "no such record"),
        (damaged(schema_version=2), "schema version 2"),
        (damaged(more=1), "no such record"),
        (damaged(bins=[]), "at least one bin"),
        (damaged(bins=3), "no such record"),
        (damaged(bins=[{"first": 1}]), "no such record"),
        (damaged(metric="chrF"), "metric must be one of BLEU, exact match; got 'chrF'"),
        (damaged(unit="tokens"), "unit must be one of words, characters"),
        (damaged(strategy=4), "strategy must be a text; got 4"),
        (damaged(strategy="\ud800"), "strategy must be one printable line"),
        (damaged(resamples="2000"), "resamples must be a whole number"),
        (damaged(bins=[{**LARGE, "value": 10**400}]), "value must be a number from 0 to 100"),
    ],
)
def test_what_is_no_record_is_refused(text: str, problem: str) -> None:
    with pytest.raises(QualityError, match=problem):
        QualityByLength.from_json(text)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"first": 0}, "first must be a whole number"),
        ({"last": 2.0}, "last must be a whole number"),
        ({"sources": True}, "sources must be a whole number"),
        ({"first": 10**400}, "first must be a whole number"),
        ({"value": float("nan")}, "value must be a number"),
        ({"value": 100.5}, "value must be a number from 0 to 100; got 100.5"),
        ({"low": -0.5}, "low must be a number from 0 to 100; got -0.5"),
        ({"high": 10**400}, r"high must be a number from 0 to 100; got 10{27}[.]{3}0{29}$"),
        ({"high": float("inf")}, "high must be a number"),
        ({"low": "40"}, "low must be a number"),
        ({"last": 1, "first": 2}, "lower to its higher end"),
        ({"low": 70.0}, "lower to its higher end"),
    ],
)
def test_a_bin_that_cannot_be_is_refused(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(QualityError, match=problem):
        replace(MEASURED.bins[0], **change)


@pytest.mark.parametrize("first", [1, 3])
def test_bins_do_not_overlap(first: int) -> None:
    with pytest.raises(QualityError, match="without overlap"):
        replace(MEASURED, bins=(MEASURED.bins[0], LengthBin(first, 5, 51, 30.0, 20.0, 40.0)))


def test_the_same_test_is_that_of_the_same_sources_bins_and_metric() -> None:
    other = replace(MEASURED, checkpoint="spa-eng-lstm", strategy="greedy", resamples=1000)
    assert other.same_test == MEASURED.same_test
    for change in (
        {"test_set": "fedc"},
        {"metric": "exact match"},
        {"signature": "nrefs:var|tok:zh"},
        {"bins": MEASURED.bins[:1]},
        {"task": "x"},
    ):
        assert replace(MEASURED, **change).same_test != MEASURED.same_test


def test_the_registry_reads_it_where_it_is(root: Path) -> None:
    registry = Registry(root)
    assert registry.quality_by_length("spa-eng-gru") is None
    (root / "spa-eng-gru" / QUALITY).write_text(MEASURED.to_json(), encoding="utf-8")
    assert registry.quality_by_length("spa-eng-gru") == MEASURED
    (root / "reverse-gru" / QUALITY).write_text(MEASURED.to_json(), encoding="utf-8")
    read = registry.quality_by_length("reverse-gru")
    assert read is not None
    assert read.checkpoint == "reverse-gru"  # a folder may be copied under another name


def test_a_file_that_cannot_be_opened_is_named_without_its_place(root: Path) -> None:
    (root / "reverse-gru" / QUALITY).mkdir()
    with pytest.raises(CheckpointError, match=r"cannot be used \(Is a directory\)") as caught:
        Registry(root).quality_by_length("reverse-gru")
    assert str(root) not in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", damaged(metric="chrF").encode()])
def test_a_damaged_file_says_how_to_make_it_again(root: Path, content: bytes) -> None:
    (root / "reverse-gru" / QUALITY).write_bytes(content)
    with pytest.raises(
        CheckpointError,
        match=r"quality_by_length\.json cannot be used .*evaluation\.by_length --checkpoint reverse-gru",
    ):
        Registry(root).quality_by_length("reverse-gru")
