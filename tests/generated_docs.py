"""The tables of the guides that the code knows; `make docs`, which runs this module, writes them anew.

Each stands between two comments `<!-- name -->`; `tests/test_docs.py` finds one that is old.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterable
from math import isinf
from textwrap import fill

from demo.api.arguments import Argument, translate_arguments
from demo.lessons import lessons
from demo.lessons.lesson import CHAPTERS
from demo.operator.work import WORK
from demo.server.environment import settings_table
from demo.views.hiding import parts
from models.inspection.methods import METHODS
from models.inspection.trial.measured import Measured, measured
from models.registry.generation_fields import FIELDS, Treatment
from tests.documents import ROOT, Document
from tests.source_modules import read
from tests.test_architecture import GROUND, LAYERS

BRACES = re.compile(r"\{[^}]*\}")


def work() -> str:
    """What each kind of work may take of the server."""
    rows = (
        (
            each.meaning,
            str(each.running),
            str(each.waiting or "–"),
            "–" if each.of_one is None else str(each.of_one),
            "–" if isinf(each.seconds) else f"{each.seconds:.0f} s",
        )
        for each in WORK
    )
    return _table(("work", "at once", "in line", "of one visitor", "processor"), rows)


def generation_fields() -> str:
    """How each field of a Hub model's generation_config.json is treated."""
    of_each = {each: [field for field in FIELDS if field.treatment is each] for each in Treatment}
    rows = [
        (f"`{field.name}`", each.value, field.meaning)
        for each, fields in of_each.items()
        for field in fields
        if field.meaning
    ]
    others = [
        (", ".join(f"`{field.name}`" for field in fields if not field.meaning), each.value, "")
        for each, fields in of_each.items()
    ]
    return _table(("field", "here", "meaning"), [*rows, *(row for row in others if row[0])])


def rooms() -> str:
    """What each room is for: the first line of its docstring."""
    units = sorted({*GROUND, *(unit for line in LAYERS for unit in line)})
    return _table(("room", "what it is for"), ((f"`{unit}`", _purpose(unit)) for unit in units))


def layers() -> str:
    """Who may know whom."""
    lines = (" · ".join(f"`{unit}`" for unit in line) for line in LAYERS)
    ground = " · ".join(f"`{unit}`" for unit in GROUND)
    numbered = [f"{number}. {line}" for number, line in enumerate(lines, 1)]
    return "\n".join([*numbered, "", f"Beneath all of them, and known to all: {ground}."])


def arguments() -> str:
    """What `/translate` takes besides checkpoint and text."""
    rows = ((f"`{each.name}`", _default(each), each.meaning) for each in translate_arguments()[2:])
    return _table(("argument", "default", "meaning"), rows)


def hidden_parts() -> str:
    """What a link may leave out, from the top of the page to its end."""
    names = ", ".join(f"`{name}`" for name in parts())
    return fill(f"The parts: {names}.", 118, break_long_words=False, break_on_hyphens=False)


def trial() -> str:
    """How often each method of attribution finds what a step hangs on, for each shipped checkpoint."""
    found = measured()
    head = ("method", *(f"`{name}`" for name in found))
    rows = [
        (method.title, *(_rates(each, name) for each in found.values())) for name, method in METHODS.items()
    ]
    chances = [f"{next(iter(each.trained.values())).chance:.0%}" for each in found.values()]
    return _table(head, [*rows, ("a token at random", *chances)])


def _rates(found: Measured, method: str) -> str:
    """Of the trained network with its interval, and of random weights."""
    if method not in found.trained:
        return ""
    rate = found.trained[method]
    low, high = rate.interval
    return f"**{rate.share:.0%}** ({100 * low:.0f} to {100 * high:.0f}), {found.random[method].share:.0%}"


def course() -> str:
    """Each lesson: its link, minutes, and what pupils are asked to predict."""
    rows = (
        (
            CHAPTERS[lesson.chapter],
            f"{lesson.title['en']} (`?lesson={lesson.id}`)",
            str(lesson.minutes),
            # What stands in braces the page computes from the model.
            "<br>".join(BRACES.sub("…", step.text["en"]) for step in lesson.steps if step.prediction),
        )
        for lesson in lessons()
    )
    return _table(("chapter", "lesson", "minutes", "what pupils predict"), rows)


SECTIONS: dict[tuple[str, str], Callable[[], str]] = {
    ("docs/architecture.md", "rooms"): rooms,
    ("docs/architecture.md", "layers"): layers,
    ("docs/api.md", "arguments"): arguments,
    ("docs/links.md", "parts"): hidden_parts,
    ("docs/settings.md", "settings"): settings_table,
    ("docs/settings.md", "work"): work,
    ("docs/hub.md", "generation fields"): generation_fields,
    ("docs/teachers.md", "course"): course,
    ("docs/training.md", "trial"): trial,
}


def write() -> None:
    """Bring every section up to date."""
    for (path, name), made in SECTIONS.items():
        document, mark = Document(ROOT / path), f"<!-- {name} -->"
        before, _, after = document.text.split(mark)
        document.path.write_text(f"{before}{mark}\n\n{made()}\n\n{mark}{after}", encoding="utf-8")


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    titles = tuple(head)
    lines = [titles, *rows]
    told = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join([told[0], "|---" * len(titles) + "|", *told[1:]])


def _purpose(unit: str) -> str:
    path = ROOT.joinpath(*unit.split("."))
    found = ast.get_docstring(read(path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).tree)
    return (found or "").splitlines()[0]


def _default(argument: Argument) -> str:
    value = argument.default
    if value is None:
        return "the checkpoint's" if argument.name == "max_length" else "none"
    return f"`{json.dumps(value)}`" if isinstance(value, str) else f"{value}".removesuffix(".0")


if __name__ == "__main__":
    write()
