"""The registry: finds by exact name, helps with a wrong one, and reads only the requested files."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from models.registry.card import CARD, CheckpointError
from models.registry.checkpoint import CONFIG, WEIGHTS, Checkpoint, save_checkpoint
from models.registry.hugging_face.checks import FILES_FOLDER
from models.registry.registry import EXAMPLE, Registry, UnknownCheckpointError
from tests.fakes.traces import library_trace
from tests.refusals import refused

ROOT = Path(__file__).parents[3]
TRACE = replace(library_trace(), checkpoint="reverse-gru", source_text="abc")


def test_names_are_the_folders_with_a_config(root: Path) -> None:
    (root / "notes").mkdir()
    (root / "config.json").write_text("{}")
    assert Registry(root).names() == ("reverse-gru", "spa-eng-gru")


@pytest.mark.parametrize("name", [b"reverse-gru@old", b"two\nlines", b"not UTF-8 \xff"])
def test_a_folder_with_an_invalid_name_is_left_out(root: Path, name: bytes) -> None:
    shutil.copytree(root / "reverse-gru", root / os.fsdecode(name))
    assert Registry(root).names() == ("reverse-gru", "spa-eng-gru")


class VanishingRegistry(Registry):
    """Lists a checkpoint that is removed before it is read."""

    def names(self) -> tuple[str, ...]:
        return "a-gone-one", *super().names()


def test_checkpoints_removed_during_a_listing_are_left_out(root: Path) -> None:
    (root / "reverse-gru" / CONFIG).write_text("{")
    registry = VanishingRegistry(root)
    assert [*registry.configs()] == ["spa-eng-gru"]
    assert [*registry.cards()] == ["reverse-gru", "spa-eng-gru"]


def test_a_missing_folder_has_no_checkpoints(tmp_path: Path) -> None:
    assert Registry(tmp_path / "nowhere").names() == ()


def test_each_part_is_read_by_name(root: Path) -> None:
    registry = Registry(root)
    assert registry.card("spa-eng-gru").name == "spa-eng-gru"
    assert registry.config("spa-eng-gru").examples == ("abc",)
    assert registry.tokenizer("spa-eng-gru").encode("a").tokens == ("a", "</s>")
    assert registry.load("spa-eng-gru", torch.device("cpu")).name == "spa-eng-gru"


def test_card_and_tokenizer_need_no_weights(root: Path) -> None:
    (root / "reverse-gru" / WEIGHTS).unlink()
    registry = Registry(root)
    assert registry.card("reverse-gru").parameters == 1234
    assert registry.tokenizer("reverse-gru").vocab_size == registry.config("reverse-gru").vocab_size
    with refused(CheckpointError, "checkpoint_unusable", WEIGHTS):
        registry.load("reverse-gru", torch.device("cpu"))


@pytest.mark.parametrize("name", ["revers-gru", "reverse_gru", "Reverse-GRU", "reverse-gru "])
def test_a_similar_name_is_refused_with_a_hint(root: Path, name: str) -> None:
    with pytest.raises(UnknownCheckpointError) as excinfo:
        Registry(root).card(name)
    assert str(excinfo.value) == f"There is no checkpoint {name!r}; did you mean 'reverse-gru'?"


def test_a_dissimilar_name_is_refused_with_the_list(root: Path) -> None:
    with refused(
        UnknownCheckpointError, "no_such_checkpoint", "marian", "there_are", "reverse-gru, spa-eng-gru"
    ):
        Registry(root).card("marian")


def test_an_empty_registry_is_reported_as_empty(tmp_path: Path) -> None:
    with refused(UnknownCheckpointError, "there_are", "none"):
        Registry(tmp_path).card("reverse-gru")


@pytest.mark.parametrize(
    "name", ["../outside", "inside/../reverse-gru", ".", "", "/", "reverse-gru/", "*", "\0"]
)
@pytest.mark.parametrize("part", ["card", "config", "tokenizer", "example"])
def test_a_name_cannot_point_outside_the_registry(root: Path, name: str, part: str) -> None:
    outside = Registry(root / "inside")
    (root / "inside").mkdir()
    (root / "reverse-gru").rename(root / "outside")
    (root / "spa-eng-gru").rename(root / "inside" / "reverse-gru")
    with pytest.raises(UnknownCheckpointError):
        getattr(outside, part)(name)


@pytest.mark.parametrize("name", [None, 3, ["reverse-gru"], {"name": "reverse-gru"}])
def test_an_invalid_name_is_unknown(root: Path, name: Any) -> None:
    with refused(UnknownCheckpointError, "no_such_checkpoint"):
        Registry(root).card(name)


def test_a_damaged_checkpoint_is_listed_without_affecting_others(root: Path) -> None:
    (root / "reverse-gru" / "config.json").write_text("{")
    registry = Registry(root)
    assert registry.names() == ("reverse-gru", "spa-eng-gru")
    assert registry.config("spa-eng-gru").vocab_size > 0
    with refused(CheckpointError, "checkpoint_unusable", "reverse-gru", "config.json", "file_cannot_be_read"):
        registry.config("reverse-gru")


def test_every_card_is_listed_and_an_unreadable_one_has_a_reason(root: Path) -> None:
    (root / "reverse-gru" / "README.md").unlink()
    cards = Registry(root).cards()
    assert list(cards) == ["reverse-gru", "spa-eng-gru"]
    assert isinstance(cards["reverse-gru"], CheckpointError)
    assert "README.md cannot be read" in str(cards["reverse-gru"])
    assert cards["spa-eng-gru"] == Registry(root).card("spa-eng-gru")


def test_a_stored_example_is_read(root: Path) -> None:
    (root / "reverse-gru" / EXAMPLE).write_text(TRACE.to_json(), encoding="utf-8")
    assert Registry(root).example("reverse-gru") == TRACE


@pytest.mark.parametrize("content", ["[" * 100_000, None, "", "{", "{}", '{"schema_version": -1}', "[]"])
def test_an_unusable_example_can_be_made_again(root: Path, content: str | None) -> None:
    if content is not None:
        (root / "reverse-gru" / EXAMPLE).write_text(content)
    with refused(
        CheckpointError,
        "checkpoint_unusable",
        "reverse-gru",
        "example.json",
        "file_cannot_be_used",
        "make_example",
    ):
        Registry(root).example("reverse-gru")


@pytest.mark.parametrize(("file", "part"), [(EXAMPLE, "example"), (CARD, "card")])
def test_a_file_that_cannot_be_opened_is_named_without_its_path(root: Path, file: str, part: str) -> None:
    """Visitors read the message, and must not learn where a server keeps its files."""
    (root / "reverse-gru" / file).unlink(missing_ok=True)
    for problem in ("No such file or directory", "Is a directory"):
        with refused(CheckpointError, "checkpoint_unusable", file, problem) as excinfo:
            getattr(Registry(root), part)("reverse-gru")
        assert str(root) not in str(excinfo.value)
        (root / "reverse-gru" / file).mkdir(exist_ok=True)


@pytest.mark.slow
def test_the_first_page_loads_no_torch(root: Path) -> None:
    (root / "reverse-gru" / EXAMPLE).write_text(TRACE.to_json(), encoding="utf-8")
    program = (
        "import sys; from pathlib import Path; from models.registry.registry import Registry\n"
        "registry, name = Registry(Path(sys.argv[1])), 'reverse-gru'\n"
        "vocab_size, trace = registry.tokenizer(name).vocab_size, registry.example(name)\n"
        "print(registry.card(name).task, vocab_size, trace.source_text)\n"
        "print([module for module in ('torch', 'gradio', 'transformers') if module in sys.modules])"
    )
    command = [sys.executable, "-c", program, str(root)]
    output = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert output.splitlines() == ["reversal 13 abc", "[]"]


def test_an_unlisted_checkpoint_opens_by_its_name(root: Path, tmp_path: Path) -> None:
    hidden = Path(shutil.copytree(root / "reverse-gru", root / "elsewhere" / "best"))
    registry = Registry(root, {"mine-0123456789ab": hidden}.get)
    assert registry.names() == ("reverse-gru", "spa-eng-gru")
    assert registry.folder("mine-0123456789ab") == hidden
    assert registry.card("mine-0123456789ab").name == "mine-0123456789ab"  # not that of its folder
    assert registry.load("mine-0123456789ab", torch.device("cpu")).name == "mine-0123456789ab"
    assert registry.tokenizer("mine-0123456789ab").encode("a").tokens == ("a", "</s>")
    with pytest.raises(UnknownCheckpointError) as excinfo:
        registry.card("mine-0123456789ac")
    assert "mine-0123456789ab" not in str(excinfo.value)  # no hint gives a name away


def test_a_listed_checkpoint_goes_before_an_unlisted_one(root: Path) -> None:
    registry = Registry(root, lambda name: root / "spa-eng-gru")
    assert registry.folder("reverse-gru") == root / "reverse-gru"
    assert registry.folder("anything") == root / "spa-eng-gru"


def test_a_version_changes_when_a_checkpoint_is_written_and_only_then(
    root: Path, make: Callable[..., Checkpoint]
) -> None:
    registry = Registry(root)
    first = registry.version("reverse-gru")
    registry.load("reverse-gru", torch.device("cpu"))
    (root / "reverse-gru" / "README.md").touch()
    assert registry.version("reverse-gru") == first
    save_checkpoint(root / "reverse-gru", make())
    assert registry.version("reverse-gru") > first
    (root / "reverse-gru" / CONFIG).unlink()
    with pytest.raises(UnknownCheckpointError):
        registry.version("reverse-gru")
    assert Registry(root, lambda name: root / "reverse-gru").version("gone") != first


@pytest.mark.parametrize("file", [WEIGHTS, f"{FILES_FOLDER}/model-00002.safetensors"])
def test_a_version_follows_the_weights_beside_an_old_configuration(root: Path, file: str) -> None:
    registry, weights = Registry(root), root / "reverse-gru" / file
    (root / "reverse-gru" / FILES_FOLDER).mkdir()
    weights.write_bytes(b"whole")
    whole = registry.version("reverse-gru")
    modified = weights.stat().st_mtime_ns
    weights.write_bytes(b"cut")
    os.utime(weights, ns=(modified, modified))
    cut = registry.version("reverse-gru")
    weights.write_bytes(b"WHOLE")
    os.utime(weights, ns=(modified + 1, modified + 1))
    repaired = registry.version("reverse-gru")
    weights.unlink()
    assert len({whole, cut, repaired, registry.version("reverse-gru")}) == 4
