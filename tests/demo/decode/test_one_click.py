"""One click on Run checks each setting once, builds one strategy, and encodes the answer once."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import pytest

from demo.decode import immediate_answers as at_once
from demo.page.interface import build_demo, launch_settings
from demo.work.context import AppContext
from demo.work.decoding.running import RunningDecodings
from demo.work.operator.allowed_settings import allowed_settings
from models.decoding.search.strategy import DecodingStrategy
from models.decoding.settings import DecodingSetting
from models.decoding.strategies import strategy_class
from models.registry.registry import Registry
from tests.demo.conftest import LETTERS
from tests.fakes.calls import served


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """No decoding is handed over to the queue, on any machine."""
    monkeypatch.setattr(at_once, "FIRST_REPORT_SECONDS", 60.0)


def widget_values(strategy: str) -> list[object]:
    """Return the widgets' values."""
    changed = {"strategy": strategy, "max_length": 6}
    return [LETTERS, "hola", *(changed.get(name, item.default) for name, item in allowed_settings().items())]


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
    answer = asyncio.run(at_once.on_run_at_once(context, RunningDecodings(), "me", widget_values(name)))
    assert answer is not None
    assert answer["trace"]["trace"]["strategy"] == name
    decodings = 2 if answer["trace"]["trace"].get("greedy") else 1  # an unknown output of greedy search
    assert checks == dict.fromkeys(allowed_settings(), decodings)
    assert len(built) == 1


@pytest.mark.slow
def test_the_answer_is_encoded_once(shipped: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: list[str] = []
    encode = at_once.json_text

    def noted(content: object) -> str:
        encoded.append(encode(content))
        return encoded[-1]

    monkeypatch.setattr(at_once, "json_text", noted)
    demo = build_demo(AppContext(Registry(shipped), "cpu"))
    (trace,) = (block._id for block in demo.blocks.values() if getattr(block, "elem_id", None) == "trace")
    call = {"component_id": trace, "fn_name": "decode_at_once", "session_hash": "mine"}
    with served(demo, **launch_settings()) as url:
        data = {**call, "data": widget_values("beam")}
        answer = httpx.post(f"{url}gradio_api/component_server", json=data)
    assert encoded == [answer.text]
    assert answer.json()["trace"]["trace"]["source_text"] == "hola"
