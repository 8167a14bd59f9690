"""The views' ES modules as one text, so that the page asks for one file and an exported page for none.

Each module becomes a function that returns what it exports, after those that it imports. Knows no view, and
only the forms of import and export that are used here; it refuses any other.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from demo.server.assets import address, register_text
from demo.views.shared.assets import VIEWS

IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.{1,2}/[\w./-]+\.js)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class) (\w+))", re.MULTILINE)
# Comments of whole lines, and what lines begin with; a test makes sure that no text goes over several lines.
INDENT = re.compile(r"^[ \t]+", re.MULTILINE)
COMMENT = re.compile(r"^\s*(?://.*|/\*\*(?:[^*]|\*(?!/))*\*/[ \t]*)\n", re.MULTILINE)
# What would need more than joining texts: other forms of both, and modules that are fetched late.
FORBIDDEN = re.compile(r"^(?:import|export)\b.*|\bimport\s*[.(].*|</script", re.MULTILINE)
NAME, FILE = "views", "views.js"
LATE = "/late/"  # in the paths of modules that the page fetches only when somebody needs them


class ModuleFormError(ValueError):
    """A module says something in a form that cannot be joined; the message shows it."""


@dataclass(frozen=True)
class Module:
    """One file."""

    path: str  # below the folder of the views
    imports: tuple[tuple[str, str], ...]  # names as they are written between the braces, and of which module
    exports: tuple[str, ...]
    body: str  # without imports, the word export, comments of whole lines and indentation


def read_module(path: str, text: str) -> Module:
    """What a file imports, exports and does. Raises ModuleFormError."""
    code = INDENT.sub("", COMMENT.sub("", text))
    folder = posixpath.dirname(path)
    imports = tuple(
        (" ".join(names.split()).rstrip(","), posixpath.normpath(posixpath.join(folder, source)))
        for names, source in IMPORT.findall(code)
    )
    body = EXPORT.sub("", IMPORT.sub("", code))
    if found := FORBIDDEN.search(body):
        raise ModuleFormError(f"{path} cannot be joined with others for this: {found[0].strip()[:100]}")
    return Module(path, imports, tuple(EXPORT.findall(code)), body)


def in_order(modules: Mapping[str, Module], entries: Iterable[str]) -> list[Module]:
    """The entries and all that they need, each after what it imports. Raises ModuleFormError for a circle."""
    done: dict[str, Module] = {}

    def add(path: str, waiting: Sequence[str]) -> None:
        if path in waiting:
            raise ModuleFormError(f"modules import each other in a circle: {' → '.join([*waiting, path])}")
        if path in done:
            return
        if path not in modules:
            raise ModuleFormError(
                f"{waiting[-1] if waiting else 'the page'} needs {path}, which is not there"
            )
        for _, source in modules[path].imports:
            add(source, [*waiting, path])
        done[path] = modules[path]

    for entry in entries:
        add(entry, ())
    return list(done.values())


def joined(entries: Iterable[str] | None = None) -> str:
    """JavaScript that leaves the entries in `modules`, by path; by default all but the late ones."""
    modules = _modules()
    early = [path for path in modules if LATE not in path]
    parts = (_function(module) for module in in_order(modules, early if entries is None else entries))
    return "".join(("const modules = {};\n", *parts))


def modules_address() -> str:
    """Where a browser finds all modules, relative to the page; it exports them as `modules`."""
    register_text(NAME, FILE, f"{joined()}export {{ modules }};\n")
    return address(NAME, FILE)


def late_address(folder: str) -> str:
    """Where a browser finds the late modules of a view; it exports `add`, which joins them to the others."""
    modules = _modules()
    late = [path for path in modules if path.startswith(f"{folder}{LATE}")]
    functions = "".join(_function(each) for each in in_order(modules, late) if LATE in each.path)
    register_text(f"late-{folder}", f"{folder}.js", f"export const add = (modules) => {{\n{functions}}};\n")
    return address(f"late-{folder}", f"{folder}.js")


@cache
def _modules() -> Mapping[str, Module]:
    paths = sorted(path.relative_to(VIEWS).as_posix() for path in VIEWS.rglob("*.js"))
    texts = {path: (VIEWS / path).read_text(encoding="utf-8") for path in paths}
    return {path: read_module(path, text) for path, text in texts.items() if "/*MODULES*/" not in text}


def _function(module: Module) -> str:
    needs = [
        f'const {{ {names.replace(" as ", ": ")} }} = modules["{path}"];' for names, path in module.imports
    ]
    body = "\n".join((*needs, module.body.strip()))
    return (
        f'modules["{module.path}"] = (() => {{\n{body}\nreturn {{ {", ".join(module.exports)} }};\n}})();\n'
    )
