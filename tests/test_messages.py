"""Rules that keep messages data: one code for each, the right fields, and no sentence twice."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable

import pytest

from tests.messages import FIELD, TemplateUse, error_classes, messages, plain_texts, sentences
from tests.source_modules import Module, sources

WORDS = 4  # shorter texts are labels, which several places may use


def all_messages(modules: Iterable[Module]) -> list[TemplateUse]:
    return [message for module in modules for message in messages(module)]


def other_fields(messages_to_check: Iterable[TemplateUse]) -> list[str]:
    """Messages whose fields differ from those of their template."""
    return [
        f"{message.line}: {message.template}"
        for message in messages_to_check
        if sorted(set(FIELD.findall(message.template))) != sorted(message.fields)
    ]


def shared_codes(messages_to_check: Iterable[TemplateUse]) -> dict[str, set[str]]:
    """Codes that belong to several templates."""
    by_code: defaultdict[str, set[str]] = defaultdict(set)
    for message in messages_to_check:
        by_code[message.code].add(message.template)
    return {code: templates for code, templates in by_code.items() if len(templates) > 1}


def repeated(modules: Iterable[Module]) -> dict[str, set[str]]:
    """Sentences that stand on several lines, whatever their fields are called."""
    lines_of: defaultdict[str, set[str]] = defaultdict(set)
    for module in modules:
        for template, line in sentences(module):
            if len(template.split()) >= WORDS:
                lines_of[FIELD.sub("{}", template)].add(line)
    return {template: lines for template, lines in lines_of.items() if len(lines) > 1}


@pytest.mark.slow
def test_each_message_is_given_the_fields_of_its_template() -> None:
    checked = all_messages(sources("models", "demo"))
    assert len(checked) > 250
    assert other_fields(checked) == []


@pytest.mark.slow
def test_no_two_messages_have_one_code() -> None:
    assert shared_codes(all_messages(sources("models", "demo"))) == {}


@pytest.mark.slow
def test_codes_are_lower_case_identifiers() -> None:
    codes = {message.code for message in all_messages(sources("models", "demo"))}
    assert [code for code in codes if not code.isidentifier() or code != code.lower()] == []


@pytest.mark.slow
def test_every_error_has_a_code_and_one_template() -> None:
    assert [line for module in sources("models", "demo") for line in plain_texts(module)] == []


@pytest.mark.slow
def test_no_sentence_is_written_twice() -> None:
    assert repeated(sources("models", "demo")) == {}


@pytest.mark.slow
def test_all_errors_of_the_library_have_one_base() -> None:
    assert {"DecodingError", "CheckpointError", "HubCancelledError", "RequestError"} <= error_classes()
    raised = [
        f"{module.name}: {name}"
        for module in sources("models")
        for name in _own_errors(module)
        if name not in error_classes()
    ]
    assert raised == []


def _own_errors(module: Module) -> list[str]:
    return [
        node.name
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ClassDef) and node.name.endswith("Error")
    ]


TWICE = """
raise DataError("empty", "{name} holds nothing at all", name=name)
raise DataError("blank", "{path} holds nothing at all", path=path)
"""


@pytest.mark.parametrize(
    "text",
    [
        'raise DataError(f"{name} is empty")',
        'raise DataError("it is empty")',
        'raise RequestError(say("{name} is empty", name=name))',
        "raise RequestError(sentence(error))",
        'raise CheckpointError(name, file, f"cannot be read ({error})")',
        'raise CheckpointError(name, file, "is no such file", remedy)',
    ],
)
def test_an_error_without_a_code_is_noticed(text: str) -> None:
    assert list(plain_texts(Module("models.corpus", text)))


def test_a_planted_breach_of_each_other_rule_is_noticed() -> None:
    assert repeated([Module("models.corpus", TWICE)])
    wrong = 'raise DataError("empty", "{name} is empty", file=name)\nMessage("empty", "it is empty")'
    planted = all_messages([Module("models.corpus", wrong)])
    assert other_fields(planted) == ["models.corpus:1: {name} is empty"]
    assert shared_codes(planted) == {"empty": {"{name} is empty", "it is empty"}}


@pytest.mark.parametrize(
    "text",
    [
        'raise DataError("empty", "{name} is empty", name=name)',
        "raise DataError(not_one_of(name, allowed, value))",
        "raise CheckpointError(name, CONFIG, unreadable(reason))",
        "raise DecodingError(error.message) from error",
    ],
)
def test_a_message_from_data_is_accepted(text: str) -> None:
    assert not list(plain_texts(Module("models.corpus", text)))
