"""Rules that confine three tasks: using Gradio's internals, reading the environment, reporting our faults."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

import pytest

from tests.source_modules import ROOT, Module, read, sources, within

# The documented submodules of Gradio, and the modules of ours that may use undocumented ones.
GRADIO = ("gradio.components", "gradio.themes")
INSIDE_GRADIO = ("demo.server.gradio_compat", "demo.server.gradio_queue", "tests.fakes.gradio_inside")
# Modules that read the environment: the one that declares ours, and those that read variables of platforms.
ENVIRONMENT = (
    *("models.environment", "models.hub.download.fetch", "models.training.process_group"),
    *("demo.server.zero_gpu", "demo.tabs.training.push_card", "demo.interface"),
)


def dotted(node: ast.Attribute) -> str:
    """Return a dotted name of two parts, such as `os.environ`, or "". Far faster than `ast.unparse`."""
    return f"{node.value.id}.{node.attr}" if isinstance(node.value, ast.Name) else ""


def gradios_inside_is_in_one_place(module: Module) -> Iterator[str]:
    if module.name in INSIDE_GRADIO:
        return
    private = {f"gr.{name}" for name in ("blocks", "context", "queueing", "routes", "utils")}
    for target in module.imports():
        name = target.removeprefix("gradio.")
        first = name.split(".")[0]
        submodule = name != target and first.islower() and f"gradio.{first}" not in GRADIO
        if submodule or within(target, "gradio_client.utils"):
            yield f"{module.name} imports {target}: ask demo.server.gradio_compat"
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Attribute) and (
            node.attr in {"_queue", "_data", "get_blocks"} or dotted(node) in private
        ):
            yield f"{module.name}:{node.lineno} reads {ast.unparse(node)}: ask demo.server.gradio_compat"


def settings_are_declared(module: Module) -> Iterator[str]:
    if not any(within(module.name, reader) for reader in ENVIRONMENT):
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Attribute) and dotted(node) in {"os.environ", "os.getenv"}:
                yield f"{module.name}:{node.lineno} reads {ast.unparse(node)}: declare a variable"


def faults_are_reported_in_one_place(module: Module) -> Iterator[str]:
    if module.name == "demo.errors":
        return
    if "demo.errors.UNEXPECTED_ERROR" in module.imports():
        yield f"{module.name} imports UNEXPECTED_ERROR: use demo.errors.failure_message"
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Attribute) and dotted(node) == "logger.exception":
            yield f"{module.name}:{node.lineno} logs a fault: use demo.errors.failure_message"


BREACHES: tuple[tuple[Callable[[Module], Iterator[str]], str, str], ...] = (
    (gradios_inside_is_in_one_place, "demo.tabs.decode", "from gradio.blocks import Block"),
    (gradios_inside_is_in_one_place, "demo.tabs.decode", "from gradio import routes"),
    (gradios_inside_is_in_one_place, "demo.tabs.decode", "from gradio_client.utils import traverse"),
    (gradios_inside_is_in_one_place, "demo.tabs.decode", "import gradio as gr\ngr.context.Context"),
    (gradios_inside_is_in_one_place, "demo.tabs.decode", "def f(event):\n    return event._data"),
    (settings_are_declared, "demo.service.context", "import os\nos.environ.get('UNROLLED_RATE')"),
    (faults_are_reported_in_one_place, "demo.tabs.decode", "from demo.errors import UNEXPECTED_ERROR"),
    (faults_are_reported_in_one_place, "demo.service.context", "logger.exception('it failed')"),
)


@pytest.mark.slow
def test_internals_of_gradio_are_used_in_one_module() -> None:
    modules = [read(ROOT / "app.py"), *sources("demo", "tests")]
    assert [breach for module in modules for breach in gradios_inside_is_in_one_place(module)] == []


@pytest.mark.slow
def test_every_setting_is_declared() -> None:
    modules = [read(ROOT / "app.py"), *sources("models", "demo")]
    assert [breach for module in modules for breach in settings_are_declared(module)] == []


@pytest.mark.slow
def test_unexpected_errors_are_reported_in_one_place() -> None:
    assert [breach for module in sources("demo") for breach in faults_are_reported_in_one_place(module)] == []


@pytest.mark.parametrize(("rule", "name", "text"), BREACHES)
def test_a_planted_breach_is_noticed(rule: Callable[[Module], Iterator[str]], name: str, text: str) -> None:
    assert list(rule(Module(name, text)))
