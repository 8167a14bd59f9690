"""A local Hub with a tiny Marian, a tiny NLLB and a checkpoint in our format, and a page that uses it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from demo.work.context import AppContext
from demo.work.hub import Hub
from models.hub.listing.curated import CuratedModel
from models.hub.settings import HubSettings
from models.registry.registry import Registry
from tests.fakes.hugging_face.folders import save_repository
from tests.fakes.servers.hub_server import FakeHub
from tests.waiting import PATIENCE

MARIAN, NLLB, NATIVE, GATED = "helsinki/tiny-marian", "meta/tiny-nllb", "ann/mine", "shut/gated"
EVIL = "<img src=x onerror=alert(1)> **bold** [here](https://example.org/)"
WEIGHTS = "model.safetensors"


def make_files(folder: Path, native: Path) -> dict[str, dict[str, bytes]]:
    """Return the files of the Hub. `native` is a folder in our format, whose card gets hostile text."""
    for name, family in ((MARIAN, "marian"), (NLLB, "nllb")):
        save_repository(folder / name, family)
    files = {name: _read(folder / name) for name in (MARIAN, NLLB)}
    card = (native / "README.md").read_bytes() + f"\n{EVIL}\n".encode()
    files[NATIVE] = _read(native) | {"README.md": card}
    files[GATED] = dict(files[MARIAN])
    return files


def curated(repo_id: str, title: str) -> CuratedModel:
    """Return an entry of the curated list."""
    return CuratedModel(
        repo_id, title, "translation", ("es", "fr"), 1, 1, "MIT", f"{title} says little.", "el gato"
    )


def make_hub(server: FakeHub, cache: Path, **settings: Any) -> Hub:
    """Return a service for the local Hub, with a curated list that also names a missing model."""
    server.gated = {GATED}
    models = (curated(MARIAN, "Tiny Marian"), curated(NLLB, "Tiny NLLB"), curated("no/body", "Nobody"))
    options = {"root": cache, "endpoint": server.url, "timeout": PATIENCE} | settings
    return Hub(HubSettings(**options), models)


def make_context(root: Path, hub: Hub) -> AppContext:
    """Return an application context without training."""
    return AppContext(Registry(root, hub_models=hub), "cpu", hub=hub)


def _read(folder: Path) -> Mapping[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}
