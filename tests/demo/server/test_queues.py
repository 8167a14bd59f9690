"""No handler decodes outside the queue for decoding, whose rate is counted: found by what each calls."""

from __future__ import annotations

import ast
from pathlib import Path
from types import FunctionType, SimpleNamespace

import pytest

from demo.page.interface import build_demo
from demo.server.events import decoding, is_decoding
from demo.server.gradio_compat import BlockFunction
from demo.work.operator.caps import WORK
from tests.fakes.training.form import training_context
from tests.source_modules import Module, sources

Name = tuple[str, str]  # module and name of a function
# Calls that lead to the decoder. A preview of training data takes a turn, too.
DECODERS = ("context.decode", "context.score", "context.turns.turn", "context.one_for_all")


def functions_of(module: Module) -> dict[str, ast.FunctionDef]:
    """The functions of a module by name; inner ones belong to the outer function or class."""
    return {node.name: node for node in module.tree.body if isinstance(node, ast.FunctionDef)}


def known_as(module: Module) -> dict[str, Name]:
    """The functions of the project that names of the module refer to."""
    names = {name: (module.name, name) for name in functions_of(module)}
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            names.update({alias.asname or alias.name: (node.module, alias.name) for alias in node.names})
    return names


def decoding_functions() -> set[Name]:
    """Functions of the page that reach the decoder, by themselves or through others."""
    uses: dict[Name, set[Name]] = {}
    decoders: set[Name] = set()
    for module in sources("demo"):
        names = known_as(module)
        for name, function in functions_of(module).items():
            nodes = list(ast.walk(function))
            read = {node.id for node in nodes if isinstance(node, ast.Name)}
            uses[module.name, name] = {names[name_read] for name_read in read if name_read in names}
            if any(isinstance(node, ast.Attribute) and ast.unparse(node) in DECODERS for node in nodes):
                decoders.add((module.name, name))
    while more := {name for name, used in uses.items() if used & decoders} - decoders:
        decoders |= more
    return decoders


def closure_of(handler: object) -> set[FunctionType]:
    """A handler and the functions that it closes over: `guard` and the like wrap one in another."""
    functions: set[FunctionType] = set()
    waiting = [handler]
    while waiting:
        value = waiting.pop()
        if isinstance(value, tuple):
            waiting += value
        elif isinstance(value, FunctionType) and value not in functions:
            functions.add(value)
            waiting += [cell.cell_contents for cell in value.__closure__ or ()]
    return functions


def decodes(function: BlockFunction, decoders: set[Name]) -> bool:
    return any((inner.__module__, inner.__name__) in decoders for inner in closure_of(function.fn))


@pytest.fixture(scope="module")
def functions(shipped: Path, tmp_path_factory: pytest.TempPathFactory) -> list[BlockFunction]:
    return list(build_demo(training_context(shipped, tmp_path_factory.mktemp("runs"))).fns.values())


@pytest.mark.slow
def test_handlers_that_decode_are_in_the_queue_for_it_and_no_others(functions: list[BlockFunction]) -> None:
    decoders = decoding_functions()
    reached = {function.name for function in functions if decodes(function, decoders)}
    public = {"translate", "score", "attribute", "lens"}
    assert {"compare_for", "on_open"} | public <= reached
    outside = [
        function.name for function in functions if decodes(function, decoders) and not is_decoding(function)
    ]
    assert not outside, f"give these events `decoding(...)`: {outside}"
    idle = [
        function.name for function in functions if is_decoding(function) and not decodes(function, decoders)
    ]
    assert not idle, f"these have the queue for decoding and never decode: {idle}"


@pytest.mark.slow
def test_every_handler_in_the_queue_does_a_kind_of_work_that_is_bounded(
    functions: list[BlockFunction],
) -> None:
    kinds = {kind.name for kind in WORK}
    queued = [function for function in functions if function.fn is not None and function.queue]
    assert {kind.concurrency_id for kind in queued} <= kinds, {
        kind.name for kind in queued if kind.concurrency_id not in kinds
    }


@pytest.mark.slow
def test_a_handler_outside_the_queue_would_be_found(functions: list[BlockFunction]) -> None:
    handler = next(function.fn for function in functions if function.name == "compare_for")
    misspelt = SimpleNamespace(fn=handler, concurrency_id="decoding")
    assert decodes(misspelt, decoding_functions())  # type: ignore[arg-type]
    assert not is_decoding(misspelt)  # type: ignore[arg-type]
    assert is_decoding(SimpleNamespace(fn=handler, **decoding()))  # type: ignore[arg-type]
