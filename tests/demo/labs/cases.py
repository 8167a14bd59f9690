"""Cases for tests of labs: a lab with settings that a reader has chosen, after some steps of its training."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from demo.labs.programs import VIEWS
from demo.learn.lab_answers import networks_of
from demo.widgets.answers.content import Control, Networks, NotHereError, Number, Select, TextInput
from demo.work.context import AppContext
from models.registry.registry import Registry
from tests.demo.labs.trained import answer_of
from tests.source_modules import ROOT

ODD_TEXTS = ("The Queen's croquet-ground.", "“¡Qué frío!” dijo el niño; 犬 2 犬 x_y\ncafé, can't", "a")


@dataclass(frozen=True)
class Case:
    """A lab with settings that a reader has chosen, after some steps of its training."""

    lab: str
    options: Mapping[str, Any]
    steps: int | None = 0  # None: all

    def __str__(self) -> str:
        return f"{self.lab} {dict(self.options)} {self.steps if self.steps != 0 else ''}".rstrip()


@cache
def shipped() -> Networks:
    return networks_of(AppContext(Registry(ROOT / "checkpoints"), "cpu"))


def every_setting(lab: str, steps: int | None = 0) -> Iterator[Case]:
    """Each view of a lab, and in each every value of each control beside the first ones of the others."""
    for view in _views(lab):
        declared = {control.name for control in _controls(lab, view)}
        yield Case(lab, view, steps)
        for options in _changed(lab, view):
            yield Case(lab, options, steps)
            for control in _controls(lab, options):
                if control.name not in declared:  # a setting of this value alone
                    yield from (
                        Case(lab, options | {control.name: value}, steps) for value in values(control)
                    )


def _views(lab: str) -> list[dict[str, Any]]:
    views = [control for control in _controls(lab, {}) if control.name == VIEWS]
    return [{VIEWS: value} for value in values(views[0])] if views else [{}]


def _changed(lab: str, options: Mapping[str, Any]) -> list[dict[str, Any]]:
    changed = [
        {**options, control.name: value}
        for control in _controls(lab, options)
        for value in values(control)
        if control.name != VIEWS and value != control.value
    ]
    return [options for options in changed if _controls(lab, options)]


def _controls(lab: str, options: Mapping[str, Any]) -> list[Control]:
    """The controls that these options show; none where the lab refuses them."""
    try:
        return answer_of(lab, options, 0, shipped())[1].controls
    except NotHereError:
        return []


def values(control: Control) -> list[Any]:
    """All options, or the ends and the middle of a range, or odd texts."""
    if isinstance(control, Select):
        return [value for value, _ in control.options]
    if isinstance(control, Number):
        steps = round((control.high - control.low) / control.step)
        return [control.low, round(control.low + steps // 2 * control.step, 6), control.high]
    assert isinstance(control, TextInput)
    return [*ODD_TEXTS]


def ends(lab: str, steps: int | None = 0) -> Iterator[Case]:
    """Each view of a lab with all its numbers at their lowest, and at their highest."""
    for view in _views(lab):
        numbers = [control for control in _controls(lab, view) if isinstance(control, Number)]
        for end in ("low", "high") if numbers else ():
            yield Case(lab, view | {control.name: getattr(control, end) for control in numbers}, steps)
