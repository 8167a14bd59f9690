"""The shipped checkpoints, with the states of lessons that have been computed from them."""

from __future__ import annotations

import pytest

from demo.learn.lessons.states import States
from demo.work.context import AppContext
from models.registry.registry import Registry
from tests.source_modules import ROOT


@pytest.fixture(scope="package")
def context() -> AppContext:
    return AppContext(Registry(ROOT / "checkpoints"), "cpu")


@pytest.fixture(scope="package")
def states(context: AppContext) -> States:
    return States(context)
