"""Settings of the whole suite: quiet and frugal libraries, the device to test on, and the `gpu` mark."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

# Before torch, tokenizers or gradio are imported; child processes inherit them.
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
# Seconds: a busy machine may need longer than the default.
os.environ["HF_HUB_DOWNLOAD_TIMEOUT"] = os.environ["HF_HUB_ETAG_TIMEOUT"] = "600"
os.environ.setdefault("OMP_NUM_THREADS", "1")  # tiny models are slower with more threads

import pytest

from tests.costs import Costs

DEAR = ("slow", "full", "release")  # marks, the dearest tests' last
gc.disable()  # until everything is imported and collected, since none of it is garbage


def pytest_collection_finish() -> None:
    """Collect garbage from now on, but leave out the million objects of imported modules."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)
    gc.enable()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--device",
        default="cpu",
        help="run the suite on this torch device: cpu (default), cuda, cuda:1, mps, or pretend, which "
        "computes on the CPU and fails where tensors of two devices meet. "
        "Tests marked gpu run only on a device other than cpu.",
    )
    parser.addoption(
        "--costs",
        type=Path,
        help="keep the processor seconds of each test in this file, and name those that exceed their limit",
    )
    parser.addoption(
        "--strict-costs", action="store_true", help="with --costs: fail if a test exceeds its limit"
    )


def pytest_configure(config: pytest.Config) -> None:
    if file := config.getoption("--costs"):
        config.pluginmanager.register(Costs(file, strict=config.getoption("--strict-costs")))
    if config.getoption("--device") != "pretend":
        return
    from tests.fakes import pretend_accelerator

    problem = pretend_accelerator.missing()
    if problem:
        raise pytest.UsageError(f"--device pretend: {problem}")
    pretend_accelerator.install()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Iterator[None]:
    """Fail a test that leaves gradients switched off, which would fail all later tests of its worker."""
    yield
    torch = sys.modules.get("torch")
    if torch is not None and not torch.is_grad_enabled():
        torch.set_grad_enabled(True)
        pytest.fail("The test has left gradients switched off.", pytrace=False)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    _sort_by_cost(items)
    if config.getoption("--device") != "cpu":
        return
    gpu = [item for item in items if item.get_closest_marker("gpu")]
    items[:] = [item for item in items if not item.get_closest_marker("gpu")]
    config.hook.pytest_deselected(items=gpu)


def _sort_by_cost(items: list[pytest.Item]) -> None:
    """Put modules with dear tests first, so that no worker begins one while the others have nothing to do."""
    dearness: dict[Path, int] = {}
    for item in items:
        marks = [index for index, mark in enumerate(DEAR) if item.get_closest_marker(mark)]
        dearness[item.path] = max(dearness.get(item.path, -1), *marks, -1)
    items.sort(key=lambda item: -dearness[item.path])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    deselected = terminalreporter.stats.get("deselected", [])
    gpu = sum(item.get_closest_marker("gpu") is not None for item in deselected)
    if gpu:
        terminalreporter.write_line(f"gpu tests deselected: {gpu}; `pytest --device cuda` runs them")


@pytest.fixture(scope="session")
def device(request: pytest.FixtureRequest) -> str:
    """The torch device that `--device` names, after a check that this machine has it."""
    import torch  # here, so that a test without a model does not wait for it

    name: str = request.config.getoption("--device")
    try:
        torch.empty(1, device=name).item()
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        problem = f"--device {name}: this machine, or this build of torch, does not have it ({error})"
        raise pytest.fail.Exception(problem, pytrace=False) from None
    return name
