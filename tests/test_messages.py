"""The rules that keep messages data: a code for each, its own fields, and no sentence twice."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable

import pytest

from tests.messages import FIELD, Written, error_classes, messages, plain_texts, sentences
from tests.source_modules import Module, sources

WORDS = 4  # from which on a text is a sentence, and not a word that several may use


def written(modules: Iterable[Module]) -> list[Written]:
    return [each for module in modules for each in messages(module)]


def other_fields(found: Iterable[Written]) -> list[str]:
    """Messages that are given what their template does not name, or not given what it does."""
    return [
        f"{each.place}: {each.template}"
        for each in found
        if sorted(set(FIELD.findall(each.template))) != sorted(each.fields)
    ]


def shared_codes(found: Iterable[Written]) -> dict[str, set[str]]:
    """Codes that several templates have."""
    by_code: defaultdict[str, set[str]] = defaultdict(set)
    for each in found:
        by_code[each.code].add(each.template)
    return {code: templates for code, templates in by_code.items() if len(templates) > 1}


def repeated(modules: Iterable[Module]) -> dict[str, set[str]]:
    """Sentences that stand in several places; names of fields make no difference."""
    places: defaultdict[str, set[str]] = defaultdict(set)
    for module in modules:
        for template, place in sentences(module):
            if len(template.split()) >= WORDS:
                places[FIELD.sub("{}", template)].add(place)
    return {template: found for template, found in places.items() if len(found) > 1}


@pytest.mark.slow
def test_each_message_is_given_the_fields_of_its_template() -> None:
    found = written(sources("models", "demo"))
    assert len(found) > 250
    assert other_fields(found) == []


@pytest.mark.slow
def test_no_two_messages_have_one_code() -> None:
    assert shared_codes(written(sources("models", "demo"))) == {}


@pytest.mark.slow
def test_codes_are_names() -> None:
    codes = {each.code for each in written(sources("models", "demo"))}
    assert [code for code in codes if not code.isidentifier() or code != code.lower()] == []


@pytest.mark.slow
def test_no_error_is_a_sentence_that_no_catalogue_knows() -> None:
    assert [place for module in sources("models", "demo") for place in plain_texts(module)] == []


@pytest.mark.slow
def test_no_sentence_stands_twice() -> None:
    assert repeated(sources("models", "demo")) == {}


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
    found = written([Module("models.corpus", wrong)])
    assert other_fields(found) == ["models.corpus:1: {name} is empty"]
    assert shared_codes(found) == {"empty": {"{name} is empty", "it is empty"}}


@pytest.mark.parametrize(
    "text",
    [
        'raise DataError("empty", "{name} is empty", name=name)',
        "raise DataError(not_one_of(name, allowed, value))",
        "raise CheckpointError(name, CONFIG, unreadable(reason))",
        "raise DecodingError(error.message) from error",
    ],
)
def test_a_message_that_is_data_is_left_alone(text: str) -> None:
    assert not list(plain_texts(Module("models.corpus", text)))
