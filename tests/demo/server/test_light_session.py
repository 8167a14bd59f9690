"""The state that the server stores for each visitor."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from demo.interface import build_demo, launch_settings
from demo.server.gradio_compat import BlockFunction
from demo.service.context import AppContext
from models.registry.registry import Registry
from tests.demo.conftest import LETTERS, TEXTS, WORDS
from tests.fakes.calls import served


@pytest.mark.slow
def test_a_visitor_costs_no_description_of_the_page_and_no_values(shipped: Path) -> None:
    demo = build_demo(AppContext(Registry(shipped), "cpu"))
    with served(demo, **launch_settings()) as url, httpx.Client(base_url=url, timeout=60) as http:
        index = next(i for i, fn in demo.fns.items() if fn.api_name == "tokenize")
        body = {"data": [LETTERS, TEXTS[0]], "fn_index": index, "session_hash": "me"}
        assert http.post("gradio_api/run/predict", json=body).raise_for_status().json()["data"]
        session = demo.state_holder.session_data["me"]  # type: ignore[attr-defined]
        assert not session.config_values
        assert session.blocks_config.blocks


def opens_checkpoint(function: BlockFunction) -> bool:
    """Whether it fills in all that belongs to a checkpoint."""
    outputs = {getattr(block, "elem_id", None) for block in function.outputs}
    return {"source", "results", "source-tokens"} <= outputs and len(function.inputs) == 4


@pytest.mark.slow
def test_updates_of_widgets_reach_the_page_as_ever(shipped: Path) -> None:
    demo = build_demo(AppContext(Registry(shipped), "cpu"))
    change = next(fn for fn in demo.fns.values() if opens_checkpoint(fn))
    with served(demo, **launch_settings()) as url, httpx.Client(base_url=url, timeout=60) as http:
        body = {"data": [WORDS, None, "", 12], "fn_index": change._id, "session_hash": "me"}
        for _ in range(2):  # the second time the session holds the widgets of the first
            answer = http.post("gradio_api/run/predict", json=body).raise_for_status().json()["data"]
            assert answer[0] == TEXTS[0]
            assert any(isinstance(item, dict) and item.get("__type__") == "update" for item in answer)
        assert not demo.state_holder.session_data["me"].config_values  # type: ignore[attr-defined]
