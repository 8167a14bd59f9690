"""The scripts of the folder: the modules of the page and of the engine, in the places of the project."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable

from demo.widgets.view.assets import asset

IMPORT = re.compile(r'^(?:import|export)\b[^;"]*"(\.{1,2}/[\w./-]+\.js)";', re.MULTILINE)
SHELL = "static/shell/start.js"
WORKER = ("static/worker/engine.js", "static/worker/worker.js")  # fetched when the first text is decoded


def with_imports(entries: Iterable[str]) -> list[str]:
    """The modules and all that they import, by their paths below `demo`."""
    paths: dict[str, None] = {}
    waiting = list(entries)
    while waiting:
        path = waiting.pop()
        if path in paths:
            continue
        paths[path] = None
        text = asset(path)
        folder = posixpath.dirname(path)
        waiting += [posixpath.normpath(posixpath.join(folder, source)) for source in IMPORT.findall(text)]
    return sorted(paths)


def table(scripts: Iterable[str], exported: str = "modules = {{ {entries} }}") -> str:
    """A module that exports the modules of views as `modules`, by their paths below `demo`."""
    ordered = sorted(scripts)
    imports = (f'import * as m{index} from "./{path}";\n' for index, path in enumerate(ordered))
    entries = (f'"{path}": m{index}' for index, path in enumerate(ordered))
    return f"{''.join(imports)}export const {exported.format(entries=', '.join(entries))};\n"


def lazy_table(scripts: Iterable[str]) -> str:
    """A module whose `add` adds modules of views to such a table."""
    return table(scripts, "add = (modules) => Object.assign(modules, {{ {entries} }})")
