"""The classes of style sheets, and the names of Gradio's page in our style sheets and scripts.

Gradio documents none of these names, and a selector that finds nothing fails silently.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import gradio as gr

from demo.trace.trace_card import cards_html
from tests.lint.project import Breach, Findings, Project, each_text, line_at

BUILD = Path(gr.__file__).parent / "templates" / "frontend"
COMPAT = "demo/server/gradio_compat.py"
CARDS = "demo/trace/trace_card.py"  # composes names; `cards_html` has the results

CLASSES = {
    *("block", "column", "contain", "dark", "divider", "error", "fillable", "form", "gradio-container"),
    *(
        "has-info",
        "head",
        "html-container",
        "icon",
        "icon-button",
        "info-text",
        "label-wrap",
        "main",
        "open",
        "prose",
    ),
    *("secondary-wrap", "selected", "show-api", "slider_input_container", "tab-container", "tab-wrapper"),
    *("tabitem", "toast-title", "toast-wrap", "wrap", "wrap-inner"),
}
# Other names, by what our sources write.
OTHERS = {name: name for name in ("block-info", "toast-body", "toast-close", "data-tab-id", "gradio_config")}
OTHERS["tabId"] = "data-tab-id"
# Plotly's classes, and the beginnings of ours that are put together from parts.
NOT_GRADIOS = re.compile("modebar-|svg-container|compare-|dp-|gl-|tv-")

COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
CLASS = re.compile(r"\.([a-zA-Z_][\w-]*)")
# The page's own classes begin with two letters, tv- or cp-; the others are Gradio's and Plotly's.
OWN_CLASS = re.compile(r"\.([a-z]{2}-[\w-]+)")
NAME = re.compile(r"(?<![\w-])[a-z]{2}-(?:[\w-]|\$?\{[^{}]*\})+")
EXPRESSION = re.compile(r"\\?\$?\\\{.*?\\\}")  # an expression in a composed name, after `re.escape`
# A class in a selector, not the attribute of an object.
SELECTED = re.compile(r"(?:(?<=\\n)|(?<![\w)}\]?.]))\.([a-zA-Z_][\w-]*)(?![\w(.-])")
LITERAL = re.compile(r'"[^"\n]*"|\'[^\'\n]*\'|`[^`\n]*`')
WORD = re.compile(r"(?<![.\w-])[a-zA-Z_][\w-]*")
FILE_LINE = re.compile(r"^#   (.*\.(?:py|js),?)$", re.MULTILINE)
FONT_SIZE = re.compile(r"font-size: [\d.]+px")


def every_class_in_a_style_sheet_is_ours_or_gradios(project: Project) -> Iterator[Breach]:
    allowed = _words_of_strings(project) | CLASSES
    for path, sheet in project.matching("demo/", ".css").items():
        for name in sorted(_classes_of(sheet) - allowed):
            if not NOT_GRADIOS.match(name):
                yield Breach(path, project.line_of(path, f".{name}"), f"nothing has the class {name}")


def every_class_of_ours_is_set_somewhere(project: Project) -> Iterator[Breach]:
    allowed = set_somewhere(project)
    for path, sheet in project.matching("demo/", ".css").items():
        for name in sorted({*OWN_CLASS.findall(COMMENT.sub("", sheet))}):
            if not allowed.fullmatch(name):
                yield Breach(path, project.line_of(path, f".{name}"), f"nothing sets the class {name}")


def set_somewhere(project: Project) -> re.Pattern[str]:
    """Return a pattern for every class in the markup or a script, complete or composed: `dp-${side}`."""
    sources = project.matching("demo/", (".py", ".js", ".html"))
    texts = [cards_html(), *(text for path, text in sources.items() if path != CARDS)]
    names = {name for text in texts for name in NAME.findall(text)}
    return re.compile("|".join(EXPRESSION.sub(r"[\\w-]+", re.escape(name)) for name in sorted(names)))


@each_text("demo/", suffix=".css")
def the_size_of_text_follows_the_browser(sheet: str) -> Findings:
    """Yield sizes of fonts in pixels, which ignore the size that is set in the browser; `rem` follows it."""
    for match in FONT_SIZE.finditer(sheet):
        yield line_at(sheet, match.start()), f"{match[0]} ignores the browser's size of text: use rem"


def gradio_has_every_name(
    _: Project, names: Iterable[str] = (*CLASSES, *OTHERS.values())
) -> Iterator[Breach]:
    for name in sorted({*names}):
        if not gradio_has(name):
            yield Breach(COMPAT, 1, f"the installed Gradio has no {name}")


def every_listed_name_is_used(project: Project) -> Iterator[Breach]:
    used = {name for sheet in project.matching("demo/", ".css").values() for name in _classes_of(sheet)}
    used |= {name for text in project.matching("demo/", (".py", ".js")).values() for name in names_in(text)}
    for name in sorted({*CLASSES, *OTHERS.values()} - used):
        yield Breach("tests/lint/page/styles.py", 1, f"nothing uses the name {name} of Gradio's page")


def gradio_compat_lists_every_module_that_uses_names(project: Project) -> Iterator[Breach]:
    sources = {
        path.removeprefix("demo/"): text for path, text in project.matching("demo/", (".py", ".js")).items()
    }
    modules_in_comment = " ".join(FILE_LINE.findall(project.texts.get(COMPAT, ""))).split(", ")
    naming = {path for path, text in sources.items() if names_in(text)} - {COMPAT.removeprefix("demo/")}
    if modules_in_comment != sorted(naming):
        difference = sorted(naming ^ {*modules_in_comment}) or "the order"
        yield Breach(COMPAT, 1, f"does not list the modules that use names of Gradio's page: {difference}")


def names_in(source: str) -> set[str]:
    """Return the names of Gradio's page in a script, or in a module that writes styles."""
    others = {name for spelt, name in OTHERS.items() if spelt in source}
    return (CLASSES & {*SELECTED.findall(source)}) | others


def gradio_has(name: str) -> bool:
    """Whether Gradio's style sheets know a class, or its scripts set it or write another name."""
    if name not in CLASSES:
        return name in _build(".js")
    if re.search(rf"\.{name}(?![\w-])", _build(".css")):
        return True
    return any(spelling in _build(".js") for spelling in (f"`{name} ", f'"{name}"'))


@cache
def _build(suffix: str) -> str:
    return "".join(path.read_text(encoding="utf-8") for path in BUILD.rglob(f"*{suffix}"))


def _classes_of(sheet: str) -> set[str]:
    return {*CLASS.findall(re.sub(r'/\*.*?\*/|"[^"]*"', "", sheet, flags=re.DOTALL))}


def _words_of_strings(project: Project) -> set[str]:
    """Return the words of all strings in our sources, which include every class that we set."""
    texts = project.matching("demo/", (".py", ".js", ".html")).values()
    return {word for text in texts for literal in LITERAL.findall(text) for word in WORD.findall(literal)}
