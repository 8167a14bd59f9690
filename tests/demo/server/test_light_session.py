"""The state that the server stores for each visitor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gradio as gr
import pytest

from demo.page.interface import build_demo, launch_settings
from demo.server.gradio_compat import BlockFunction
from demo.work.context import AppContext
from models.registry.registry import Registry
from tests.demo.conftest import LETTERS, TEXTS, WORDS
from tests.fakes.calls import http_client, served
from tests.fakes.late_answers import filled_by


@pytest.mark.slow
def test_a_visitor_costs_no_description_of_the_page_and_no_values(shipped: Path) -> None:
    demo = build_demo(AppContext(Registry(shipped), "cpu"))
    with served(demo, **launch_settings()) as url, http_client(url) as http:
        index = next(i for i, fn in demo.fns.items() if fn.api_name == "tokenize")
        body = {"data": [LETTERS, TEXTS[0]], "fn_index": index, "session_hash": "me"}
        assert http.post("gradio_api/run/predict", json=body).raise_for_status().json()["data"]
        session = demo.state_holder.session_data["me"]  # type: ignore[attr-defined]
        assert not session.config_values
        assert session.blocks_config.blocks


@pytest.mark.slow
def test_updates_of_widgets_reach_the_page(shipped: Path) -> None:
    demo = build_demo(AppContext(Registry(shipped), "cpu"))
    choice = next(block for block in demo.blocks.values() if getattr(block, "elem_id", None) == "checkpoint")
    changes = [fn for fn in demo.fns.values() if fn.fn is not None and (choice._id, "change") in fn.targets]
    (variants,) = (fn for fn in changes if fn.name == "on_variants")
    (question,) = (fn for fn in changes if isinstance(fn.outputs[0], gr.JSON))
    controls = filled_by(demo, question)
    watched = [None] * (len(question.inputs) - 5)
    with served(demo, **launch_settings()) as url, http_client(url) as http:

        def answer(function: BlockFunction, values: list[Any]) -> list[Any]:
            body = {"data": values, "fn_index": function._id, "session_hash": "me"}
            data: list[Any] = http.post("gradio_api/run/predict", json=body).raise_for_status().json()["data"]
            return data

        for _ in range(2):  # the second time the session holds the widgets of the first
            assert all(map(is_update, answer(variants, [WORDS])))
            filled = answer(question, [WORDS, None, "", 12, 1, *watched])[0]["values"]
            values = dict(zip([control.elem_id for control in controls], filled, strict=True))
            assert values["source"] == TEXTS[0]
            assert any(map(is_update, filled))
        assert not demo.state_holder.session_data["me"].config_values  # type: ignore[attr-defined]


def is_update(item: Any) -> bool:
    return isinstance(item, dict) and item.get("__type__") == "update"
