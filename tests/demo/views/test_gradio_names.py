"""The names of Gradio's page in our style sheets and scripts exist, and `gradio_compat` lists their files.

Gradio documents none of these names, and a selector that finds nothing fails silently.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import gradio as gr
import pytest

DEMO = Path(__file__).parents[3] / "demo"
BUILD = Path(gr.__file__).parent / "templates" / "frontend"

CLASSES = {
    *("block", "column", "contain", "dark", "divider", "error", "fillable", "form", "gradio-container"),
    *(
        "has-info",
        "head",
        "html-container",
        "icon",
        "info-text",
        "label-wrap",
        "main",
        "open",
        "prose",
        "secondary-wrap",
    ),
    *("selected", "show-api", "slider_input_container", "tab-container", "tab-wrapper", "tabitem"),
    *("toast-title", "toast-wrap", "wrap", "wrap-inner"),
}
# Other names, by what our sources write.
OTHERS = {name: name for name in ("block-info", "toast-body", "toast-close", "data-tab-id", "gradio_config")}
OTHERS["tabId"] = "data-tab-id"
# Plotly's classes, and the beginnings of ours that are put together from parts.
NOT_GRADIOS = re.compile("modebar-|svg-container|compare-|dp-|gl-|tv-")

CLASS = re.compile(r"\.([a-zA-Z_][\w-]*)")
# A class in a selector, not the attribute of an object.
SELECTED = re.compile(r"(?:(?<=\\n)|(?<![\w)}\]?.]))\.([a-zA-Z_][\w-]*)(?![\w(.-])")
LITERAL = re.compile(r'"[^"\n]*"|\'[^\'\n]*\'|`[^`\n]*`')
FILE_LINE = re.compile(r"^#   (.*\.(?:py|js),?)$", re.MULTILINE)


@cache
def sources(*suffixes: str) -> dict[str, str]:
    """Texts by their paths below demo/."""
    paths = (path for path in sorted(DEMO.rglob("*")) if path.suffix in suffixes)
    texts = {path.relative_to(DEMO).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    return {path: text for path, text in texts.items() if not path.endswith(".test.js")}


def classes_of(sheet: str) -> set[str]:
    return set(CLASS.findall(re.sub(r'/\*.*?\*/|"[^"]*"', "", sheet, flags=re.DOTALL)))


def names_in(source: str) -> set[str]:
    """The names of Gradio's page in a script, or in a module that writes styles."""
    others = {name for spelt, name in OTHERS.items() if spelt in source}
    return (CLASSES & set(SELECTED.findall(source))) | others


def set_by_us() -> set[str]:
    """The words of all strings in our sources, which include every class that we set."""
    literals = (item for text in sources(".py", ".js", ".html").values() for item in LITERAL.findall(text))
    return {word for literal in literals for word in re.findall(r"(?<![.\w-])[a-zA-Z_][\w-]*", literal)}


@cache
def build(suffix: str) -> str:
    return "".join(path.read_text(encoding="utf-8") for path in BUILD.rglob(f"*{suffix}"))


def gradio_has(name: str) -> bool:
    """Whether Gradio's style sheets know a class, or its scripts set it or write another name."""
    if name not in CLASSES:
        return name in build(".js")
    if re.search(rf"\.{name}(?![\w-])", build(".css")):
        return True
    return any(spelling in build(".js") for spelling in (f"`{name} ", f'"{name}"'))


@pytest.mark.slow
def test_every_class_in_a_style_sheet_is_ours_or_known_to_be_gradios() -> None:
    allowed = set_by_us() | CLASSES
    unknown = {
        f"{path}: .{name}"
        for path, sheet in sources(".css").items()
        for name in classes_of(sheet) - allowed
        if not NOT_GRADIOS.match(name)
    }
    assert unknown == set()


@pytest.mark.slow
def test_gradio_has_every_used_name() -> None:
    missing = [name for name in sorted({*CLASSES, *OTHERS.values()}) if not gradio_has(name)]
    assert missing == [], "see demo/server/gradio_compat.py"
    assert not gradio_has("no-such-class")


@pytest.mark.slow
def test_every_known_name_is_used() -> None:
    used = {name for sheet in sources(".css").values() for name in classes_of(sheet)}
    used |= {name for text in sources(".py", ".js").values() for name in names_in(text)}
    assert {*CLASSES, *OTHERS.values()} - used == set()


def test_gradio_compat_lists_every_module_that_uses_names_of_gradio() -> None:
    listed_modules = " ".join(FILE_LINE.findall(sources(".py", ".js")["server/gradio_compat.py"])).split(", ")
    naming = [path for path, text in sources(".py", ".js").items() if names_in(text)]
    assert listed_modules == sorted(set(naming) - {"server/gradio_compat.py"})
