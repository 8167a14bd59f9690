"""Each rule of the lint finds the breaches planted for it, and nothing in sound files."""

from __future__ import annotations

from types import ModuleType

import pytest

from models.decoding.strategies import names, strategy_class
from tests.lint.code.layers import LIGHT, STRATEGIES
from tests.lint.planted import assertions, code, page, repository, words
from tests.lint.project import Project, Rule
from tests.lint.rooms import rules
from tests.source_modules import ROOT, within

ROOMS = (assertions, code, page, repository, words)
BREACHES = [breach for room in ROOMS for breach in room.BREACHES]


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.__name__)
def test_a_rule_finds_each_breach_that_is_planted(rule: Rule) -> None:
    # A `partial` gives a rule what it would read from the whole page or from Gradio.
    breaches = [breach for breach in BREACHES if rule in {breach[0], getattr(breach[0], "func", None)}]
    assert breaches
    for rule_with_arguments, files, text in breaches:
        texts = {files: text} if isinstance(files, str) else files
        beginning = f"{len(text.splitlines())}: " if isinstance(files, str) else text
        result = rule_with_arguments(Project.planted(texts))
        lines = [f"{breach.line}: {breach.sentence}" for breach in result]
        assert [line for line in lines if line.startswith(beginning)], (beginning, lines, texts)


@pytest.mark.parametrize("planted", ROOMS, ids=lambda planted: planted.__name__)
def test_a_sound_file_is_accepted(planted: ModuleType) -> None:
    for room, texts in planted.SOUND:
        assert [str(breach) for rule in rules(room) for breach in rule(Project.planted(texts))] == [], texts


def test_a_rule_whose_files_have_been_renamed_is_refused() -> None:
    with pytest.raises(ValueError, match="no/such/folder"):
        Project({"demo/x.py": ""}, {}, {}).modules("no/such/folder/")


def test_a_room_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="no_such_room"):
        rules("code", "no_such_room")
    assert {*rules("page.styles")} < {*rules("page")} < {*rules()}


def test_the_tables_name_modules_that_exist() -> None:
    paths = [ROOT.joinpath(*name.split(".")) for name in LIGHT]
    assert [path for path in paths if not path.is_dir() and not path.with_suffix(".py").is_file()] == []
    assert all(within(strategy_class(name).__module__, STRATEGIES) for name in names())
