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
from tests.refusals import Refusal, refused

RECORD = QualityByLength(
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
    return json.dumps({**json.loads(RECORD.to_json()), **changes})


def test_a_record_is_restored_from_json() -> None:
    assert QualityByLength.from_json(RECORD.to_json()) == RECORD


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("", ("quality_damaged",)),
        ("[]", ("quality_other_schema", "None")),
        ("3", ("quality_damaged",)),
        ("[" * 100_000, ("quality_damaged",)),
        (damaged(schema_version=2), ("quality_other_schema", "2")),
        (damaged(more=1), ("quality_damaged",)),
        (damaged(bins=[]), ("no_bins",)),
        (damaged(bins=3), ("quality_damaged",)),
        (damaged(bins=[{"first": 1}]), ("quality_damaged",)),
        (damaged(metric="chrF"), ("not_one_of", "metric", "BLEU, exact match", "chrF")),
        (damaged(unit="tokens"), ("not_one_of", "unit", "words, characters")),
        (damaged(strategy=4), ("not_a_text", "strategy", "4")),
        (damaged(strategy="\ud800"), ("no_printable_line", "strategy")),
        (damaged(resamples="2000"), ("not_whole_within", "resamples")),
        (damaged(bins=[{**LARGE, "value": 10**400}]), ("not_within", "value", 0, 100)),
    ],
)
def test_an_invalid_record_is_refused(text: str, refusal: Refusal) -> None:
    with refused(QualityError, *refusal):
        QualityByLength.from_json(text)


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        ({"first": 0}, ("not_whole_within", "first")),
        ({"last": 2.0}, ("not_whole_within", "last")),
        ({"sources": True}, ("not_whole_within", "sources")),
        ({"first": 10**400}, ("not_whole_within", "first")),
        ({"value": float("nan")}, ("not_within", "value")),
        ({"value": 100.5}, ("not_within", "value", 0, 100, "100.5")),
        ({"low": -0.5}, ("not_within", "low", 0, 100, "-0.5")),
        ({"high": 10**400}, ("not_within", "high", 0, 100)),
        ({"high": float("inf")}, ("not_within", "high")),
        ({"low": "40"}, ("not_within", "low")),
        ({"last": 1, "first": 2}, ("bin_out_of_order",)),
        ({"low": 70.0}, ("bin_out_of_order",)),
    ],
)
def test_an_impossible_bin_is_refused(change: dict[str, Any], refusal: Refusal) -> None:
    with refused(QualityError, *refusal):
        replace(RECORD.bins[0], **change)


@pytest.mark.parametrize("first", [1, 3])
def test_bins_do_not_overlap(first: int) -> None:
    with refused(QualityError, "bins_overlap"):
        replace(RECORD, bins=(RECORD.bins[0], LengthBin(first, 5, 51, 30.0, 20.0, 40.0)))


def test_the_same_test_is_that_of_the_same_sources_bins_and_metric() -> None:
    other = replace(RECORD, checkpoint="spa-eng-lstm", strategy="greedy", resamples=1000)
    assert other.same_test == RECORD.same_test
    for change in (
        {"test_set": "fedc"},
        {"metric": "exact match"},
        {"signature": "nrefs:var|tok:zh"},
        {"bins": RECORD.bins[:1]},
        {"task": "x"},
    ):
        assert replace(RECORD, **change).same_test != RECORD.same_test


def test_the_registry_reads_the_measurement_in_the_checkpoints_folder(root: Path) -> None:
    registry = Registry(root)
    assert registry.quality_by_length("spa-eng-gru") is None
    (root / "spa-eng-gru" / QUALITY).write_text(RECORD.to_json(), encoding="utf-8")
    assert registry.quality_by_length("spa-eng-gru") == RECORD
    (root / "reverse-gru" / QUALITY).write_text(RECORD.to_json(), encoding="utf-8")
    read = registry.quality_by_length("reverse-gru")
    assert read is not None
    assert read.checkpoint == "reverse-gru"  # a folder may be copied under another name


def test_a_file_that_cannot_be_opened_is_named_without_its_path(root: Path) -> None:
    (root / "reverse-gru" / QUALITY).mkdir()
    with refused(CheckpointError, "file_cannot_be_used", "Is a directory") as excinfo:
        Registry(root).quality_by_length("reverse-gru")
    assert str(root) not in str(excinfo.value)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", damaged(metric="chrF").encode()])
def test_a_damaged_file_is_refused_with_the_command_that_makes_a_new_one(root: Path, content: bytes) -> None:
    (root / "reverse-gru" / QUALITY).write_bytes(content)
    with refused(
        CheckpointError,
        "checkpoint_unusable",
        "reverse-gru",
        "quality_by_length.json",
        "file_cannot_be_used",
        "measure_again",
    ):
        Registry(root).quality_by_length("reverse-gru")
