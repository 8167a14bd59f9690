"""The card Why: requests of the page and their answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest

from demo.inspect import server_functions
from demo.inspect.inspection import explain
from demo.inspect.requests import WhyRequest
from demo.inspect.server_functions import on_why
from demo.page.interface import build_demo, launch_settings
from demo.work.context import AppContext
from demo.work.errors import UNEXPECTED_ERROR, sentence
from demo.work.requests.decode import DecodeRequest
from demo.work.watch import Watch
from models.budget import let_others_run, letting_others_run
from models.decoding.trace import DecodingTrace
from models.errors import UnrolledError
from models.inspection.methods import METHODS
from models.registry.registry import Registry
from tests.demo.conftest import LETTERS
from tests.fakes.calls import served
from tests.refusals import Refusal, refused

TEXT = "hola"


@pytest.fixture
def context(root: Path) -> AppContext:
    return AppContext(Registry(root), "cpu")


@pytest.fixture
def trace(context: AppContext) -> DecodingTrace:
    return context.decode(DecodeRequest(LETTERS, TEXT))


def question(trace: DecodingTrace, step: int, **more: Any) -> dict[str, Any]:
    """A request of the page's script about a step of the best output."""
    ids = [node.token_id for node in trace.path(trace.hypotheses[0].node)]
    data = {"checkpoint": LETTERS, "text": TEXT, "prefix": ids[:step], "token": ids[step], "rival": None}
    return {**data, **more}


def test_an_explanation_is_of_the_recorded_numbers(context: AppContext, trace: DecodingTrace) -> None:
    """The value is a log-probability that the search recorded, or the margin between two of them."""
    node = trace.path(trace.hypotheses[0].node)[1]
    answer = explain(context, WhyRequest.parse(question(trace, 1)))
    assert answer["value"] == pytest.approx(node.log_prob, abs=1e-4)
    rival = next(top for top in trace.row(node).top if top.token_id != node.token_id)
    answer = explain(context, WhyRequest.parse(question(trace, 1, rival=rival.token_id)))
    assert answer["value"] == pytest.approx(node.log_prob - rival.log_prob, abs=1e-4)
    assert set(answer["methods"]) <= set(METHODS)
    for result in answer["methods"].values():
        assert len(result["source"]) == len(trace.source)
        assert result["prefix"] is None or len(result["prefix"]) == 2  # the start token and the first


@pytest.mark.parametrize(
    ("changed", "refusal"),
    [
        ({"checkpoint": "nobody"}, ("no_such_checkpoint", "nobody")),
        ({"checkpoint": "../../etc"}, ("no_such_checkpoint", "../../etc")),
        ({"text": " "}, ("no_text",)),
        ({"text": 7}, ("not_a_text", "text")),
        ({"text": "hola " * 500}, ("too_many_characters", "text")),
        ({"prefix": "abc"}, ("not_token_ids", "prefix")),
        ({"prefix": [10_000]}, ("no_such_token", 10000)),
        ({"prefix": None}, ("not_token_ids", "prefix")),
        ({"token": None}, ("question_without_token",)),
        ({"token": 1.5}, ("not_whole_within", "A token")),
        ({"token": 99_999}, ("no_such_token", 99999)),
        ({"rival": -1}, ("not_whole_within", "A token")),
    ],
)
def test_invalid_requests_are_refused_with_a_sentence(
    context: AppContext, trace: DecodingTrace, changed: dict[str, Any], refusal: Refusal
) -> None:
    with refused(UnrolledError, *refusal) as excinfo:
        on_why(context, question(trace, 1, **changed))
    assert sentence(excinfo.value)


@pytest.mark.parametrize("nonsense", [None, 7, [], "why"])
def test_a_question_that_is_no_object_is_refused(context: AppContext, nonsense: object) -> None:
    with refused(UnrolledError, "question_not_an_object"):
        on_why(context, nonsense)


def test_a_superseded_inspection_ends_and_later_ones_run(context: AppContext, trace: DecodingTrace) -> None:
    data = question(trace, 1)
    superseded = Watch()
    superseded.cancelled.set()
    with refused(UnrolledError, "question_replaced"):
        on_why(context, data, superseded)
    with refused(UnrolledError, "inspection_out_of_time"):
        on_why(context, data, Watch(seconds=-1))
    assert on_why(context, data)["methods"]  # and nothing is left behind


def test_other_threads_may_run_between_passes() -> None:
    rests: list[int] = []
    with letting_others_run(lambda: rests.append(1)):
        let_others_run()
        let_others_run()
    let_others_run()
    assert len(rests) == 2


@pytest.mark.slow
def test_the_page_answers_its_script(shipped: Path, trace: DecodingTrace) -> None:
    demo = build_demo(AppContext(Registry(shipped), "cpu"))
    (view,) = (block._id for block in demo.blocks.values() if getattr(block, "elem_id", None) == "trace")
    with served(demo, **launch_settings()) as url:
        call = {"component_id": view, "fn_name": "why", "session_hash": "mine"}
        data = {**call, "data": question(trace, 0)}
        answer = httpx.post(f"{url}gradio_api/component_server", json=data).json()
        in_spanish = httpx.post(
            f"{url}gradio_api/component_server", json=data, headers={"Accept-Language": "es"}
        ).json()
    assert answer["value"] == pytest.approx(trace.path(trace.hypotheses[0].node)[0].log_prob, abs=1e-4)
    assert answer["methods"]["replaced"]["title"] == "word replaced"
    assert in_spanish["methods"]["replaced"]["title"] == "palabra reemplazada"


@pytest.mark.slow
def test_an_unexpected_error_is_logged_and_shown_without_details(
    shipped: Path, trace: DecodingTrace, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("inside")

    monkeypatch.setattr(server_functions, "on_why", fail)
    demo = build_demo(AppContext(Registry(shipped), "cpu"))
    (view,) = (block._id for block in demo.blocks.values() if getattr(block, "elem_id", None) == "trace")
    with served(demo, **launch_settings()) as url:
        data = {"component_id": view, "fn_name": "why", "session_hash": "mine", "data": question(trace, 0)}
        answer = httpx.post(f"{url}gradio_api/component_server", json=data)
    assert answer.json() == {"refused": UNEXPECTED_ERROR}
    assert "ZeroDivisionError: inside" in caplog.text
