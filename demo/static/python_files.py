"""The Python of the page without a server: files of this project, and Pyodide to run them."""

from __future__ import annotations

import ast
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

from demo.widgets.view.assets import DEMO

ROOT = Path(__file__).parents[2]
ENTRY = "demo.static.answers"
DATA = (".json", ".html", ".txt")  # files that modules read
ASSET = re.compile(r'\basset\("([\w./-]+)"\)')
PYODIDE = ROOT / "node_modules" / "pyodide"  # `npm ci` puts it there
PYODIDE_FILES = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "pyodide-lock.json",
    "python_stdlib.zip",
)
LONG_AGO = (1980, 1, 1, 0, 0, 0)  # equal files make equal archives


def python_files() -> list[Path]:
    """The modules that load with `answers`, and the data in their folders or named by them, sorted."""
    modules = _loaded_files(ENTRY)
    folders = {path.parent for path in modules}
    data = {path for folder in folders for path in folder.iterdir() if path.suffix in DATA}
    named = {DEMO / name for path in modules for name in ASSET.findall(path.read_text(encoding="utf-8"))}
    return sorted(modules | data | {path for path in named if path.suffix in DATA})


def pack(target: Path) -> None:
    """Write `python_files` to a zip file, by their paths in the project."""
    with zipfile.ZipFile(target, "w") as archive:
        for path in python_files():
            entry = zipfile.ZipInfo(path.relative_to(ROOT).as_posix(), LONG_AGO)
            archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED, compresslevel=9)


def _loaded_files(name: str) -> set[Path]:
    """The files of a module, of the packages above it, and of all that they import when they load."""
    loaded: set[Path] = set()
    searched: set[Path] = set()  # files whose packages were searched for members
    waiting = [name]
    while waiting:
        parts = waiting.pop().split(".")
        modules = [(path, parts[:end]) for end in range(1, len(parts) + 1) if (path := _path(parts[:end]))]
        for path, _ in modules:
            if path not in loaded:
                loaded.add(path)
                waiting += _imports(path)
        # A package above the module loads too, but nobody calls its functions.
        for path, module in modules[-1:]:
            if path not in searched:
                searched.add(path)
                waiting += _discovered_modules(path, ".".join(module))
    return loaded


def _path(parts: list[str]) -> Path | None:
    folder = ROOT.joinpath(*parts)
    files = (folder / "__init__.py", folder.with_suffix(".py"))
    return next((path for path in files if path.exists()), None)


def _imports(path: Path) -> Iterator[str]:
    """Yield what a module imports when it loads."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _discovered_modules(path: Path, module: str) -> Iterator[str]:
    """Yield the modules that a module imports by `discover` and `import_modules`."""
    for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
            continue
        if call.func.id in {"discover", "import_modules"}:
            package = call.args[0]
            yield from _members(str(package.value) if isinstance(package, ast.Constant) else module)


def _members(package: str) -> Iterator[str]:
    folder = ROOT.joinpath(*package.split("."))
    for path in folder.rglob("*.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        yield ".".join(parts).removesuffix(".__init__")
