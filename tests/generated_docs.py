"""The tables in `docs/` that are generated from the code. `make docs` runs this module and rewrites them.

Each stands between two comments `<!-- name -->`; `make check` fails if one is out of date.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterable
from math import isinf
from textwrap import fill

from demo.api.arguments import Argument, translate_arguments
from demo.links.hiding import parts
from demo.work.operator.caps import WORK
from models.inspection.attribution_test.rates import AttributionTestResult, shipped_results
from models.inspection.methods import METHODS
from models.registry.hugging_face.generation_fields import FIELDS, Treatment
from tests import teachers_key
from tests.documents import ROOT, Document
from tests.environment_settings import settings_table
from tests.lint.code.layers import GROUND, LAYERS
from tests.source_modules import read


def work() -> str:
    """Return the limits of each kind of work on the server."""
    rows = (
        (
            kind.meaning,
            str(kind.running),
            str(kind.waiting or "–"),
            "–" if kind.of_one is None else str(kind.of_one),
            "–" if isinf(kind.seconds) else f"{kind.seconds:.0f} s",
        )
        for kind in WORK
    )
    return _table(("work", "at once", "in the queue", "per visitor", "running time"), rows)


def generation_fields() -> str:
    """Return how each field of `generation_config.json` is treated."""
    fields_by_treatment = {
        treatment: [field for field in FIELDS if field.treatment is treatment] for treatment in Treatment
    }
    rows = [
        (f"`{field.name}`", treatment.value, field.meaning)
        for treatment, fields in fields_by_treatment.items()
        for field in fields
        if field.meaning
    ]
    others = [
        (", ".join(f"`{field.name}`" for field in fields if not field.meaning), treatment.value, "")
        for treatment, fields in fields_by_treatment.items()
    ]
    return _table(("field", "here", "meaning"), [*rows, *(row for row in others if row[0])])


def packages() -> str:
    """Return the purpose of each package: the first line of its docstring."""
    units = sorted({*GROUND, *(unit for line in LAYERS for unit in line)})
    return _table(("package", "what it is for"), ((f"`{unit}`", _purpose(unit)) for unit in units))


def layers() -> str:
    """Return the layers and the modules that every layer may import."""
    lines = (" · ".join(f"`{unit}`" for unit in line) for line in LAYERS)
    ground = " · ".join(f"`{unit}`" for unit in GROUND)
    numbered = [f"{number}. {line}" for number, line in enumerate(lines, 1)]
    return "\n".join(
        [*numbered, "", f"Every module may import these, which import nothing else of the project: {ground}."]
    )


def arguments() -> str:
    """Return the arguments of `/translate` after checkpoint and text."""
    settings = translate_arguments()[2:]
    rows = ((f"`{setting.name}`", _default(setting), setting.meaning) for setting in settings)
    return _table(("argument", "default", "meaning"), rows)


def hidden_parts() -> str:
    """Return the parts of the page that a link can hide, from top to bottom."""
    names = ", ".join(f"`{name}`" for name in parts())
    return fill(f"The parts: {names}.", 118, break_long_words=False, break_on_hyphens=False)


def trial() -> str:
    """Return how often each method of attribution finds the deciding token, for each shipped checkpoint."""
    results = shipped_results()
    head = ("method", *(f"`{name}`" for name in results))
    rows = [
        (method.title, *(_rates(result, name) for result in results.values()))
        for name, method in METHODS.items()
    ]
    chances = [f"{next(iter(result.trained.values())).chance:.0%}" for result in results.values()]
    return _table(head, [*rows, ("a token at random", *chances)])


def _rates(result: AttributionTestResult, method: str) -> str:
    """Return the rate for the trained network with its interval, then the rate for random weights."""
    if method not in result.trained:
        return ""
    rate = result.trained[method]
    low, high = rate.interval
    return f"**{rate.share:.0%}** ({100 * low:.0f} to {100 * high:.0f}), {result.random[method].share:.0%}"


SECTIONS: dict[tuple[str, str], Callable[[], str]] = {
    ("docs/architecture.md", "packages"): packages,
    ("docs/architecture.md", "layers"): layers,
    ("docs/api.md", "arguments"): arguments,
    ("docs/links.md", "parts"): hidden_parts,
    ("docs/settings.md", "settings"): settings_table,
    ("docs/settings.md", "work"): work,
    ("docs/hub.md", "generation fields"): generation_fields,
    ("docs/teachers.md", "short paths"): teachers_key.short_paths,
    ("docs/teachers.md", "six weeks"): teachers_key.weeks,
    ("docs/teachers.md", "course"): teachers_key.course,
    ("docs/training.md", "trial"): trial,
}
# Sections whose numbers networks compute, which takes a minute; on another machine a last digit may differ.
COMPUTED: dict[tuple[str, str], Callable[[], str]] = {("docs/teachers-key.md", "key"): teachers_key.key}


def write() -> None:
    """Rewrite every generated section."""
    for (path, name), section in (SECTIONS | COMPUTED).items():
        document, mark = Document(ROOT / path), f"<!-- {name} -->"
        before, _, after = document.text.split(mark)
        document.path.write_text(f"{before}{mark}\n\n{section()}\n\n{mark}{after}", encoding="utf-8")


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    titles = tuple(head)
    lines = [titles, *rows]
    texts = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join([texts[0], "|---" * len(titles) + "|", *texts[1:]])


def _purpose(unit: str) -> str:
    path = ROOT.joinpath(*unit.split("."))
    module = read(path / "__init__.py" if path.is_dir() else path.with_suffix(".py"))
    return (ast.get_docstring(module.tree) or "").splitlines()[0]


def _default(argument: Argument) -> str:
    value = argument.default
    if value is None:
        return "the checkpoint's" if argument.name == "max_length" else "none"
    return f"`{json.dumps(value)}`" if isinstance(value, str) else f"{value}".removesuffix(".0")


if __name__ == "__main__":
    write()
