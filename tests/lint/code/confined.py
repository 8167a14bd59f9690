"""Tasks that belong to one module: to name the accelerator, read the environment, log faults and the like."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.lint.project import CODE, Findings, each_module
from tests.source_modules import Module, within

UNSAFE = ("pickle", "dill", "cloudpickle", "joblib", "shelve", "marshal")
# The documented submodules of Gradio, and the modules of ours that may use undocumented ones.
GRADIO = ("gradio.components", "gradio.themes")
INSIDE_GRADIO = ("demo.server.gradio_compat", "demo.server.gradio_queue", "tests.fakes.gradio_inside")
PRIVATE = {f"gr.{name}" for name in ("blocks", "context", "queueing", "routes", "utils")}
# Modules that read the environment: the one that declares ours, and those that read variables of platforms.
ENVIRONMENT = (
    *("models.environment", "models.hub.download.fetch", "models.training.process_group"),
    *("demo.server.zero_gpu", "demo.server.process", "demo.training.push.card", "demo.page.interface"),
)


def dotted(node: ast.expr) -> str:
    """Return a dotted name of two parts, such as `os.environ`, or "". Far faster than `ast.unparse`."""
    is_pair = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    return f"{node.value.id}.{node.attr}" if is_pair else ""


def attributes(module: Module, *names: str) -> Iterator[ast.Attribute]:
    """Yield where a module reads dotted names of two parts."""
    yield from (node for node in module.nodes(ast.Attribute) if dotted(node) in names)


@each_module(*CODE)
def one_file_knows_the_accelerator(module: Module) -> Findings:
    if module.name != "models.device" and "cuda" in module.text.lower():
        line = module.text.lower().split("cuda")[0].count("\n") + 1
        yield line, 'says "cuda": ask models.device'


@each_module(*CODE)
def no_pickles(module: Module) -> Findings:
    for target, line in module.import_lines():
        if any(within(target, name) for name in UNSAFE) or target == "torch.load":
            yield line, f"imports {target}: weights are safetensors, records are JSON"
    for node in module.nodes(ast.Call):
        if dotted(node.func) == "torch.load":
            options = {option.arg: ast.unparse(option.value) for option in node.keywords}
            if options.get("weights_only") != "True":
                yield node, "calls torch.load without weights_only=True"


@each_module("app.py", "demo/", "tests/")
def gradios_inside_is_in_one_place(module: Module) -> Findings:
    if module.name in INSIDE_GRADIO:
        return
    for target, line in module.import_lines():
        name = target.removeprefix("gradio.")
        first = name.split(".")[0]
        submodule = name != target and first.islower() and f"gradio.{first}" not in GRADIO
        if submodule or within(target, "gradio_client.utils"):
            yield line, f"imports {target}: ask demo.server.gradio_compat"
    for node in module.nodes(ast.Attribute):
        if node.attr in {"_queue", "_data", "get_blocks"} or dotted(node) in PRIVATE:
            yield node, f"reads {ast.unparse(node)}: ask demo.server.gradio_compat"


@each_module(*CODE)
def settings_are_declared(module: Module) -> Findings:
    if not any(within(module.name, reader) for reader in ENVIRONMENT):
        for node in attributes(module, "os.environ", "os.getenv"):
            yield node, f"reads {ast.unparse(node)}: declare a variable"


@each_module("tests/")
def clients_keep_no_idle_connection(module: Module) -> Findings:
    """`tests.benchmarks` keeps connections, as browsers do."""
    if module.name != "tests.fakes.calls":
        for node in module.nodes(ast.Call):
            if dotted(node.func) == "httpx.Client":
                yield node, "calls httpx.Client: use tests.fakes.calls.http_client"


@each_module("demo/")
def syntax_trees_are_built_in_one_place(module: Module) -> Findings:
    if module.name not in {"demo.syntax", "demo.static.python_files"}:  # the second runs in a single thread
        for node in attributes(module, "ast.parse"):
            yield node, "calls ast.parse, which fails beside other threads: use demo.syntax"


@each_module("demo/")
def faults_are_reported_in_one_place(module: Module) -> Findings:
    if module.name == "demo.work.errors":
        return
    for target, line in module.import_lines():
        if target == "demo.work.errors.UNEXPECTED_ERROR":
            yield line, "imports UNEXPECTED_ERROR: use demo.work.errors.failure_message"
    for node in attributes(module, "logger.exception"):
        yield node, "logs a fault: use demo.work.errors.failure_message"
