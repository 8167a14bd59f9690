"""The teacher's kit: every lesson has one, and every right answer is held by a fact or has a source."""

from __future__ import annotations

import ast

import pytest

from demo.i18n import complete_languages
from demo.learn.lessons import KIT, Kit, QuizItem, kit_of, lessons, pairs, read_kit
from demo.learn.lessons.facts import LessonState
from demo.learn.lessons.lesson import Lesson
from demo.learn.lessons.reading import LessonFormError
from demo.learn.lessons.states import States
from demo.learn.lessons.terms import BRACES, fill_in_terms, value_of
from demo.widgets.glossary.terms import names
from tests.demo.learn.lessons.claims import CLAIMING, QUOTED, split, uncited
from tests.demo.learn.lessons.sample import QUICK
from tests.grids import named

LESSONS = lessons()
IDS = [lesson.id for lesson in LESSONS]
TOPICS = 12
MAX_TIMES = 0.6  # share of the items whose right answer stands in one place
MAX_LENGTH, FEW_LETTERS = 1.3, 5  # of the right option, against the longest wrong one
every_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=IDS)


def kit_for(lesson: Lesson) -> Kit:
    kit = kit_of(lesson.id)
    assert kit is not None, f"{lesson.id} has no kit"
    return kit


def states_of(lesson: Lesson, item: QuizItem, states: States) -> LessonState:
    if not item.step:
        return LessonState()
    return states.state_of(next(step.state for step in lesson.steps if step.name == item.step))


def check_item(item: QuizItem, state: LessonState) -> None:
    """One option holds; every text is there in all languages, with the same terms."""
    right = [value_of(option.term, state) for option in item.prediction.options]
    assert right.count(True) == 1, f"{item.name}: one option must hold, and no other; got {right}"
    assert set(right) == {True, False}
    for text in (item.text, item.explanation, *(option.text for option in item.prediction.options)):
        assert {*complete_languages()} <= text.keys()
        assert len({tuple(sorted(BRACES.findall(part))) for part in text.values()}) == 1
        assert all("{" not in fill_in_terms(part, state) for part in text.values())


def check_general(item: QuizItem) -> None:
    """One option is right, a source says so, and its length does not give it away."""
    assert item.source
    assert uncited(item.source) == []
    check_item(item, LessonState())
    right = right_option(item)
    for code in complete_languages():
        lengths = [len(option.text[code]) for option in item.prediction.options]
        others = max(length for index, length in enumerate(lengths) if index != right)
        assert lengths[right] <= MAX_LENGTH * others + FEW_LETTERS, f"{item.name}, {code}: {lengths}"


def right_option(item: QuizItem) -> int:
    return [value_of(option.term, LessonState()) for option in item.prediction.options].index(True)


@every_lesson
def test_a_kit_builds_on_earlier_lessons(lesson: Lesson) -> None:
    kit = kit_for(lesson)
    earlier = IDS[: IDS.index(lesson.id)]
    assert {*kit.before} <= {*earlier}
    assert not earlier or kit.recall in earlier, "each lesson but the first recalls an earlier one"
    assert len(kit.items) >= 2
    for text in (kit.goal, kit.misconception, kit.homework):
        assert {*complete_languages()} <= text.keys()
        assert len({*text.values()}) == len(text)


@every_lesson
def test_a_term_that_a_lesson_introduces_is_in_the_glossary(lesson: Lesson) -> None:
    assert {*kit_for(lesson).introduces} <= {*names()}


@every_lesson
def test_every_misconception_names_its_refutation(lesson: Lesson) -> None:
    source = kit_for(lesson).misconception_source
    is_step = source.startswith("step ")
    assert source.removeprefix("step ") in {step.name for step in lesson.steps} if is_step else source


def test_every_kit_belongs_to_a_lesson() -> None:
    assert sorted(path.stem for path in KIT.glob("*.md")) == sorted(IDS)


@every_lesson
def test_a_general_item_has_a_source_and_one_right_option(lesson: Lesson) -> None:
    for item in kit_for(lesson).items:
        if item.step:
            assert item.step in {step.name for step in lesson.steps}
            for option in item.prediction.options:
                names = [node for node in ast.walk(ast.parse(option.term)) if isinstance(node, ast.Name)]
                assert names, f"{item.name}: {option.term} holds no fact"
        else:
            check_general(item)


@every_lesson
def test_an_explanation_that_claims_more_than_a_number_has_a_source(lesson: Lesson) -> None:
    bare = [
        f"{item.name}: {sentence}"
        for item in kit_for(lesson).items
        for sentence in split(item.explanation["en"])
        if not item.source and CLAIMING.search(QUOTED.sub("", sentence))
    ]
    assert bare == []


@pytest.mark.slow
@pytest.mark.parametrize("lesson", named(dict(zip(IDS, LESSONS, strict=True)), QUICK))
def test_the_facts_hold_the_right_answer_of_an_item(lesson: Lesson, states: States) -> None:
    for item in kit_for(lesson).items:
        if item.step:
            check_item(item, states_of(lesson, item, states))


def test_the_test_before_and_after_the_course_has_pairs_by_topic() -> None:
    assert len(pairs()) == TOPICS
    assert len({pair.lesson for pair in pairs()}) == TOPICS
    for pair in pairs():
        assert pair.lesson in IDS
        assert pair.before.text["en"] != pair.after.text["en"]
        for item in (pair.before, pair.after):
            assert len(item.prediction.options) == 3
            check_general(item)


def test_the_right_answer_is_not_always_the_same_option() -> None:
    """A pupil who always ticks one option is right in fewer than `MAX_TIMES` items."""
    for items in ([pair.before for pair in pairs()], [pair.after for pair in pairs()]):
        indices = [right_option(item) for item in items]
        assert max(indices.count(index) for index in indices) < MAX_TIMES * len(indices)


HEAD = "---\ngoal: a | b | c\nmisconception: a | b | c\nhomework: a | b | c\n---\n"
ITEM = """:::item one
Question?
es: ¿Pregunta?
zh: 问题？
:::predict choose
- [True] a | b | c
- [False] d | e | f
:::reveal
Why.
es: Porque.
zh: 因为。
"""


def test_a_kit_is_read() -> None:
    kit = read_kit(
        HEAD.replace("---\ngoal", "---\nbefore: tour, tokens\nintroduces: loss\nrecall: tour\ngoal")
        + ITEM
        + ":::source Paper (2001)\n"
    )
    assert (kit.before, kit.introduces, kit.recall) == (("tour", "tokens"), ("loss",), "tour")
    (item,) = kit.items
    assert (item.name, item.step, item.source) == ("one", "", "Paper (2001)")
    assert (item.text["es"], item.explanation["zh"]) == ("¿Pregunta?", "因为。")


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        (HEAD.replace("goal: a | b | c\n", ""), "goal"),
        (HEAD + ITEM, "source"),
        (HEAD + ITEM.replace("one\n", "one of=two\n"), "at="),
        (HEAD + ITEM.split(":::reveal")[0], "reveal"),
        (HEAD + ITEM.replace("choose", "number low=1 high=2") + ":::source x\n", "options"),
        (HEAD + ":::reveal\n" + ITEM, "reveal"),
        (HEAD.replace("| c\nhomework", "\nhomework"), "zh"),
    ],
)
def test_an_invalid_kit_is_refused(text: str, pattern: str) -> None:
    with pytest.raises(LessonFormError, match=pattern):
        read_kit(text)
