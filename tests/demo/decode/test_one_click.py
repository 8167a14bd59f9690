"""One click on Run checks each setting once, builds one strategy, and encodes the answer once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import pytest

from demo.decode import server_functions
from demo.page.interface import build_demo, launch_settings
from demo.work import running as service
from demo.work.context import AppContext
from demo.work.operator.caps import allowed_settings
from demo.work.running import RunningDecodings
from models.decoding.description import DecodingSetting
from models.decoding.search.strategy import DecodingStrategy
from models.decoding.strategies import strategy_class
from models.registry.registry import Registry
from tests.demo.form import in_form
from tests.fakes.calls import served
from tests.fakes.stepwise import stepwise


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every decoding is answered without progress, on any machine."""
    monkeypatch.setattr(service, "FIRST_REPORT_SECONDS", 60.0)


@pytest.mark.parametrize("name", ["greedy", "beam", "diverse", "sampling"])
def test_settings_are_checked_once_and_one_strategy_is_built(
    context: AppContext, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    checks: Counter[str] = Counter()
    built: list[DecodingStrategy] = []
    checked, kind = DecodingSetting.checked_value, strategy_class(name)
    initialise = kind.__init__

    def counted(setting: DecodingSetting, *values: Any) -> Any:
        checks[setting.name] += 1
        return checked(setting, *values)

    def noted(strategy: DecodingStrategy, **fields: Any) -> None:
        built.append(strategy)
        initialise(strategy, **fields)

    monkeypatch.setattr(DecodingSetting, "checked_value", counted)
    monkeypatch.setattr(kind, "__init__", noted)
    values = in_form(strategy=name, max_length=6)
    (answer,) = stepwise(server_functions.on_run(context, RunningDecodings(), "me", values))
    assert answer["trace"]["trace"]["strategy"] == name
    decodings = 2 if answer["trace"]["trace"].get("greedy") else 1  # an unknown output of greedy search
    assert checks == dict.fromkeys(allowed_settings(), decodings)
    assert len(built) == 1


@pytest.mark.slow
def test_the_answer_is_encoded_once(shipped: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: list[str] = []
    encode = server_functions.json_text

    def noted(content: object) -> str:
        encoded.append(encode(content))
        return encoded[-1]

    monkeypatch.setattr(server_functions, "json_text", noted)
    demo = build_demo(AppContext(Registry(shipped), "cpu"))
    (trace,) = (block._id for block in demo.blocks.values() if getattr(block, "elem_id", None) == "trace")
    call = {"component_id": trace, "fn_name": "begin_decoding", "session_hash": "mine"}
    with served(demo, **launch_settings()) as url:
        data = {**call, "data": in_form(strategy="beam", max_length=6)}
        answer = httpx.post(f"{url}gradio_api/component_server", json=data)
    assert encoded == [answer.text]
    assert answer.json()["trace"]["trace"]["source_text"] == "hola"
