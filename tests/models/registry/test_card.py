"""Model cards: all that a person sees before any weight is read."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from models.registry.card import CheckpointError, Metric, read_card
from tests.models.registry.conftest import CARD
from tests.refusals import Refusal, refused


def write(folder: Path, text: str) -> Path:
    folder.mkdir()
    (folder / "README.md").write_text(text, encoding="utf-8", newline="")
    return folder


def test_a_card_is_read_without_weights(tmp_path: Path) -> None:
    card = read_card(write(tmp_path / "tiny", CARD))
    assert (card.name, card.task, card.licence, card.data) == ("tiny", "reversal", "mit", "generated")
    assert card.summary == "Turns strings around."
    assert card.architecture == "bidirectional GRU, additive attention"
    assert card.languages == ("es", "en")
    assert (card.parameters, card.bytes) == (1234, 2468)
    assert card.metrics == (Metric("exact match", 99.5, "twelve strings"),)
    assert card.body == "# Tiny\n\nText."


def test_one_language_may_be_a_plain_string(tmp_path: Path) -> None:
    card = read_card(write(tmp_path / "tiny", CARD.replace("[es, en]", "es")))
    assert card.languages == ("es",)


@pytest.mark.parametrize("empty", ["language:", "language: []"])
def test_a_language_may_be_left_empty(empty: str, tmp_path: Path) -> None:
    assert read_card(write(tmp_path / "tiny", CARD.replace("language: [es, en]", empty))).languages == ()


@pytest.mark.parametrize(
    "absent", ["language: [es, en]\n", CARD[CARD.index("model") : CARD.index("unrolled")]]
)
def test_a_card_may_lack_languages_or_metrics(absent: str, tmp_path: Path) -> None:
    assert absent in CARD
    card = read_card(write(tmp_path / "tiny", CARD.replace(absent, "")))
    assert card.languages == () or card.metrics == ()


def test_a_card_may_have_a_chapter_and_a_lesson(tmp_path: Path) -> None:
    plain = read_card(write(tmp_path / "plain", CARD))
    assert (plain.chapter, plain.lesson) == ("other", "")
    with_chapter = CARD.replace("unrolled:\n", "unrolled:\n  chapter: attention\n  lesson: It looks back.\n")
    card = read_card(write(tmp_path / "chapter", with_chapter))
    assert (card.chapter, card.lesson) == ("attention", "It looks back.")


@pytest.mark.parametrize("key", ["license", "unrolled", "summary", "task", "architecture", "data", "bytes"])
def test_a_missing_key_is_named(key: str, tmp_path: Path) -> None:
    folder = write(tmp_path / "tiny", CARD.replace(f"{key}:", "other:"))
    with refused(CheckpointError, "checkpoint_unusable", "README.md", "no_metadata", key):
        read_card(folder)


def test_three_dashes_within_the_text_of_a_card_are_text(tmp_path: Path) -> None:
    assert read_card(write(tmp_path / "tiny", CARD + "\n---\nMore.\n")).body.endswith("---\nMore.")


@pytest.mark.parametrize("end", ["x ---", "--- # ---", "a: ---"])
def test_three_dashes_at_the_end_of_a_line_are_text(end: str, tmp_path: Path) -> None:
    header = yaml.safe_dump({**yaml.safe_load(CARD.split("---\n")[1]), "name": end}, sort_keys=False)
    assert read_card(write(tmp_path / "tiny", f"---\n{header}---\nText.\n")).body == "Text."


def test_nested_yaml_aliases_are_refused(tmp_path: Path) -> None:
    keys = ", ".join(f"k{number}: 1" for number in range(10))
    lines = [f"a0: &a0 {{{keys}}}"]
    lines += [f"a{n}: &a{n}\n  <<: [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    folder = write(tmp_path / "tiny", CARD.replace("license: mit", "\n".join(["license: mit", *lines])))
    with refused(CheckpointError, "no_metadata"):
        read_card(folder)


def test_figures_multiplied_by_yaml_aliases_are_bounded(tmp_path: Path) -> None:
    start, end = CARD.index("model-index"), CARD[CARD.index("unrolled:") :]
    metric = "{name: exact match, type: exact_match, value: 99.5}"
    result = f"{{dataset: {{name: strings, type: generated}}, metrics: [{', '.join(['*m'] * 1000)}]}}"
    anchors = f"m: &m {metric}\nr: &r {result}\ni: &i {{name: x, results: [{', '.join(['*r'] * 1000)}]}}\n"
    several = f"model-index: [{', '.join(['*i'] * 1000)}]\n"
    card = read_card(write(tmp_path / "tiny", CARD[:start] + anchors + several + end))
    assert 0 < len(card.metrics) <= 200


@pytest.mark.parametrize(
    ("good", "odd", "refusal"),
    [
        ("bytes: 2468", "bytes: .inf", ("card_no_number", "bytes", "inf")),
        ("bytes: 2468", "bytes: -.inf", ("card_no_number", "bytes", "-inf")),
        ("parameters: 1234", "parameters: .nan", ("card_no_number", "parameters", "nan")),
        ("parameters: 1234", "parameters: 1" + 400 * "0", ("card_no_number", "parameters")),
        ("parameters: 1234", "parameters: true", ("card_no_number", "parameters", "True")),
        ("parameters: 1234", "parameters: [1]", ("card_no_number", "parameters", "[1]")),
        ("value: 99.5", "value: .nan", ("card_no_number", "value of a metric", "nan")),
        ("value: 99.5", "value: 2024-01-01", ("card_no_number", "value of a metric")),
        ("data: generated", "data: 2024-01-01", ("card_no_text", "data")),
        (
            "architecture: bidirectional GRU, additive attention",
            "architecture: [GRU]",
            ("card_no_text", "architecture"),
        ),
        ("summary: Turns strings around.", "summary: no", ("card_no_text", "summary")),
        ("task: reversal", "task: 3", ("card_no_text", "task")),
        ("license: mit", "license: {name: mit}", ("card_no_text", "license")),
        ("[es, en]", "[no]", ("card_no_text", "language", "False")),
        ("[es, en]", "no", ("card_no_text", "language")),
        ("[es, en]", "{es: en}", ("card_no_text", "language")),
        ("data: generated", "data: generated\n  chapter: [toys]", ("card_no_text", "chapter")),
        ("data: generated", "data: generated\n  lesson: 3", ("card_no_text", "lesson")),
        ("{name: exact match,", "{name: 3,", ("card_no_text", "name of a metric")),
        ("{name: twelve strings,", "{name: [12],", ("card_no_text", "name of a dataset")),
        ("- name: tiny", "- 3\n- name: tiny", ("not_a_mapping", "model-index")),
    ],
)
def test_an_odd_value_is_refused_with_a_sentence(
    good: str, odd: str, refusal: Refusal, tmp_path: Path
) -> None:
    assert CARD.count(good) == 1
    folder = write(tmp_path / "tiny", CARD.replace(good, odd))
    with refused(CheckpointError, *refusal, "README.md"):
        read_card(folder)


@pytest.mark.parametrize("text", [CARD.replace("\n", "\r\n"), "\ufeff" + CARD])
def test_line_endings_and_marks_of_other_systems_are_read(text: str, tmp_path: Path) -> None:
    assert read_card(write(tmp_path / "tiny", text)).parameters == 1234


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# Tiny\n",
        "---\n---\n",
        "---\n[1, 2]\n---\n",
        "---\n{\n---\n",
        "---\nunrolled: 3\n---\n",
        CARD.replace("1234", "many"),
        CARD.replace("99.5", "high"),
        CARD.replace("results:", "result:"),
        "---\n" + 100_000 * "[" + "\n---\n",
        "---\n" + 100_000 * "{a: " + "\n---\n",
        "---\n" + 50_000 * "- " + "x\n---\n",
        CARD.replace("license: mit", f"license: mit\nother: {300_000 * 'x'}"),
    ],
    ids=lambda text: text[:40],
)
def test_a_card_without_usable_metadata_is_refused(text: str, tmp_path: Path) -> None:
    folder = write(tmp_path / "tiny", text)
    with refused(CheckpointError, "checkpoint_unusable", "tiny", "README.md", "no_metadata", "copy_again"):
        read_card(folder)


def test_a_missing_card_is_named(tmp_path: Path) -> None:
    with refused(CheckpointError, "checkpoint_unusable", "README.md", "file_cannot_be_read"):
        read_card(tmp_path)


def test_a_card_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_bytes(b"---\n\xff\xfe\n---\n")
    with refused(CheckpointError, "checkpoint_unusable", "README.md", "file_cannot_be_read"):
        read_card(tmp_path)


def test_a_card_runs_no_code(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    header = (
        f"unrolled: !!python/object/apply:pathlib.Path.touch [!!python/object/apply:pathlib.Path ['{mark}']]"
    )
    with pytest.raises(CheckpointError):
        read_card(write(tmp_path / "tiny", f"---\n{header}\n---\n"))
    assert not mark.exists()
