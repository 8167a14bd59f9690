"""Allowed imports: downward, without cycles, and none of torch where a page or a process must start soon."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter

from tests.lint.project import CODE, Breach, Findings, Project, each_module
from tests.source_modules import Module, loads_torch, within

# Top first. A module imports only from lines below its own; names on one line do not import each other.
# A module belongs to the longest name that it lies in.
LAYERS = (
    ("demo.static",),
    ("demo.page",),
    ("demo.learn", "demo.notebook"),
    ("demo.links", "demo.api"),
    ("demo.decode", "demo.compare", "demo.evaluate", "demo.training", "demo.checkpoints", "demo.labs"),
    ("demo.trace",),
    ("demo.inspect",),
    ("demo.widgets",),
    ("demo.work", "demo.server"),
    ("demo.widgets.captions", "demo.work.errors", "demo.widgets.answers"),
    ("demo.widgets.figures", "demo.work.requests", "models.evaluation"),
    ("demo.i18n", "demo.work.operator", "models.training", "models.hub", "models.inspection"),
    ("models.registry",),
    ("models.decoding",),
    ("models.networks", "models.corpus", "models.labs"),
    ("models.tokenization", "models.metrics"),
)
# The packages of decoding, top first. What is not in a package lies between them: it may import any of them.
DECODING = ("models.decoding.record", "models.decoding.strategies", "models.decoding.search")
ROOTS = ("app", "demo", "models")
# Programs that put the page and the library together; nothing imports them.
PROGRAMS = ("app", "models.evaluation.__main__")
# Modules that every module may import, and that import nothing of the project.
GROUND = (
    *("models.batch", "models.budget", "models.device", "models.discovery", "models.environment"),
    *("models.errors", "models.lru_cache", "models.process", "models.records", "models.setting"),
    *("models.sizes", "models.whole_file", "demo.no_stubs", "demo.syntax"),
)
# The types that carry results out of the library: numbers and strings, readable without torch.
RECORDS = (
    *("models.decoding.status", "models.decoding.trace"),
    "models.decoding.judge.verdict",
    *("models.registry.quality_by_length", "models.training.events"),
)
# Descriptions of strategies and settings, which the page lists before torch is loaded.
TABLES = (
    "models.decoding.description",
    "models.decoding.options",
    "models.decoding.record.recorded_settings",
    "models.decoding.strategies",
)
FIGURE_SOURCES = (*RECORDS, *TABLES, "models.discovery")  # all of `models` that figures may import
# Modules and packages, and what they must never import.
FOREIGN = {
    "models": ("gradio", "plotly", "demo", "app"),
    "demo": ("torch", "app"),
    "demo.widgets.figures": ("torch", "gradio"),
    **dict.fromkeys(RECORDS, ("torch", "gradio", "plotly")),
}
# What a visitor would call a part of the page, and the folders that hold it.
FEATURES = {
    **{
        name: (f"demo.{name}",)
        for name in ("decode", "inspect", "compare", "evaluate", "training", "checkpoints")
    },
    "learn": ("demo.learn", "demo.labs"),
}
# The features that use another one, and what they use. This list may only become shorter.
MEETINGS = (
    ("decode", "demo.inspect.server_functions"),
    ("compare", "demo.inspect.server_functions"),
    ("learn", "demo.inspect.embeddings"),
    ("learn", "demo.inspect.inspection"),
    ("learn", "demo.inspect.requests"),
)
THIS_FILE = "tests/lint/code/layers.py"
STRATEGIES = "models.decoding.strategies"
# Modules of processes that may never need torch: those that wait for a device, and the server.
LIGHT = (
    *RECORDS,
    *TABLES,
    "models.hub.storage.store",
    "models.hub.push",
    "models.training.launch.worker",
    "demo.server.zero_gpu",
    "demo.static.answers",
)


def feature_of(name: str) -> str | None:
    """Return the feature that a dotted name belongs to."""
    return next((one for one, parts in FEATURES.items() if any(within(name, part) for part in parts)), None)


@cache
def unit(name: str) -> str:
    """Return the entry of LAYERS that a dotted name belongs to, or nothing. Within it imports are free."""
    return max((package for line in LAYERS for package in line if within(name, package)), key=len, default="")


def layer(name: str) -> int | None:
    """Return the index in LAYERS of the line that a dotted name belongs to."""
    return next((index for index, line in enumerate(LAYERS) if unit(name) in line), None)


@each_module(*CODE)
def imports_point_downward(module: Module) -> Findings:
    line = layer(module.name)
    on_ground = any(within(module.name, unit) for unit in GROUND)
    if line is None and not on_ground and module.name not in {"app", "models", "demo"}:
        yield 1, f"{module.name} has no place in LAYERS: give it one"
        return
    for target, number in module.import_lines():
        if not any(within(target, root) for root in ROOTS) or (
            line is not None and unit(module.name) == unit(target)
        ):
            continue
        if on_ground and not any(within(target, unit) for unit in GROUND):
            yield number, f"imports {target}, but the ground imports nothing of the project"
        if module.name in PROGRAMS:
            continue
        target_line = layer(target)
        if target_line is not None and (line is None or target_line <= line):
            yield number, f"imports {target}, which is not below {module.name}"


@each_module("models/decoding/")
def decoding_points_downward(module: Module) -> Findings:
    for below, package in enumerate(DECODING):
        if within(module.name, package):
            above = (*DECODING[:below], "models.decoding.judge")
            for target, number in module.import_lines():
                if any(within(target, name) for name in above):
                    yield number, f"imports {target}, which is not below {package}"


@each_module("models/", "demo/")
def nothing_foreign(module: Module) -> Findings:
    for package, banned in FOREIGN.items():
        if within(module.name, package) and module.name not in PROGRAMS:
            for target, number in module.import_lines():
                if any(within(target, name) for name in banned):
                    yield number, f"imports {target}, which is foreign to {package}"


def features_do_not_meet(project: Project) -> Iterator[Breach]:
    unused = set(MEETINGS)
    for path, module in project.modules("demo/").items():
        feature = feature_of(module.name)
        for target, number in module.import_lines():
            other = feature_of(target)
            if not feature or not other or feature == other:
                continue
            meeting = next(
                (item for item in MEETINGS if item[0] == feature and within(target, item[1])), None
            )
            unused.discard(meeting or ("", ""))
            if meeting is None:
                yield Breach(path, number, f"imports {target} of {other}: share it below both")
    if project.is_whole:
        yield from (
            Breach(THIS_FILE, 1, f"MEETINGS has {item}, which nothing needs") for item in sorted(unused)
        )


@each_module("demo/widgets/figures/")
def figures_read_records(module: Module) -> Findings:
    for target, number in module.import_lines():
        if within(target, "models") and not any(within(target, name) for name in FIGURE_SOURCES):
            yield number, f"imports {target}: a figure is made from a trace, events or a report"


def no_modules_import_each_other(project: Project) -> Iterator[Breach]:
    """Yield a cycle, also one by imports inside functions or for types."""
    modules = project.modules(("models/", "demo/"))
    paths = {module.name: path for path, module in modules.items()}
    try:
        TopologicalSorter(imported_modules(modules.values())).prepare()
    except CycleError as error:
        cycle = error.args[1][::-1]
        yield Breach(paths[cycle[0]], 1, " imports ".join(cycle))


def imported_modules(modules: Iterable[Module]) -> dict[str, set[str]]:
    """Return the project's modules that each module imports, without the packages that contain it."""
    named = {module.name: module for module in modules}
    imports: dict[str, set[str]] = {}
    for name, module in named.items():
        targets = set()
        for target in module.imports():
            while target and target not in named:
                target = target.rpartition(".")[0]
            if target and not f"{name}.".startswith(f"{target}."):
                targets.add(target)
        imports[name] = targets
    return imports


def light_modules_load_no_torch(project: Project) -> Iterator[Breach]:
    """Yield light modules, and strategies, that load torch when they are imported."""
    modules = project.modules(("models/", "demo/"))
    named = {module.name: module for module in modules.values()}
    for path, module in modules.items():
        if module.name in LIGHT or within(module.name, STRATEGIES):
            yield from (Breach(path, 1, f"loads torch in {name}") for name in loads_torch(module.name, named))
