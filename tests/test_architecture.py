"""The rules that keep the code readable: who may import whom, what no module may do, how long things get.

Each rule reads one module and yields sentences, and is run on a planted breach, so that none can pass
for want of looking.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# Top first. A module imports only from lines below its own; names on one line do not know each other.
LAYERS = (
    ("app",),
    ("demo.interface",),
    ("demo.opening",),  # a link fills in the tabs
    ("demo.tabs",),
    ("demo.api", "demo.controls", "demo.export", "demo.comparing", "demo.running", "demo.links"),
    ("demo.components", "demo.context", "demo.theme", "demo.errors", "demo.security", "demo.zero_gpu"),
    ("demo.comparison",),  # decodings beside each other: records and judgements
    ("demo.training", "demo.hub"),  # what is asked of training and of the Hub, and what is told of it
    ("demo.what_if",),  # a request made from a trace on show
    ("demo.captions", "demo.picture_captions", "demo.quality_captions", "demo.run_captions"),  # sentences
    ("demo.request", "demo.run_report", "demo.search_captions", "demo.turns"),
    ("demo.figures", "demo.strategy", "demo.watch"),
    ("demo.checks", "demo.words", "demo.unfetched"),
    ("demo.text", "demo.limits", "demo.rates", "demo.routes", "demo.word_diff", "demo.hiding"),  # escaping
    ("demo.settings",),
    ("demo.i18n",),
    ("models.training",),  # measures its progress as evaluation does
    ("models.evaluation", "models.hub"),
    ("models.registry",),  # stores the trace of a checkpoint's example
    ("models.decoding",),
    ("models.networks",),
    ("models.corpus", "models.foreign_tokenizer"),  # the corpus counts its texts in tokens
    ("models.batch", "models.tokenization", "models.device", "models.sizes"),
    ("models.segmentation", "models.pictures"),
)
# The types that carry results out of the library: numbers and strings, readable where no torch is loaded.
RECORDS = (
    *("models.decoding.trace", "models.decoding.scored", "models.decoding.verdict"),
    *("models.registry.quality_by_length", "models.training.events"),
)
# What processes load that may never need torch: those that wait for a device, and the server.
LIGHT = (*RECORDS, "models.hub.store", "models.hub.push", "models.training.worker", "demo.zero_gpu")
# What a module, or all of a package, must never import.
FOREIGN = {
    "models": ("gradio", "plotly", "demo", "app"),
    "demo": ("torch",),
    "demo.figures": ("torch", "gradio"),
    **dict.fromkeys(RECORDS, ("torch", "gradio", "plotly")),
}
UNSAFE = ("pickle", "dill", "cloudpickle", "joblib", "shelve", "marshal")
LONGEST_FUNCTION, LONGEST_FILE = 60, 300  # lines


@dataclass(frozen=True)
class Module:
    """One source file."""

    name: str  # dotted; a package's __init__.py has the package's name
    text: str
    is_package: bool = False

    @property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    def imports(self, *, at_once: bool = False) -> Iterator[str]:
        """Dotted names of all that the file imports; `at_once` leaves out what functions or types import."""
        for node in self.tree.body if at_once else ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield from (f"{self._origin(node)}.{alias.name}" for alias in node.names)

    def _origin(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        parts = self.name.split(".")
        package = parts[: len(parts) - node.level + self.is_package]
        return ".".join([*package, *filter(None, [node.module])])


def within(name: str, package: str) -> bool:
    """Whether a dotted name is the package or lies in it."""
    return name == package or name.startswith(f"{package}.")


def layer(name: str) -> int | None:
    """Line of LAYERS that a dotted name belongs to."""
    lines = (
        line for line, packages in enumerate(LAYERS) if any(within(name, package) for package in packages)
    )
    return next(lines, None)


def same_unit(name: str, other: str) -> bool:
    """Whether two names belong to one entry of LAYERS, which may arrange its inside as it likes."""
    return any(within(name, unit) and within(other, unit) for line in LAYERS for unit in line)


def imports_point_downward(module: Module) -> Iterator[str]:
    own = layer(module.name)
    if own is None and module.name not in {"models", "demo"}:
        yield f"{module.name} has no place in LAYERS: give it one"
        return
    for target in module.imports():
        if not any(within(target, root) for root in ("app", "demo", "models")) or same_unit(
            module.name, target
        ):
            continue
        theirs = layer(target)
        if theirs is not None and (own is None or theirs <= own):
            yield f"{module.name} imports {target}, which is not below it"


def nothing_foreign(module: Module) -> Iterator[str]:
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
            if within(target, "models") and not any(within(target, record) for record in RECORDS):
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
                place = f"{module.name}:{node.lineno} {node.name}"
                yield f"{place} has {length} lines, more than {LONGEST_FUNCTION}"


Rule = Callable[[Module], Iterator[str]]
RULES: tuple[Rule, ...] = (
    imports_point_downward,
    nothing_foreign,
    tabs_do_not_meet,
    figures_read_records,
    one_file_knows_the_accelerator,
    no_pickles,
    has_docstring,
    is_short,
)


def read(path: Path) -> Module:
    parts = path.relative_to(ROOT).with_suffix("").parts
    is_package = parts[-1] == "__init__"
    return Module(".".join(parts[:-1] if is_package else parts), path.read_text(encoding="utf-8"), is_package)


def sources(*folders: str) -> list[Module]:
    paths = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    return [read(path) for path in paths]


def loaded_with(name: str, project: Mapping[str, Module]) -> set[str]:
    """The project's modules that run when `name` is imported, the packages above each included."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        parts = waiting.pop().split(".")
        new = {".".join(parts[:end]) for end in range(1, len(parts) + 1)} & project.keys() - found
        found |= new
        waiting += [target for module in new for target in project[module].imports(at_once=True)]
    return found


def loads_torch(name: str, project: Mapping[str, Module]) -> list[str]:
    """The modules to blame if importing `name` imports torch."""
    modules = [project[other] for other in sorted(loaded_with(name, project))]
    return [m.name for m in modules if any(within(target, "torch") for target in m.imports(at_once=True))]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_code_keeps_the_rule(rule: Rule) -> None:
    modules = [read(ROOT / "app.py"), *sources("models", "demo")]
    breaches = [breach for module in modules for breach in rule(module)]
    assert not breaches, "\n".join(breaches)


def test_tests_are_short_too() -> None:
    breaches = [breach for module in sources("tests") for breach in is_short(module)]
    assert not breaches, "\n".join(breaches)


@pytest.mark.parametrize("name", LIGHT)
def test_what_is_light_loads_no_torch(name: str) -> None:
    project = {module.name: module for module in sources("models", "demo")}
    assert name in project
    assert loads_torch(name, project) == []


def test_torch_is_noticed_in_a_package_above() -> None:
    modules = [
        Module("models.decoding", "from .search import decode", is_package=True),
        Module("models.decoding.search", "import torch.nn"),
        Module("models.decoding.trace", "def f():\n    import torch"),
        Module("demo.figures.beam_tree", "from models.decoding.trace import BeamNode"),
    ]
    project = {module.name: module for module in modules}
    assert loads_torch("demo.figures.beam_tree", project) == ["models.decoding.search"]


BREACHES: tuple[tuple[Rule, str, str], ...] = (
    (imports_point_downward, "models.networks.recurrent", "from models.decoding.search import search"),
    (imports_point_downward, "models.networks.recurrent", "from ..registry import Registry"),
    (imports_point_downward, "models.decoding.search", "def f():\n    import models.registry.hub"),
    (imports_point_downward, "models.batch", "from models import tokenization"),
    (imports_point_downward, "models.evaluation.metrics", "from models.training import events"),
    (imports_point_downward, "demo.controls", "from demo.tabs.decode import build_decode_tab"),
    (imports_point_downward, "demo.helpers", "x = 1"),
    (imports_point_downward, "models", "from models.batch import Batch"),
    (nothing_foreign, "models.training.trainer", "import gradio as gr"),
    (nothing_foreign, "models.decoding.trace", "if TYPE_CHECKING:\n    from torch import Tensor"),
    (nothing_foreign, "demo.figures.attention", "import torch.nn"),
    (nothing_foreign, "demo.figures.beam_tree", "from gradio import Plot"),
    (tabs_do_not_meet, "demo.tabs.decode", "from demo.tabs import compare"),
    (tabs_do_not_meet, "demo.tabs.decode", "from .compare import build_compare_tab"),
    (figures_read_records, "demo.figures.attention", "from models.decoding import search"),
    (one_file_knows_the_accelerator, "demo.context", "device = 'CUDA:0'"),
    (no_pickles, "models.registry.hub", "import pickle"),
    (no_pickles, "models.registry.hub", "weights = torch.load(path, weights_only=False)"),
    (no_pickles, "models.registry.hub", "from torch import load"),
    (has_docstring, "models.batch", "x = 1"),
    (is_short, "models.batch", "x = 1\n" * (LONGEST_FILE + 1)),
    (is_short, "models.batch", "def f():\n" + "    x = 1\n" * LONGEST_FUNCTION),
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
def test_an_honest_import_is_left_alone(name: str, text: str) -> None:
    module = Module(name, f'"""Something."""\n{text}\n')
    assert [breach for rule in RULES for breach in rule(module)] == []
