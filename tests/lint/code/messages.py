"""Messages are data: one code for each, the right fields, no sentence twice, and one base for all errors."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

from tests.lint.project import Breach, Findings, Project, each_module
from tests.messages import FIELD, MARKS, PART, calls, error_classes, is_text, messages
from tests.source_modules import Module

FOLDERS = ("models/", "demo/")
WORDS = 4  # shorter texts are labels, which several places may use


@each_module(*FOLDERS)
def messages_have_the_fields_of_their_templates(module: Module) -> Findings:
    for message in messages(module):
        if {*FIELD.findall(message.template)} != {*message.fields}:
            yield message.line, f"has other fields than its template: {message.template}"


@each_module(*FOLDERS)
def codes_are_lower_case_identifiers(module: Module) -> Findings:
    for message in messages(module):
        if not message.code.isidentifier() or message.code != message.code.lower():
            yield message.line, f"has the code {message.code!r}, which is no lower-case identifier"


def no_two_messages_have_one_code(project: Project) -> Iterator[Breach]:
    places: defaultdict[str, dict[str, tuple[str, int]]] = defaultdict(dict)
    for path, module in project.modules(FOLDERS).items():
        for message in messages(module):
            places[message.code][message.template] = path, message.line
    for code, templates in places.items():
        for template in list(templates)[1:]:
            yield Breach(*templates[template], f"gives the code {code!r} a second template: {template}")


@each_module(*FOLDERS)
def every_error_has_a_code_and_one_template(module: Module) -> Findings:
    """Yield errors that cannot be translated: without a code, or joined from parts."""
    for call in calls(module, error_classes()):
        is_data = len(call.args) == 2 and all(map(is_text, call.args))
        texts = [
            arg
            for arg in call.args
            if isinstance(arg, ast.JoinedStr) or " " in _template(arg) or _is_translated(arg)
        ]
        if texts and not is_data:
            yield call, f"cannot be translated: {ast.unparse(call)[:100]}"


def no_sentence_is_written_twice(project: Project) -> Iterator[Breach]:
    """Yield sentences that stand on several lines, whatever their fields are called."""
    first: dict[str, tuple[str, int]] = {}
    for path, module in project.modules(FOLDERS).items():
        for template, line in _sentences(module):
            if len(template.split()) >= WORDS:
                path_before, line_before = first.setdefault(FIELD.sub("{}", template), (path, line))
                if (path_before, line_before) != (path, line):
                    yield Breach(path, line, f"repeats {path_before}:{line_before}: {template}")


@each_module("models/")
def errors_of_the_library_have_one_base(module: Module) -> Findings:
    for node in module.nodes(ast.ClassDef):
        if node.name.endswith("Error") and node.name not in error_classes():
            yield node, f"{node.name} is no UnrolledError"


def _sentences(module: Module) -> Iterator[tuple[str, int]]:
    """Yield template and line of each sentence for readers; values of an f-string become `{}`."""
    for call in calls(module, {PART, *MARKS, *error_classes(), "ValueError", "RuntimeError"}):
        for arg in call.args:
            if isinstance(arg, ast.JoinedStr) or is_text(arg):
                yield _template(arg), call.lineno


def _is_translated(node: ast.expr) -> bool:
    """Whether the expression is a translated text, which has lost its code."""
    return isinstance(node, ast.Call) and ast.unparse(node.func) in {"say", "tell", "sentence"}


def _template(node: ast.expr) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return str(node.value) if isinstance(node, ast.Constant) else ""
