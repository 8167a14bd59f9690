"""No text of the page bypasses the catalogue: toasts, labels, titles of figures, texts in scripts."""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterator

import pytest

from demo.i18n import translations
from tests.demo.i18n.keys import DEMO, MARKS
from tests.messages import PART
from tests.source_modules import Module, sources

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


def bare_in_python(module: Module) -> Iterator[str]:
    """The locations of untranslated texts: in toasts all, elsewhere those that the catalogue lacks."""
    for node in ast.walk(module.tree):
        for expression, translated in _visible_texts(node):
            for text in _unmarked(expression):
                if WORDS.search(text) and text not in translated and text != OF_AN_EXAMPLE:
                    yield f"{module.name}:{expression.lineno} {text}"


def bare_in_script(text: str) -> Iterator[str]:
    yield from (literal for literal in BARE_IN_SCRIPT.findall(text) if re.search(r"[A-Za-z]{2,}", literal))


def _visible_texts(node: ast.AST) -> Iterator[tuple[ast.expr, Container[str]]]:
    """Expressions that are shown, each with the texts that are translated later, such as Gradio's labels."""
    translated = translations("es")
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in TOASTS:
            yield from ((arg, ()) for arg in node.args)
        yield from (
            (option.value, translated) for option in node.keywords if option.arg in VISIBLE - {"text"}
        )
    elif isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and key.value in VISIBLE:
                yield value, translated


def _unmarked(node: ast.AST) -> Iterator[str]:
    """The texts of an expression, without those within a call that translates them."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MARKING:
        return
    if isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    for child in ast.iter_child_nodes(node):
        yield from _unmarked(child)


@pytest.mark.slow
def test_every_text_in_python_goes_through_the_catalogue() -> None:
    assert [text for module in sources("demo") for text in bare_in_python(module)] == []


def test_every_text_in_a_script_goes_through_the_catalogue() -> None:
    scripts = {path: path.read_text(encoding="utf-8") for path in DEMO.rglob("*.js")}
    assert len(scripts) > 50
    assert [
        f"{path.name}: {text}" for path, script in scripts.items() for text in bare_in_script(script)
    ] == []


@pytest.mark.parametrize(
    "text",
    [
        'gr.Warning("Nothing happens.")',
        'gr.Info(f"It took {seconds} seconds.")',
        'gr.Error(safe_text("Nothing happens."), title=say("Sorry"))',
        'gr.Textbox(label=f"At most {limit} characters of it")',
        'figure = {"title": {"text": f"loss of step {step}"}}',
        'trace = {"hovertemplate": "%{x} of the tokens<extra></extra>"}',
    ],
)
def test_a_bare_text_in_python_is_noticed(text: str) -> None:
    assert list(bare_in_python(Module("demo.tab", text)))


@pytest.mark.parametrize(
    "text",
    [
        'gr.Info(say("{count} seconds", count=count))',
        'gr.Textbox(label="At most {limit} characters")',
        'figure = {"title": {"text": say("loss"), "font": {"color": LIGHT.ink}}}',
        'trace = {"hovertemplate": "%{x}: %{customdata}<extra></extra>", "name": "loss of a run"}',
    ],
)
def test_a_text_of_the_catalogue_is_left_alone(text: str) -> None:
    assert not list(bare_in_python(Module("demo.tab", text)))


def test_a_bare_text_in_a_script_is_noticed() -> None:
    for text in (
        'said.textContent = "Copied";',
        "node.title = `step ${at}: ${token}`;",
        'node.setAttribute("aria-label", "Close");',
        'make("img", { "aria-label": "The picture" })',
    ):
        assert list(bare_in_script(text)), text
    for text in ('close.textContent = "×";', 'a.title = `${t("step")} ${at}`;', 'a.placeholder = t("Find");'):
        assert not list(bare_in_script(text)), text
