"""A new setting is one field: tested in a child process with one more setting."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.full

ROOT = Path(__file__).parents[2]
FIELD = """    tilt: float = setting(
        0.25,
        ("Tilt", "How far it leans."),
        "How far {users} leans, {low} to {high}.",
        bounds=(0, 2, 0.25),
        phrase="tilt {tilt}",
    )
"""
PROGRAM = """
import json, sys, types
from dataclasses import dataclass, replace
from pathlib import Path

path = Path("models/decoding/options.py")
source = path.read_text(encoding="utf-8")
before = "    node_budget: int = setting("
assert source.count(before) == 1
module = types.ModuleType("models.decoding.options")
sys.modules["models.decoding.options"] = module
exec(compile(source.replace(before, sys.argv[1] + before), str(path), "exec"), module.__dict__)

from models.decoding.strategies import register
from models.decoding.strategies.sampling import Sampling
from models.decoding.description import Description

@register
@dataclass(frozen=True)
class Tilted(Sampling):
    tilt: float = 0.0
    name = "tilted"
    description = replace(
        Sampling.description, label="Tilted", presets=(), details=("tilt",),
        settings=("num_samples", "tilt", "seed"), main=("tilt",),
    )

from demo.api.arguments import setting
from demo.api.endpoints import ENDPOINTS
from demo.page.interface import build_demo
from demo.links import PARAMETERS, Link, page_config
from demo.work.requests.decode import decoding_options
from demo.widgets.captions.options import details
from demo.work.context import AppContext
from demo.page.theme import style_sheet
from demo.widgets.strategy_picker.component import forms
from models.evaluation.command import build_parser
from models.registry.registry import Registry

context = AppContext(Registry(Path("checkpoints")), "cpu")
page = build_demo(context, ("decode", "compare"))
slider = next(block for block in page.blocks.values() if getattr(block, "label", None) == "Tilt")
named = {fn: [getattr(each, "elem_id", None) for each in fn.inputs] for fn in page.fns.values()}
run = next(fn for fn, ids in named.items() if slider in fn.inputs and "source" in ids)
argument = setting("tilt")
chosen_options = decoding_options({"strategy": "tilted", "tilt": 1.5})
from demo.work.requests.decode import DecodeRequest
trace = context.decode(DecodeRequest("reverse-gru", "ab", chosen_options))
print(json.dumps({
    "slider": [slider.minimum, slider.maximum, slider.step, slider.value, slider.info, slider.elem_classes],
    "place": [widget.label for widget in run.inputs].index("Tilt") - 2,
    "argument": [argument.name, argument.kind.__name__, argument.default, argument.meaning],
    "last": {each.name: each.arguments[-1].name for each in ENDPOINTS if each.arguments},
    "link": Link.parse([("strategy", "tilted"), ("tilt", "0.5")]).take_settings(60),
    "parameters": ["tilt" in PARAMETERS[tab] for tab in ("decode", "compare")],
    "default": page_config()["defaults"]["tilt"],
    "picker": next(form["fields"] for form in forms() if form["strategy"] == "tilted"),
    "details": details(chosen_options),
    "built": chosen_options.build_strategy().tilt,
    "recorded": trace.settings["tilt"],
    "command": "--tilt TILT" in build_parser("x", None).format_help(),
    "rule": ".only-tilted" in style_sheet(),
}))
"""


@pytest.fixture(scope="module")
def findings() -> Any:
    """Return the findings of a program, in the one process that has the setting."""
    command = [sys.executable, "-c", PROGRAM, FIELD]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_the_form_has_a_slider_with_its_bounds_and_words(findings: Any) -> None:
    *scale, classes = findings["slider"]
    assert scale == [0, 2, 0.25, 0.25, "How far it leans."]
    assert {"only", "only-tilted"} <= set(classes)
    assert findings["rule"]


def test_a_decoding_takes_a_new_setting_at_its_fields_position(findings: Any) -> None:
    assert findings["place"] == 14


def test_programs_get_a_new_setting_after_all_others(findings: Any) -> None:
    assert (findings["last"]["translate"], findings["last"]["evaluate"]) == ("tilt", "tilt")


def test_programs_links_picker_and_command_line_accept_a_new_setting(findings: Any) -> None:
    assert findings["argument"] == ["tilt", "float", 0.25, "How far tilted leans, 0 to 2."]
    assert findings["link"] == {"strategy": "tilted", "tilt": 0.5}
    assert findings["parameters"] == [True, True]
    assert findings["default"] == 0.25
    (field,) = findings["picker"]
    assert field == {"name": "tilt", "label": "Tilt", "value": 0.25, "least": 0, "most": 2, "step": 0.25}
    assert findings["command"]


def test_a_new_setting_reaches_the_strategy_the_words_and_the_trace(findings: Any) -> None:
    assert (findings["built"], findings["recorded"], findings["details"]) == (1.5, 1.5, "tilt 1.5")
