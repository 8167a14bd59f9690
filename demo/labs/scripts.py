"""Behind “This in PyTorch”: for each lab a short program that prints the numbers that the lab shows.

The programs are shown, not imported: to run one takes torch and nothing of this project. A constant of a
program that has the name of a control, in capitals, gets the value on show.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

from demo.answers.controls import Control, Number, Select

FOLDER = Path(__file__).parent / "pytorch"
VIEWS = "shown"  # the control that chooses among the views of a lab, which may have programs of their own


def script_of(lab: str, controls: Sequence[Control] = ()) -> str:
    """Return the program of a lab with the values of its controls, empty if there is none.

    `lab` is the name of a lab that exists; without controls the program has the values it begins with.
    """
    script = _template(lab, controls)
    for control in controls:
        if constant := _constant(script, control):
            line = f"{constant['name']} = {_literal(control)}{constant['comment'] or ''}"
            script = f"{script[: constant.start()]}{line}{script[constant.end() :]}"
    return script


def without_constant(lab: str, controls: Sequence[Control]) -> list[str]:
    """Return the names of the controls whose values the program of a lab cannot have."""
    script = _template(lab, controls)
    return [control.name for control in controls if not _has(script, control, lab, controls)]


def has_views(controls: Sequence[Control]) -> bool:
    """Return whether a lab shows one of several views, each with numbers of its own."""
    return any(control.name == VIEWS for control in controls)


def _template(lab: str, controls: Sequence[Control]) -> str:
    view = next((str(control.value) for control in controls if control.name == VIEWS), "")
    paths = (FOLDER / f"{lab}_{view}.py", FOLDER / f"{lab}.py")
    return next((path.read_text(encoding="utf-8") for path in paths if path.is_file()), "")


def _has(script: str, control: Control, lab: str, controls: Sequence[Control]) -> bool:
    if control.name == VIEWS:
        first = isinstance(control, Select) and control.value == control.options[0][0]
        return first or (FOLDER / f"{lab}_{control.value}.py").is_file()
    constant = _constant(script, control)
    # A choice is listed beside its constant, unless the program can have any.
    return constant is not None and (not isinstance(control, Select) or f'"{control.value}"' in constant[0])


def _constant(script: str, control: Control) -> re.Match[str] | None:
    name = re.escape(control.name.upper())
    value = r"(?:\((?:\n .*)*\n\)|.*?)"  # on one line, or in brackets on several
    return re.search(rf"^(?P<name>{name}) = {value}(?P<comment>  # .*)?$", script, re.MULTILINE)


def _literal(control: Control) -> str:
    """Return a value as Python writes it; numbers of whole steps are integers."""
    value = control.value
    if isinstance(control, Number) and float(control.step).is_integer() and float(value).is_integer():
        return str(int(value))
    return repr(value) if isinstance(control, Number) else json.dumps(value, ensure_ascii=False)
