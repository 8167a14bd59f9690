"""A Hub with models of each kind, and a store that fetches from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from models.hub.settings import HubSettings
from models.hub.storage.store import HubStore
from models.networks.architectures import network_dict
from models.registry.checkpoint import Checkpoint, CheckpointConfig, save_checkpoint
from models.tokenization.tokenizer import Tokenizer
from tests.fakes.servers.hub_server import FakeHub
from tests.fakes.tiny_networks import VOCAB_SIZE, tiny_model
from tests.models.registry.conftest import CARD, TIED
from tests.waiting import PATIENCE

REPOSITORY, NAME = "someone/tiny", "someone/theirs"
SAFE, PICKLED = "model.safetensors", "pytorch_model.bin"
FAMILIES = ("marian", "t5", "bart", "nllb")


@pytest.fixture(scope="session")
def own_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint in our own format, with its card."""
    folder = tmp_path_factory.mktemp("own")
    tokenizer = Tokenizer.train(["abcdefghi"], "character", vocab_size=VOCAB_SIZE)
    config = CheckpointConfig(
        network=network_dict(TIED),
        vocab_size=VOCAB_SIZE,
        task="reversal",
        source_language="",
        target_language="",
        examples=("abc",),
    )
    save_checkpoint(folder, Checkpoint("tiny", config, tokenizer, tiny_model(TIED).float()))
    (folder / "README.md").write_text(CARD, encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def own_files(own_folder: Path) -> Mapping[str, bytes]:
    """The same files, and two that nobody should fetch."""
    files = {path.name: path.read_bytes() for path in own_folder.iterdir()}
    return files | {"modeling.py": b"raise SystemExit", "big.onnx": bytes(5_000_000)}


@pytest.fixture
def hub(own_files: Mapping[str, bytes]) -> Iterator[FakeHub]:
    server = FakeHub({REPOSITORY: own_files})
    server.slow = {"model.safetensors"}
    yield server
    server.close()


@pytest.fixture
def settings(hub: FakeHub, tmp_path: Path) -> HubSettings:
    return HubSettings(root=tmp_path / "hub", endpoint=hub.url, timeout=PATIENCE)


@pytest.fixture
def store(settings: HubSettings) -> HubStore:
    return HubStore(settings)


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Any]]:
    """Return the folder of a repository and its network, by family."""
    from tests.fakes.hugging_face.folders import save_repository  # needs the library

    root = tmp_path_factory.mktemp("theirs")
    return {family: (root / family, save_repository(root / family, family)[1]) for family in FAMILIES}


@pytest.fixture
def serve(hub: FakeHub, folders: Mapping[str, tuple[Path, Any]]) -> Callable[[str], Any]:
    """Put a family on the Hub; its network."""

    def put(family: str) -> Any:
        folder, network = folders[family]
        hub.files[NAME] = {path.name: path.read_bytes() for path in folder.iterdir()}
        return network

    return put
