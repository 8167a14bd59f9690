"""Writes the folder, and lists its files with their sizes."""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from demo.i18n import LANGUAGES, complete_languages, in_language, translations
from demo.i18n.page_translations import CONTENT, TAGS
from demo.learn.views import dock_style
from demo.links.hiding import hiding_rules
from demo.page.theme import build_theme, style_sheet
from demo.static.python_files import PYODIDE, PYODIDE_FILES, pack
from demo.static.site.checkpoints import checkpoint_data, copy_checkpoint, select_names, write_examples
from demo.static.site.decoder import with_its_strategies
from demo.static.site.lessons import Course
from demo.static.site.page import LAZY_SCRIPT, LAZY_STYLE, StaticPage, build_page, description
from demo.trace.component import page_shell
from demo.widgets.glossary.terms import terms_text
from demo.widgets.view.assets import DEMO, WITHOUT_SERVER, asset, plotly_file
from demo.work.context import AppContext
from models.registry.registry import Registry

SHELL_FOLDER = WITHOUT_SERVER / "shell"
NOTICES = """Unrolled: LICENSE. Each checkpoint: the licence that its README.md names.
pyodide: Pyodide, Mozilla Public License 2.0, with Python, PSF License.
plotly.min.js: plotly.js, MIT licence, Copyright Plotly, Inc.
fonts: IBM Plex, SIL Open Font License 1.1, Copyright IBM Corp.
"""
START = "static/shell/start.js"
LESSON_SCRIPTS = ("learn/dock/lazy/dock.js",)  # modules that the page fetches with the first lesson
WORKER = ("static/worker/engine.js", "static/worker/worker.js")  # fetched when the first text is decoded
IMPORT = re.compile(r'^(?:import|export)\b[^;"]*"(\.{1,2}/[\w./-]+\.js)";', re.MULTILINE)
FONT = re.compile(r"url\('static/(fonts/[\w/.-]+)'\)")
LIST = "files.json"  # the digest and the size of each file, for the service worker


@with_its_strategies()
def write_folder(output: Path, registry: Registry, names: Sequence[str]) -> None:
    """Write the page with some checkpoints; see `select_names`.

    Raises UnknownCheckpointError, CheckpointError.
    """
    copied = output / "checkpoints"
    for name in select_names(registry, names):
        copy_checkpoint(registry, name, copied)
    context = AppContext(Registry(copied))
    page = build_page(context)
    _write_texts(output, page, context)
    _write_scripts(output, page)
    gradio = Path(str(files("gradio"))) / "templates" / "frontend" / "static"
    for name in FONT.findall(_theme_rules()):
        _copy(gradio / name, output / name)
    _copy(plotly_file(), output / "plotly.min.js")
    _copy(SHELL_FOLDER / "service_worker.js", output / "service_worker.js")
    (output / "index.html").write_text(_index(), encoding="utf-8")
    pack(output / "python.zip")
    for file in PYODIDE_FILES:
        _copy(PYODIDE / file, output / "pyodide" / file)
    _copy(DEMO.parent / "LICENSE", output / "LICENSE")
    (output / "NOTICES.txt").write_text(NOTICES, encoding="utf-8")
    (output / ".nojekyll").write_text("", encoding="utf-8")  # GitHub Pages would leave files out
    (output / LIST).write_text(json.dumps(dict(_entries(output))), encoding="utf-8")


def _index() -> str:
    """The first page, with the codes of the languages."""
    text = (SHELL_FOLDER / "index.html").read_text(encoding="utf-8")
    return text.replace("LANGUAGES", " ".join(LANGUAGES)).replace("COMPLETE", " ".join(complete_languages()))


def _write_texts(output: Path, page: StaticPage, context: AppContext) -> None:
    """Write what depends on the language."""
    for name in context.registry.names():
        write_examples(context, name, output / "checkpoints" / name)
    course = Course(context)
    for code in LANGUAGES:
        folder = output / "texts" / code
        with in_language(code):
            texts = {
                **description(page),
                "tag": TAGS.get(code, code),
                "checkpoints": {name: checkpoint_data(context, name) for name in context.registry.names()},
            }
            _write_json(folder / "page.json", texts)
            (folder / "terms.json").write_text(terms_text(), encoding="utf-8")
            (folder / "exported.html").write_text(page_shell(), encoding="utf-8")
            (folder / "style.css").write_text(_style(page, code), encoding="utf-8")
            for name, content in course.files():
                _write_json(output / "lessons" / code / name, content)


def _theme_rules() -> str:
    """Gradio's variables and fonts."""
    theme: Any = build_theme()
    return str(theme._get_theme_css())


def _style(page: StaticPage, language: str) -> str:
    """The page's rules and those of each view, in a language, since some contain words."""
    theme = FONT.sub(r"url('../../\1')", _theme_rules())
    views = (f"#view-{number} {{ {css} }}" for number, css in page.styles())
    shell, head = asset("static/shell/shell.css"), asset("page/scripts/head.css")
    sheets = (theme, shell, style_sheet(), head, hiding_rules(), *views)
    words = translations(language)
    return CONTENT.sub(lambda match: f'"{words.get(match[1], match[1])}"', "\n".join(sheets))


def _write_scripts(output: Path, page: StaticPage) -> None:
    """Write the modules of the page and of the engine, in the places of the project."""
    mounted = sorted(page.scripts())
    for path in _with_imports([START, *mounted, *LESSON_SCRIPTS, *WORKER]):
        _copy(DEMO / path, output / "scripts" / path)
    modules = _table(mounted, "modules = {{ {entries} }}")
    (output / "scripts" / "modules.js").write_text(modules, encoding="utf-8")
    lazy = _table(LESSON_SCRIPTS, "add = (modules) => Object.assign(modules, {{ {entries} }})")
    (output / LAZY_SCRIPT).write_text(lazy, encoding="utf-8")
    (output / LAZY_STYLE).write_text(dock_style(), encoding="utf-8")


def _with_imports(entries: Iterable[str]) -> set[str]:
    """The modules and all that they import, by their paths below `demo`."""
    paths: set[str] = set()
    waiting = list(entries)
    while waiting:
        path = waiting.pop()
        if path not in paths:
            paths.add(path)
            folder = posixpath.dirname(path)
            sources = IMPORT.findall(asset(path))
            waiting += [posixpath.normpath(posixpath.join(folder, source)) for source in sources]
    return paths


def _table(scripts: Sequence[str], exported: str) -> str:
    """A module that exports the modules of views, by their paths below `demo`."""
    imports = (f'import * as m{index} from "./{path}";\n' for index, path in enumerate(scripts))
    entries = (f'"{path}": m{index}' for index, path in enumerate(scripts))
    return f"{''.join(imports)}export const {exported.format(entries=', '.join(entries))};\n"


def _write_json(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def _entries(output: Path) -> Iterator[tuple[str, list[str | int]]]:
    for path in sorted(path for path in output.rglob("*") if path.is_file() and path.name != LIST):
        content = path.read_bytes()
        yield path.relative_to(output).as_posix(), [hashlib.sha256(content).hexdigest()[:16], len(content)]
