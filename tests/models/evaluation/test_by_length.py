"""Quality against source length: bins that can be counted by hand, fresh sources, the command."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from itertools import product
from pathlib import Path
from subprocess import CompletedProcess

import pytest
import torch

from models.corpus.generated.all_tasks import GENERATED
from models.decoding.options import DecodingOptions
from models.evaluation import by_length
from models.evaluation.by_length import (
    FRESH_PER_LENGTH,
    MAX_FRESH_LENGTH,
    MIN_FRESH,
    _fresh,
    length_bins,
    longer_histories,
    quality_by_length,
    source_length,
    source_unit,
    strings_of_every_length,
    table,
)
from models.evaluation.command import task_recipe, training_sources
from models.registry.registry import QUALITY, Registry
from tests.fakes.processes.programs import run_here, run_module_here
from tests.messages import says

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("lengths", "min_sources", "bins"),
    [
        ([1, 2, 3], 1, ((1, 1), (2, 2), (3, 3))),
        ([1, 2, 2, 3, 9], 2, ((1, 2), (3, 9))),
        ([1, 1, 2, 2, 3], 2, ((1, 1), (2, 3))),  # too few at the end join the last bin
        ([4, 4, 8, 8], 2, ((4, 4), (8, 8))),  # lengths that do not occur are in no bin
        ([5], 10, ((5, 5),)),
        ([2, 3, 7], 10, ((2, 7),)),
    ],
)
def test_bins_hold_enough_sources(
    lengths: list[int], min_sources: int, bins: tuple[tuple[int, int], ...]
) -> None:
    assert length_bins(lengths, min_sources) == bins
    assert length_bins(lengths[::-1], min_sources) == bins


def test_the_first_bin_includes_sources_that_are_too_short_for_bleu() -> None:
    lengths = [1] * 9 + [2] * 9 + [3] * 9 + [4] * 9
    assert length_bins(lengths, 5, min_last=3) == ((1, 3), (4, 4))
    assert length_bins([1, 2], 1, min_last=3) == ((1, 2),)


def test_an_empty_list_of_lengths_is_refused() -> None:
    with pytest.raises(ValueError, match="length"):
        length_bins([], 5)


@pytest.mark.parametrize(
    ("sources", "task", "unit", "length"),
    [
        (["una casa", "hola", "no lo sé"], "translation", "words", 2),
        (["我喜欢吃苹果。", "你好"], "translation", "characters", 7),
        (["tomato", "to mate"], "pronunciation", "characters", 6),
        (["s0 a1 s2", "s1"], "histories", "words", 3),
        (["3 March", "4 May"], "dates", "characters", 7),
    ],
)
def test_the_unit_of_source_length_depends_on_the_task(
    sources: list[str], task: str, unit: str, length: int
) -> None:
    assert source_unit(sources, task) == unit
    assert source_length(sources[0], unit) == length


@pytest.mark.parametrize("name", ["reversal", "copy", "sort"])
def test_fresh_strings_have_equal_numbers_of_each_length_and_the_requested_difficulty(name: str) -> None:
    pairs = strings_of_every_length(GENERATED[name], random.Random(0), {"alphabet": 3, "longest": 5}, ())
    counts = Counter(len(source) for source, _ in pairs)
    few = {3: 3**3, 4: 3**4}  # all there are; of one and two letters there are no more than nine
    assert counts == few | dict.fromkeys(range(5, MAX_FRESH_LENGTH + 1), FRESH_PER_LENGTH)
    assert len(set(pairs)) == len(pairs)
    assert {letter for source, _ in pairs for letter in source} == set("abc")


def test_no_fresh_string_was_trained_on() -> None:
    """A length with hardly any new string is left out."""
    folder = ROOT / "checkpoints" / "reverse-gru"
    recipe = task_recipe(folder)
    assert recipe is not None
    trained = training_sources("reversal", recipe)
    checkpoint = Registry(folder.parent).load("reverse-gru", torch.device("cpu"))
    sources = [source for source, _ in _fresh(checkpoint, folder)]
    assert trained.isdisjoint(sources)
    counts = Counter(map(len, sources))
    assert counts[1] == 0
    assert MIN_FRESH <= counts[2] <= 26**2 - len([source for source in trained if len(source) == 2])
    assert [counts[length] for length in range(3, 21)] == [FRESH_PER_LENGTH] * 18


def test_a_length_without_enough_unseen_sources_is_left_out() -> None:
    """19 of 27 unseen strings are too few, 20 are enough."""
    task, options = GENERATED["copy"], {"alphabet": 3, "longest": 5}
    every = ["".join(letters) for letters in product("abc", repeat=3)]
    for unseen, lengths in ((19, range(4, 21)), (20, range(3, 21))):
        pairs = strings_of_every_length(task, random.Random(0), options, every[unseen:])
        assert {len(source) for source, _ in pairs} == set(lengths)
        assert {source for source, _ in pairs}.isdisjoint(every[unseen:])


def test_a_checkpoint_that_reads_pictures_is_refused(tmp_path: Path) -> None:
    data = tmp_path / "pairs.tsv"
    data.write_text("a\tb\n", encoding="utf-8")
    for arguments in ([], ["--data", str(data)], ["--data", "absent.tsv"]):
        done = run(ROOT / "checkpoints", "--checkpoint", "shapes-captioner", *arguments)
        assert done.returncode == 1
        assert says(done.stderr, "pictures_have_no_length")


def test_longer_histories_begin_beyond_the_lengths_of_training() -> None:
    options = GENERATED["histories"].check({"states": 5, "horizon": 4})
    pairs = longer_histories(GENERATED["histories"], random.Random(0), options)
    counts = Counter(len(source.split()) for source, _ in pairs)
    assert set(counts) == set(range(2 * 5 + 1, MAX_FRESH_LENGTH + 2, 2))
    assert min(counts.values()) > FRESH_PER_LENGTH / 2
    assert "s4" in {token for source, _ in pairs for token in source.split()}


def test_each_bin_has_the_score_of_its_own_sources() -> None:
    """Short strings are all right, and long ones, whose reference is not the mirror image, all wrong."""
    checkpoint = Registry(ROOT / "checkpoints").load("reverse-gru", torch.device("cpu"))
    letters = "abcdefghijklmnopqrstuvwxyz"
    right = [(f"{a}{b}", f"{b}{a}") for a in letters[:10] for b in letters[:6]]  # 60 of two letters
    wrong = [(f"{a}{b}{a}", "no") for a in letters[:10] for b in letters[:6]]  # 60 of three
    twice = [("ab", "never"), ("aba", "aba")]  # a second reference neither harms nor stays unused
    greedy = DecodingOptions("greedy", max_length=checkpoint.config.max_length)
    quality = quality_by_length(checkpoint, [*right, *wrong, *twice], greedy)
    assert (quality.metric, quality.unit, quality.task) == ("exact match", "characters", "reversal")
    two, three = quality.bins
    assert (two.first, two.last, two.sources, two.value, two.high) == (2, 2, 60, 100, 100)
    assert 90 < two.low < 100  # sixty right ones do not prove that all are
    assert (three.first, three.last, three.sources) == (3, 3, 60)
    assert three.value == pytest.approx(100 / 60, abs=0.01)
    assert 0 < three.low < three.value < three.high
    assert quality.resamples == 0
    assert quality.strategy == "greedy"
    again = quality_by_length(checkpoint, [*twice, *wrong, *right], greedy)
    assert again.same_test == quality.same_test  # whatever the order of the file
    assert f"    2       60        100.0   {two.low:.1f} to 100.0" in table(quality)


def run(root: Path, *arguments: str) -> CompletedProcess[str]:
    return run_here(by_length.main, "--device", "cpu", "--root", str(root), *arguments)


def test_the_command_writes_a_file_for_each_checkpoint(tmp_path: Path) -> None:
    for name in ("one", "two"):
        shutil.copytree(ROOT / "checkpoints" / "reverse-gru", tmp_path / name)
        (tmp_path / name / QUALITY).unlink(missing_ok=True)
    data = tmp_path / "pairs.tsv"
    data.write_text("cba\tabc\nba\tab\n", encoding="utf-8")
    arguments = ("--checkpoint", "one", "--checkpoint", "two", "--data", str(data), "--swap")
    program = "models.evaluation.by_length"
    done = run_module_here(program, "--device", "cpu", "--root", str(tmp_path), *arguments)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("exact match by source length, greedy") == 2
    one, two = (Registry(tmp_path).quality_by_length(name) for name in ("one", "two"))
    assert one is not None
    assert two is not None
    assert [(bin.first, bin.last, bin.sources, bin.value) for bin in one.bins] == [(2, 3, 2, 100.0)]
    assert one.same_test == two.same_test


@pytest.mark.parametrize(
    ("arguments", "code", "fields"),
    [
        (["--checkpoint", "reverse-gur"], "did_you_mean", {"close": "'reverse-gru'"}),
        (["--checkpoint", "spa-eng-gru"], "data_needed", {"name": "'spa-eng-gru'"}),
        (["--checkpoint", "reverse-gru", "--data", "absent.tsv"], "file_unreadable", {"name": "absent.tsv"}),
        (
            ["--checkpoint", "reverse-gru", "--beam-size", "-3"],
            "not_whole_within",
            {"name": "beam_size", "low": 1},
        ),
    ],
)
def test_a_bad_command_fails_with_one_sentence(
    arguments: list[str], code: str, fields: dict[str, object]
) -> None:
    done = run(ROOT / "checkpoints", *arguments)
    assert done.returncode == 1
    assert says(done.stderr, code, **fields)
    assert "Traceback" not in done.stderr
