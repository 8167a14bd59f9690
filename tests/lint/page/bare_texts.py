"""No text of the page bypasses the catalogue: toasts, labels, titles of figures, texts in scripts."""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterator

from demo.i18n import translations
from tests.lint.project import Findings, each_module, each_text, line_at
from tests.messages import MARKS, PART
from tests.source_modules import Module

WORDS = re.compile(r"[A-Za-z]{2,} [A-Za-z]{2,}")  # one word alone may be a name, a colour or a key
TOASTS = {"Warning", "Info", "Error"}
VISIBLE = {"label", "info", "placeholder", "title", "hovertemplate", "hovertext", "ticktext", "text"}
MARKING = {*MARKS, "tell", PART}
# What a script hands to the document, written out instead of asked for by `t`; a template's first words.
BARE_IN_SCRIPT = re.compile(
    r'(?:\.(?:textContent|title|placeholder|alt) =|"aria-label":'
    r'|setAttribute\("(?:aria-label|title|placeholder|alt)",)'
    r'\s*["`]([^"`$\n]*)'
)
OF_AN_EXAMPLE = "¿Dónde está la biblioteca?"  # in the documentation of the API
SPACE_BEFORE_PERCENT = re.compile(r"[ \u00a0\u202f]%(?![{(\w])")


@each_module("demo/")
def texts_in_python_go_through_the_catalogue(module: Module) -> Findings:
    """Yield untranslated texts: in toasts all, elsewhere those that the catalogue lacks."""
    for node in (*module.nodes(ast.Call), *module.nodes(ast.Dict)):
        for expression, translated in _visible_texts(node):
            for text in _unmarked(expression):
                if WORDS.search(text) and text not in translated and text != OF_AN_EXAMPLE:
                    yield expression, f"shows a text past the catalogue: {text}"


@each_text("demo/", suffix=".js")
def texts_in_scripts_go_through_the_catalogue(text: str) -> Findings:
    for match in BARE_IN_SCRIPT.finditer(text):
        if re.search(r"[A-Za-z]{2,}", match[1]):
            yield line_at(text, match.start(1)), f"shows a text past the catalogue: {match[1]}"


@each_module("demo/")
def no_space_precedes_a_percent_sign(module: Module) -> Findings:
    for node in module.nodes(ast.Constant):
        if isinstance(node.value, str) and SPACE_BEFORE_PERCENT.match(node.value):
            yield node, f"writes a space before a percent sign: {node.value!r}"


def _visible_texts(node: ast.Call | ast.Dict) -> Iterator[tuple[ast.expr, Container[str]]]:
    """Yield shown expressions, each with the texts that are translated later, such as Gradio's labels."""
    translated = translations("es")
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in TOASTS:
            yield from ((arg, ()) for arg in node.args)
        for option in node.keywords:
            if option.arg in VISIBLE - {"text"}:
                yield option.value, translated
    else:
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and key.value in VISIBLE:
                yield value, translated


def _unmarked(node: ast.AST) -> Iterator[str]:
    """Yield the texts of an expression, without those within a call that translates them."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MARKING:
        return
    if isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    for child in ast.iter_child_nodes(node):
        yield from _unmarked(child)
