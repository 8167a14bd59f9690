"""Random calls of handlers, endpoints and server functions of components."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from random import Random
from typing import Any

import gradio as gr

from demo.api.endpoints import ENDPOINTS
from demo.evaluate.parts import evaluation_parts
from demo.inspect import inspect_views
from demo.labs import labs
from demo.learn.lessons import lessons
from demo.links.parameters import SETTINGS
from demo.widgets.strategy_picker.component import presets
from demo.work.requests.decode import default_options
from models.decoding.strategies import names as strategies
from models.training.runs.request import RUN_ID
from tests.fuzz.values import TEXTS, any_value, perhaps_changed, similar
from tests.fuzz.world import HUB_MODEL, TOKEN, VISITOR, World

SESSIONS = ("first", "second", "third")
OPTIONS = 200  # largest number of remembered controls
TEXT_FIELDS = ("text", "target", "typed", "reference")
FIXED: dict[str, tuple[Any, ...]] = {  # plausible values of some fields
    "repo": (HUB_MODEL, "no/body", "a b", "shut/gated"),
    "revision": ("", "main", "v1", "x"),
    "rival": (None, None, None, 5, "a"),
    "position": (1, 2),
    "act": (None, None, "train", "stop"),
    "trace": (True, False),
    "sources": (["abc", "ab"],),
    "references": (["cba", "ba"],),
    "side": ("decoder", "encoder"),
    "pupil": ("ann",),
    "guess": (0, 1, 3.5, [0, 1], [0.5] * 3),
    "reveal": (True, False),
    "step": (1, 2, 3),
    "line": (1,),
    "system": ("A",),
    "dropped": ([0],),
    "kind": ("html", "json", "csv"),
    "tab": ("decode", "compare", "evaluate", "checkpoints", "training", "learn"),
    "address": ("http://127.0.0.1/?tab=learn",),
}


def _offered() -> dict[str, list[str]]:
    """Return the members of the page's registries, by the name of the field that selects one."""
    lesson_ids = [member.id for member in lessons()]
    return {
        "view": [member.name for member in inspect_views()],
        "lab": [member.name for member in labs()],
        "part": [member.name for member in evaluation_parts()],
        "lesson": lesson_ids,
        "id": lesson_ids,
        "strategy": list(strategies()),
    }


@dataclass(frozen=True)
class Call:
    """One request to the page."""

    kind: str  # "handler", "endpoint" or "function"
    name: str  # name of the handler, endpoint or function
    path: str
    body: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.kind} {self.name}: POST {self.path} {json.dumps(self.body, ensure_ascii=True)}"


class Calls:
    """Random calls that a seed and the page determine; names of controls are learnt from answers."""

    def __init__(self, seed: int, world: World, files: Sequence[dict[str, Any]]) -> None:
        """`files`: uploaded files, as a page sends them."""
        self._random, self._world, self._files = Random(seed), world, files
        self._controls: dict[str, list[Any]] = {"text": ["ab"], "kind": ["cross"]}
        page = world.page
        self._handlers = [number for number, function in page.fns.items() if function.fn is not None]
        self._functions = [
            (number, function.__name__)
            for number, block in page.blocks.items()
            for function in getattr(block, "server_fns", None) or ()
        ]
        self._evaluation, self._class, self._leads = "", "", ""  # keys
        self._runs = list(world.runs)
        self._texts = (*TEXTS, world.picture)
        self._fields = self._plausible()

    def draw(self) -> Call:
        """Return the next call."""
        chance = self._random.random()
        if chance < 0.45:
            return self._handler()
        return self._function() if chance < 0.85 else self._endpoint()

    def learn(self, answer: Any) -> None:
        """Remember the keys and controls in an answer, so that later calls use them."""
        if not isinstance(answer, dict):
            return
        if isinstance(answer.get("class"), str) and isinstance(answer.get("key"), str):
            self._class, self._leads = answer["class"], answer["key"]
        elif isinstance(answer.get("key"), str):
            self._evaluation = answer["key"]
        if RUN_ID.fullmatch(str(answer.get("value"))) and answer["value"] not in self._runs:
            self._runs = [*self._runs, answer["value"]][-8:]
        controls = answer.get("controls")
        for control in controls if isinstance(controls, list) else ():
            if isinstance(control, dict) and isinstance(control.get("name"), str):
                choices = [
                    choice[0]
                    for choice in control.get("choices") or ()
                    if isinstance(choice, list) and choice
                ]
                if len(self._controls) < OPTIONS:
                    self._controls[control["name"]] = [control.get("value"), *choices[:10]]

    def _handler(self) -> Call:
        number = self._random.choice(self._handlers)
        function = self._world.page.fns[number]
        data = [self._value_for(component) for component in function.inputs]
        for index in self._random.sample(range(len(data)), min(len(data), self._random.choice((0, 0, 1, 2)))):
            data[index] = perhaps_changed(self._random, data[index], 1.0)
        if self._random.random() < 0.03:
            data = self._random.choice((data[:-1], [*data, 1], []))
        body = {"data": data, "fn_index": number, "session_hash": self._session()}
        if self._random.random() < 0.7:
            body["event_data"] = self._object()
        return Call("handler", str(function.api_name), "queue/join", body)

    def _endpoint(self) -> Call:
        endpoint = self._random.choice(ENDPOINTS)
        body: dict[str, Any] = {}
        for argument in endpoint.arguments:
            if argument.is_required or self._random.random() < 0.25:
                body[argument.name] = perhaps_changed(self._random, self._field(argument.name))
        if self._random.random() < 0.05:
            body = similar(self._random, body) or {}
        body = body if isinstance(body, dict) else {"text": body}
        return Call("endpoint", endpoint.name, f"call/v2/{endpoint.name}", body)

    def _function(self) -> Call:
        number, name = self._random.choice(self._functions)
        body = {"component_id": number, "fn_name": name, "session_hash": self._session()}
        data = self._trace() if name.startswith("read_") else self._object()
        if name.startswith("class_") and isinstance(data, dict) and data.get("key") == self._evaluation:
            data["key"] = self._leads
        return Call("function", name, "component_server", {**body, "data": data})

    def _trace(self) -> str:
        """Return the text of a trace that may have been changed."""
        return json.dumps(perhaps_changed(self._random, self._world.trace, 0.9))

    def _session(self) -> str:
        return self._random.choice(SESSIONS)

    def _value_for(self, component: Any) -> Any:
        """Return a value of a widget, or one that it could have."""
        pick, label = self._random.choice, str(getattr(component, "elem_id", "") or "")
        if isinstance(component, gr.BrowserState):
            return pick((VISITOR, VISITOR, VISITOR, None, "f" * 32, "x"))
        if isinstance(component, gr.File | gr.UploadButton):
            return pick((None, pick(self._files)))
        choices = [choice[1] for choice in getattr(component, "choices", None) or ()]
        if isinstance(component, gr.Dropdown):
            names = [*self._world.names, *self._runs]
            allowed = choices if choices and self._random.random() < 0.95 else names
            return [pick(allowed)] if component.multiselect else pick((component.value, pick(allowed)))
        if choices:
            return [pick(choices)] if isinstance(component, gr.CheckboxGroup) else pick(choices)
        if isinstance(component, gr.Textbox):
            return pick((component.value, *self._texts)) if "token" not in label else pick(("", TOKEN))
        if isinstance(component, gr.Slider | gr.Number):
            bounds = (component.minimum, component.maximum)
            return pick([component.value, *(bound for bound in bounds if bound is not None)])
        if isinstance(component, gr.HTML):
            return pick((component.value, self._object(), self._field("strategies")))
        name = getattr(component, "label", None)
        return self._field(str(name)) if name in self._fields else getattr(component, "value", None)

    def _object(self) -> Any:
        """Return an object as a script sends it, with every name that a function may read."""
        if self._random.random() < 0.05:
            return any_value(self._random)
        share = self._random.choice((0.0, 0.05, 0.2))
        fields = {name: perhaps_changed(self._random, self._field(name), share) for name in self._fields}
        for name in self._random.sample(list(fields), self._random.choice((0, 0, 1, 5))):
            del fields[name]
        return fields

    def _field(self, name: str) -> Any:
        offered = self._fields.get(name)
        return offered() if offered else None

    def _plausible(self) -> dict[str, Callable[[], Any]]:
        """Return a function for each field name that draws a plausible value."""
        pick, world = self._random.choice, self._world
        settings = {name: value for name, value in asdict(default_options()).items() if name != "strategy"}

        def ids() -> list[int]:
            return [self._random.randrange(30) for _ in range(self._random.randrange(5))]

        def row() -> dict[str, Any]:
            return {
                "step": pick((0, 1)),
                "weights": [0.5] * pick((2, 4)),
                "layer": pick((None, 0)),
                "head": 0,
            }

        def options() -> dict[str, Any]:
            names = self._random.sample(list(self._controls), min(3, len(self._controls)))
            return {name: perhaps_changed(self._random, pick(self._controls[name])) for name in names}

        fields = {name: partial(pick, values) for name, values in FIXED.items()}
        fields |= {name: partial(pick, self._texts) for name in TEXT_FIELDS}
        fields |= {name: partial(pick, tuple(names)) for name, names in _offered().items()}
        return fields | {
            "checkpoint": lambda: pick((*world.names, *self._runs[-1:])),
            "other_checkpoint": lambda: pick(world.names),
            "name": lambda: pick((*world.names, "shown")),
            "run": lambda: pick((*self._runs, True)),
            "token": lambda: self._random.randrange(30),
            **dict.fromkeys(("prefix", "output", "forced"), ids),
            "overrides": lambda: [row() for _ in range(pick((0, 0, 1)))],
            "options": options,
            "strategies": lambda: self._random.sample(presets(), 2),
            "settings": lambda: dict(settings, **{pick(SETTINGS[1:]): pick((0, 1, 3))}),
            "key": lambda: self._evaluation,
            "class": lambda: self._class,
            **{name: (lambda name=name: settings[name]) for name in SETTINGS[1:]},  # type: ignore[misc]
        }
