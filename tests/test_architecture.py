"""Rules for the source code: allowed imports, forbidden calls, and the length of files and functions.

Each rule reads one module and yields its breaches as sentences. A planted breach shows that each rule works.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator

import pytest

from tests.source_modules import ROOT, Module, read, sources, within

# Top first. A module imports only from lines below its own; names on one line do not import each other.
LAYERS = (
    ("demo.static",),
    ("demo.interface",),
    ("demo.tabs", "demo.lessons"),
    ("demo.controls", "demo.api", "demo.links", "demo.theme"),
    ("demo.views", "demo.evaluation", "demo.labs"),
    ("demo.inspect",),
    ("demo.service", "demo.server"),
    ("demo.captions", "demo.errors", "demo.answers"),
    ("demo.figures", "demo.glossary", "demo.requests", "models.evaluation"),
    ("demo.i18n", "demo.operator", "models.training", "models.hub", "models.inspection"),
    ("models.registry",),
    ("models.decoding",),
    ("models.networks", "models.corpus", "models.labs"),
    ("models.tokenization", "models.metrics"),
)
# The packages of decoding, top first. What is not in a package lies between them: it may import any of them.
DECODING = ("models.decoding.record", "models.decoding.strategies", "models.decoding.search")
ROOTS = ("app", "demo", "models")
# Modules that every module may import, and that import nothing of the project.
GROUND = (
    *("models.batch", "models.budget", "models.device", "models.discovery", "models.environment"),
    "models.memory",
    *(
        "models.errors",
        "models.lru_cache",
        "models.process_wide",
        "models.setting",
        "models.sizes",
        "models.whole_file",
        "demo.no_stubs",
    ),
)
# The types that carry results out of the library: numbers and strings, readable without torch.
RECORDS = (
    *("models.decoding.status", "models.decoding.trace"),
    *("models.decoding.judge.scored_text", "models.decoding.judge.verdict"),
    *("models.registry.quality_by_length", "models.training.events"),
)
# Descriptions of strategies and settings, which the page lists before torch is loaded.
TABLES = (
    "models.decoding.description",
    "models.decoding.options",
    "models.decoding.record.recorded_settings",
    "models.decoding.settings",
    "models.decoding.strategies",
)
FIGURE_SOURCES = (*RECORDS, *TABLES, "models.discovery")  # all of `models` that figures may import
# Modules and packages, and what they must never import.
FOREIGN = {
    "models": ("gradio", "plotly", "demo", "app"),
    "demo": ("torch", "app"),
    "demo.figures": ("torch", "gradio"),
    **dict.fromkeys(RECORDS, ("torch", "gradio", "plotly")),
}
# Programs for readers, which the app never imports. They use torch and the standard library alone.
SCRIPTS = "demo.labs.pytorch"
UNSAFE = ("pickle", "dill", "cloudpickle", "joblib", "shelve", "marshal")
LONGEST_FUNCTION, LONGEST_FILE = 60, 300  # lines
MAX_ARGUMENTS = 7
# Functions whose arguments others define: constructors of networks take the names of torch.nn one by one, as
# config.json has them; the transformers library prescribes the arguments of an attention function.
GIVEN_ARGUMENTS = (
    "models.networks.hugging_face.replaceable_attention",
    "models.networks.recurrent.model.__init__",
    "models.networks.transformer.model.__init__",
)


def layer(name: str) -> int | None:
    """Return the index in LAYERS of the line that a dotted name belongs to."""
    lines = (
        line for line, packages in enumerate(LAYERS) if any(within(name, package) for package in packages)
    )
    return next(lines, None)


def same_unit(name: str, other: str) -> bool:
    """Whether two names belong to the same entry of LAYERS, within which imports are free."""
    return any(within(name, unit) and within(other, unit) for line in LAYERS for unit in line)


def imports_point_downward(module: Module) -> Iterator[str]:
    line = layer(module.name)
    on_ground = any(within(module.name, unit) for unit in GROUND)
    if line is None and not on_ground and module.name not in {"app", "models", "demo"}:
        yield f"{module.name} has no place in LAYERS: give it one"
        return
    for target in module.imports():
        if not any(within(target, root) for root in ROOTS) or same_unit(module.name, target):
            continue
        if on_ground and not any(within(target, unit) for unit in GROUND):
            yield f"{module.name} imports {target}, but the ground imports nothing of the project"
        if module.name == "app":
            continue
        target_line = layer(target)
        if target_line is not None and (line is None or target_line <= line):
            yield f"{module.name} imports {target}, which is not below it"


def decoding_points_downward(module: Module) -> Iterator[str]:
    for below, package in enumerate(DECODING):
        if within(module.name, package):
            above = (*DECODING[:below], "models.decoding.judge")
            targets = [target for target in module.imports() if any(within(target, name) for name in above)]
            yield from (f"{module.name} imports {target}, which is not below it" for target in targets)


def nothing_foreign(module: Module) -> Iterator[str]:
    if within(module.name, SCRIPTS):
        return
    for package, banned in FOREIGN.items():
        if within(module.name, package):
            targets = (target for target in module.imports() if any(within(target, name) for name in banned))
            yield from (f"{module.name} imports {target}" for target in targets)


def tabs_do_not_meet(module: Module) -> Iterator[str]:
    def tab(name: str) -> str:
        return name.removeprefix("demo.tabs.").split(".")[0]

    if module.name.startswith("demo.tabs."):
        for target in module.imports():
            if within(target, "demo.tabs") and tab(target) != tab(module.name):
                yield f"{module.name} imports {target}: what tabs share belongs in demo.controls"


def figures_read_records(module: Module) -> Iterator[str]:
    if within(module.name, "demo.figures"):
        for target in module.imports():
            if within(target, "models") and not any(within(target, name) for name in FIGURE_SOURCES):
                yield f"{module.name} imports {target}: a figure is made from a trace, events or a report"


def one_file_knows_the_accelerator(module: Module) -> Iterator[str]:
    if module.name != "models.device" and "cuda" in module.text.lower():
        yield f'{module.name} says "cuda": ask models.device'


def no_pickles(module: Module) -> Iterator[str]:
    for target in module.imports():
        if any(within(target, name) for name in UNSAFE) or target == "torch.load":
            yield f"{module.name} imports {target}: weights are safetensors, records are JSON"
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "torch.load":
            options = {option.arg: ast.unparse(option.value) for option in node.keywords}
            if options.get("weights_only") != "True":
                yield f"{module.name}:{node.lineno} calls torch.load without weights_only=True"


def has_docstring(module: Module) -> Iterator[str]:
    if not ast.get_docstring(module.tree):
        yield f"{module.name} does not say what it is for: give it a docstring"


def is_short(module: Module) -> Iterator[str]:
    lines = module.text.count("\n")
    if lines > LONGEST_FILE:
        yield f"{module.name} has {lines} lines, more than {LONGEST_FILE}: split it by noun"
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > LONGEST_FUNCTION:
                position = f"{module.name}:{node.lineno} {node.name}"
                yield f"{position} has {length} lines, more than {LONGEST_FUNCTION}"


def takes_few_arguments(module: Module) -> Iterator[str]:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            count = len([argument for argument in arguments if argument.arg not in {"self", "cls"}])
            if count > MAX_ARGUMENTS and f"{module.name}.{node.name}" not in GIVEN_ARGUMENTS:
                yield f"{module.name}:{node.lineno} {node.name} takes {count} arguments: make some one thing"


Rule = Callable[[Module], Iterator[str]]
RULES: tuple[Rule, ...] = (
    imports_point_downward,
    decoding_points_downward,
    nothing_foreign,
    tabs_do_not_meet,
    figures_read_records,
    one_file_knows_the_accelerator,
    no_pickles,
    has_docstring,
    is_short,
    takes_few_arguments,
)


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_code_keeps_the_rule(rule: Rule) -> None:
    modules = [read(ROOT / "app.py"), *sources("models", "demo")]
    breaches = [breach for module in modules for breach in rule(module)]
    assert not breaches, "\n".join(breaches)


@pytest.mark.slow
def test_tests_keep_the_limits_of_length() -> None:
    breaches = [breach for module in sources("tests") for breach in is_short(module)]
    assert not breaches, "\n".join(breaches)


def nearly_one_name(names: Iterable[str]) -> Iterator[str]:
    """Yield pairs of names in one folder of which one is the plural of the other."""
    distinct = set(names)
    yield from (f"{name} and {name}s" for name in sorted(distinct) if f"{name}s" in distinct)
    yield from (f"{name} and {name[:-1]}ies" for name in sorted(distinct) if f"{name[:-1]}ies" in distinct)


def test_no_two_packages_or_modules_differ_only_by_a_plural() -> None:
    assert list(nearly_one_name(module.name for module in sources("models", "demo"))) == []
    assert list(nearly_one_name(["a.report", "a.reports", "b.reports"])) == ["a.report and a.reports"]


BREACHES: tuple[tuple[Rule, str, str], ...] = (
    (imports_point_downward, "models.networks.recurrent", "from models.decoding.search.loop import search"),
    (imports_point_downward, "models.networks.recurrent", "from ..registry import Registry"),
    (imports_point_downward, "models.decoding.search.loop", "def f():\n    import models.registry.hub"),
    (imports_point_downward, "models.tokenization.tokenizer", "from models import networks"),
    (imports_point_downward, "models.metrics.corpus", "from models.training import events"),
    (imports_point_downward, "demo.controls", "from demo.tabs.decode import build_decode_tab"),
    (imports_point_downward, "demo.helpers", "x = 1"),
    (imports_point_downward, "models", "from models.registry.card import CheckpointCard"),
    (imports_point_downward, "models.batch", "from models.registry.card import CheckpointCard"),
    (
        decoding_points_downward,
        "models.decoding.search.loop",
        "from models.decoding.strategies import Greedy",
    ),
    (nothing_foreign, "models.training.loop.trainer", "import gradio as gr"),
    (nothing_foreign, "models.decoding.trace", "if TYPE_CHECKING:\n    from torch import Tensor"),
    (nothing_foreign, "demo.figures.attention", "import torch.nn"),
    (nothing_foreign, "demo.figures.tree.beam_tree", "from gradio import Plot"),
    (tabs_do_not_meet, "demo.tabs.decode", "from demo.tabs import compare"),
    (tabs_do_not_meet, "demo.tabs.decode", "from .compare import build_compare_tab"),
    (figures_read_records, "demo.figures.attention", "from models.decoding import search"),
    (one_file_knows_the_accelerator, "demo.service.context", "device = 'CUDA:0'"),
    (no_pickles, "models.registry.hub", "import pickle"),
    (no_pickles, "models.registry.hub", "weights = torch.load(path, weights_only=False)"),
    (no_pickles, "models.registry.hub", "from torch import load"),
    (has_docstring, "models.batch", "x = 1"),
    (is_short, "models.batch", "x = 1\n" * (LONGEST_FILE + 1)),
    (is_short, "models.batch", "def f():\n" + "    x = 1\n" * LONGEST_FUNCTION),
    (takes_few_arguments, "models.batch", "def f(self, a, b, c, d, e, *, f, g, h): ..."),
)


@pytest.mark.parametrize(("rule", "name", "text"), BREACHES)
def test_a_planted_breach_is_noticed(rule: Rule, name: str, text: str) -> None:
    assert list(rule(Module(name, text)))


def test_every_rule_has_a_planted_breach() -> None:
    assert {rule for rule, _, _ in BREACHES} == set(RULES)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("models.registry.checkpoint", "from models.networks.config import build_model\nimport torch"),
        ("models.networks", "from models.networks.base import Seq2SeqModel"),
        ("demo.tabs.decode", "from demo.tabs.decode.request import Request\nimport gradio as gr"),
        ("demo.figures.attention", "import plotly\nfrom models.decoding.trace import DecodingTrace"),
        ("app", "from demo import interface"),
    ],
)
def test_a_permitted_import_is_accepted(name: str, text: str) -> None:
    module = Module(name, f'"""Something."""\n{text}\n')
    assert [breach for rule in RULES for breach in rule(module)] == []
