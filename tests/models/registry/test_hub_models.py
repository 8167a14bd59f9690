"""Models from the Hub, which strangers made, beside the checkpoints that ship."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch

from models.registry.card import CheckpointError
from models.registry.checkpoint import TOKENIZER, WEIGHTS
from models.registry.registry import EXAMPLE, Registry, UnknownCheckpointError
from tests.refusals import refused

NAME = "somebody/reverser"
CPU = torch.device("cpu")


@dataclass(frozen=True)
class Folders:
    """Models from the Hub, by the names of their folders."""

    by_name: dict[str, Path]

    def names(self) -> tuple[str, ...]:
        return tuple(name for name, folder in self.by_name.items() if folder.exists())

    def folder(self, name: str) -> Path | None:
        folder = self.by_name.get(name)
        return folder if folder is not None and folder.exists() else None


@pytest.fixture
def foreign_folder(root: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(root / "reverse-gru", tmp_path / "fetched" / "somebody--reverser"))


@pytest.fixture
def registry(root: Path, foreign_folder: Path) -> Registry:
    # A model from the Hub with the name "reverse-gru" must not take the place of the one that ships.
    return Registry(root, hub_models=Folders({NAME: foreign_folder, "reverse-gru": foreign_folder}))


def test_stored_models_are_listed_and_loaded(registry: Registry, foreign_folder: Path, root: Path) -> None:
    assert registry.names()[-2:] == (NAME, "reverse-gru")
    assert registry.folder(NAME) == foreign_folder
    assert registry.folder("reverse-gru") == root / "reverse-gru"
    assert registry.load(NAME, CPU).name == NAME
    assert NAME in registry.cards()


def test_texts_of_strangers_are_not_shown(registry: Registry, foreign_folder: Path) -> None:
    (foreign_folder / EXAMPLE).write_text("{}")
    card = registry.card(NAME)
    assert "Text." not in card.body
    assert f"https://huggingface.co/{NAME}" in card.body
    with refused(CheckpointError, "from_strangers"):
        registry.example(NAME)
    assert registry.quality_by_length(NAME) is None


@pytest.mark.parametrize("file", [WEIGHTS, TOKENIZER])
def test_a_damaged_model_has_to_be_added_again(registry: Registry, foreign_folder: Path, file: str) -> None:
    (foreign_folder / file).write_bytes(b"")
    with refused(CheckpointError, "checkpoint_unusable", "add_again", NAME, file):
        registry.load(NAME, CPU)


def test_a_removed_model_is_reported_as_gone(registry: Registry, foreign_folder: Path) -> None:
    shutil.rmtree(foreign_folder)
    with refused(UnknownCheckpointError, "model_not_here"):
        registry.load(NAME, CPU)
    assert NAME not in registry.cards()
