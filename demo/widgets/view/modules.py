"""The views' ES modules, joined into one text: the page fetches one file, and an exported page none.

Each module becomes a function that returns its exports, after the modules that it imports. Only the forms of
import and export that the views use are supported; any other is refused.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from demo.server.assets import address, register_folder, register_text
from demo.widgets.view.assets import PLOTLY, asset, plotly_file, scripts

IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.{1,2}/[\w./-]+\.js)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class) (\w+))", re.MULTILINE)
# Comments of whole lines, and indentation; a test makes sure that no string spans several lines.
INDENT = re.compile(r"^[ \t]+", re.MULTILINE)
COMMENT = re.compile(r"^\s*(?://.*|/\*\*(?:[^*]|\*(?!/))*\*/[ \t]*)\n", re.MULTILINE)
# Other forms of import and export cannot be joined.
FORBIDDEN = re.compile(r"^(?:import|export)\b.*|\bimport\s*[.(].*|</script", re.MULTILINE)
NAME, FILE = "views", "views.js"
LAZY_PATH = "/lazy/"  # marks the paths of modules that the page fetches on demand


class ModuleFormError(ValueError):
    """A module has a form that cannot be joined; the message shows it."""


@dataclass(frozen=True)
class Module:
    """A parsed module."""

    path: str  # below `demo`
    imports: tuple[tuple[str, str], ...]  # the names between the braces, and the path of the imported module
    exports: tuple[str, ...]
    body: str  # the code without imports, the word export, whole-line comments and indentation


def read_module(path: str, text: str) -> Module:
    """Parse the imports, exports and body of a module. Raises ModuleFormError."""
    code = INDENT.sub("", COMMENT.sub("", text))
    folder = posixpath.dirname(path)
    imports = tuple(
        (" ".join(names.split()).rstrip(","), posixpath.normpath(posixpath.join(folder, source)))
        for names, source in IMPORT.findall(code)
    )
    body = EXPORT.sub("", IMPORT.sub("", code))
    if forbidden := FORBIDDEN.search(body):
        raise ModuleFormError(f"{path} cannot be joined with others for this: {forbidden[0].strip()[:100]}")
    return Module(path, imports, tuple(EXPORT.findall(code)), body)


def in_order(modules: Mapping[str, Module], entries: Iterable[str]) -> list[Module]:
    """The entries and the modules that they need, imports first. Raises ModuleFormError for a cycle."""
    ordered: dict[str, Module] = {}

    def add(path: str, waiting: Sequence[str]) -> None:
        if path in waiting:
            raise ModuleFormError(f"modules import each other in a circle: {' → '.join([*waiting, path])}")
        if path in ordered:
            return
        if path not in modules:
            raise ModuleFormError(
                f"{waiting[-1] if waiting else 'the page'} needs {path}, which is not there"
            )
        for _, source in modules[path].imports:
            add(source, [*waiting, path])
        ordered[path] = modules[path]

    for entry in entries:
        add(entry, ())
    return list(ordered.values())


def modules_script(entries: Iterable[str] | None = None) -> str:
    """JavaScript that stores the entries' exports in `modules`, by path; default: all but lazy modules."""
    modules = _modules()
    early = [path for path in modules if LAZY_PATH not in path]
    parts = (_function(module) for module in in_order(modules, early if entries is None else entries))
    return "".join(("const modules = {};\n", *parts))


def modules_address() -> str:
    """The address of all modules, relative to the page; the file exports them as `modules`."""
    register_text(NAME, FILE, f"{modules_script()}export {{ modules }};\n")
    return address(NAME, FILE)


def lazy_address(folder: str) -> str:
    """The address of the lazy modules of a view; the file exports `add`, which adds them to `modules`."""
    modules = _modules()
    lazy = [path for path in modules if path.startswith(f"{folder}{LAZY_PATH}")]
    functions = "".join(_function(module) for module in in_order(modules, lazy) if LAZY_PATH in module.path)
    name = folder.replace("/", "-")
    register_text(f"lazy-{name}", f"{name}.js", f"export const add = (modules) => {{\n{functions}}};\n")
    return address(f"lazy-{name}", f"{name}.js")


@cache
def _modules() -> Mapping[str, Module]:
    texts = {path: asset(path) for path in scripts()}
    return {path: read_module(path, text) for path, text in texts.items() if "/*MODULES*/" not in text}


def _function(module: Module) -> str:
    needs = [
        f'const {{ {names.replace(" as ", ": ")} }} = modules["{path}"];' for names, path in module.imports
    ]
    body = "\n".join((*needs, module.body.strip()))
    return (
        f'modules["{module.path}"] = (() => {{\n{body}\nreturn {{ {", ".join(module.exports)} }};\n}})();\n'
    )


def plotly_address() -> str:
    """The address of plotly.js, relative to the page."""
    register_folder("plotly", plotly_file().parent, only=(PLOTLY,))
    return address("plotly", PLOTLY)
