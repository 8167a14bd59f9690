"""Modules that must load without torch: those for the page's first view, the server and waiting processes."""

from __future__ import annotations

import pytest

from models.decoding.strategies import names
from tests.source_modules import Module, loads_torch, sources, within
from tests.test_architecture import RECORDS, TABLES

# Modules of processes that may never need torch: those that wait for a device, and the server.
LIGHT = (
    *RECORDS,
    *TABLES,
    "models.hub.storage.store",
    "models.hub.upload.push",
    "models.training.launch.worker",
    "demo.server.zero_gpu",
    "demo.static.answers",
)


@pytest.mark.parametrize("name", LIGHT)
def test_a_light_module_loads_no_torch(name: str) -> None:
    project = {module.name: module for module in sources("models", "demo")}
    assert name in project
    assert loads_torch(name, project) == []


def test_torch_is_noticed_in_a_package_above() -> None:
    modules = [
        Module("models.decoding", "from .search.loop import search", is_package=True),
        Module("models.decoding.search.loop", "import torch.nn"),
        Module("models.decoding.trace", "def f():\n    import torch"),
        Module("demo.figures.tree.beam_tree", "from models.decoding.trace import BeamNode"),
    ]
    project = {module.name: module for module in modules}
    assert loads_torch("demo.figures.tree.beam_tree", project) == ["models.decoding.search.loop"]


def test_no_strategy_loads_torch_before_searching() -> None:
    project = {module.name: module for module in sources("models", "demo")}
    modules = [name for name in project if within(name, "models.decoding.strategies")]
    assert len(modules) > len(names())
    assert {name: loads_torch(name, project) for name in modules} == {name: [] for name in modules}
