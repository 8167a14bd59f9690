"""“Send to the Hub”: permission, the preview of the card, and the token, which is stored nowhere."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import gradio as gr
import pytest

from demo.api.endpoints import ENDPOINTS
from demo.page.interface import build_demo
from demo.training.push import card as push_card
from demo.training.push.card import (
    OAUTH,
    PROVISIONAL_NAME,
    PushMoment,
    PushView,
    can_log_in,
    on_card,
    on_push,
)
from demo.work.context import AppContext
from demo.work.hub import Hub
from models.hub.settings import HubSettings
from models.training.events import event_json
from models.training.runs.request import RunRequest, RunState, new_token
from models.training.runs.run_folder import Run
from tests.fakes.gradio_inside import paths_of, started_with
from tests.fakes.servers.hub_accounts import Account, take_uploads
from tests.fakes.servers.hub_server import FakeHub
from tests.fakes.training.form import training_context
from tests.fakes.training.small_run import CONFIG as TINY
from tests.fakes.training.small_run import run as train_small
from tests.waiting import PATIENCE

pytestmark = pytest.mark.slow

SECRET, NAME = "hf_quite_secret_0123", "me/backwards"
ME = new_token()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    take_uploads(monkeypatch)
    monkeypatch.setenv("HF_TOKEN", "hf_of_the_server")
    served = FakeHub()
    served.accounts = {SECRET: Account("me")}
    yield served
    served.close()


@pytest.fixture
def context(root: Path, tmp_path: Path, server: FakeHub) -> AppContext:
    result = training_context(root, tmp_path / "runs")
    result.hub = Hub(HubSettings(root=tmp_path / "hub", endpoint=server.url, timeout=PATIENCE))
    return result


@pytest.fixture
def trained(context: AppContext) -> Run:
    """A run as its process leaves it, without the process."""
    assert context.training is not None
    config = replace(TINY, epochs=1)
    run = context.training.runs.create(RunRequest.new("<b>mine</b>", config, ME, device="cpu"))
    events = train_small(config, run.folder)
    run.events_file.write_text("".join(event_json(event) + "\n" for event in events), encoding="utf-8")
    run.write_status(replace(run.status(), state=RunState.FINISHED))
    return run


def send(context: AppContext, run: object, **changes: Any) -> list[tuple[str, PushMoment]]:
    values = {
        "signed_in": None,
        "token": ME,
        "run_id": run,
        "repo_id": NAME,
        "private": True,
        "pasted": SECRET,
    }
    return list(on_push(context, *(values | changes).values()))


def test_a_run_is_sent_private_and_its_token_is_nowhere(
    context: AppContext, trained: Run, server: FakeHub, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    moments = send(context, trained.id)
    assert {box for box, _ in moments} == {""}
    assert [moment.state for _, moment in moments][:: len(moments) - 1] == ["sending", "done"]
    last = moments[-1][1]
    assert (last.text, last.url) == (
        f"{NAME} is on the Hub, private: only you can see it.",
        f"{server.url}/{NAME}",
    )
    assert NAME in server.private
    text = server.files[NAME]["README.md"].decode()
    assert text == on_card(context, ME, trained.id, NAME).card
    places = [path.read_bytes() for path in trained.folder.parent.rglob("*") if path.is_file()]
    assert SECRET not in caplog.text + repr(moments)
    assert not any(SECRET.encode() in content for content in places)


def test_without_a_pasted_token_that_of_the_signed_in_visitor_is_used(
    context: AppContext, trained: Run, server: FakeHub
) -> None:
    assert send(context, trained.id, signed_in=SECRET, pasted="", private=False)[-1][1].state == "done"
    assert NAME not in server.private


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"token": new_token()}, "Only the browser that started a run can send it"),
        ({"token": None}, "Only the browser"),
        ({"run_id": "../x"}, "There is no such run"),
        ({"repo_id": "backwards"}, "write it as owner/name"),
        ({"repo_id": None}, "must be a text"),
        ({"repo_id": "someone/else"}, "may not write to someone/else"),
        ({"pasted": ""}, "A token is needed to push"),
        ({"pasted": "hf_unknown_to_it"}, "The Hub does not know this token"),
        ({"pasted": SECRET * 100}, "That is not a token"),
        ({"pasted": [SECRET]}, "That is not a token"),
    ],
)
def test_a_refusal_is_one_sentence_and_empties_the_box(
    context: AppContext, trained: Run, server: FakeHub, changes: dict[str, Any], says: str
) -> None:
    box, moment = send(context, changes.pop("run_id", trained.id), **changes)[-1]
    assert (box, moment.state, moment.url) == ("", "failed", "")
    assert says in moment.text
    assert SECRET not in moment.text
    assert server.files == {}


def test_a_running_run_is_not_pushed(context: AppContext, trained: Run) -> None:
    trained.write_status(replace(trained.status(), state=RunState.RUNNING, heartbeat=time.time()))
    assert "Stop it, or wait until it ends" in send(context, trained.id)[-1][1].text


def test_no_failure_records_the_token(
    context: AppContext, trained: Run, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def break_down(*values: object, **options: object) -> None:
        raise KeyError(f"Bearer {SECRET}")

    monkeypatch.setattr(push_card, "push", break_down)
    moment = send(context, trained.id)[-1][1]
    assert moment.state == "failed"
    assert SECRET not in caplog.text + moment.text
    assert "a push failed: KeyError" in caplog.text


def test_the_preview_of_a_card_has_the_typed_name_if_it_is_valid(context: AppContext, trained: Run) -> None:
    assert f'from_pretrained("{PROVISIONAL_NAME}")' in str(on_card(context, ME, trained.id, "back").card)
    assert f'from_pretrained("{NAME}")' in str(on_card(context, ME, trained.id, NAME).card)
    refused = on_card(context, new_token(), trained.id, NAME)
    assert (refused.state, refused.card) == ("failed", None)
    sent = PushView(elem_id="x").postprocess(on_card(context, ME, trained.id, NAME))
    assert sent is not None
    assert "library_name: unrolled" in sent["header"]
    assert sent["body"].startswith("#")


def test_a_server_without_the_hub_has_no_card_to_push(context: AppContext, trained: Run) -> None:
    assert [block for block in build_demo(context).blocks.values() if isinstance(block, PushView)]
    context.hub = None
    assert not [block for block in build_demo(context).blocks.values() if isinstance(block, PushView)]
    assert "sends nothing to the Hub" in send(context, trained.id)[-1][1].text


SPACE = {"SYSTEM": "spaces", **dict.fromkeys(OAUTH, "x"), "OPENID_PROVIDER_URL": "https://huggingface.co"}


@pytest.mark.parametrize("missing", [*SPACE, "authlib"])
def test_signing_in_needs_every_variable_and_package(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    there = find_spec("gradio")
    monkeypatch.setattr(f"{push_card.__name__}.find_spec", lambda name: None if name == missing else there)
    assert not can_log_in({name: value for name, value in SPACE.items() if name != missing})
    if missing in SPACE:
        assert can_log_in(SPACE)


def test_a_space_has_a_button_to_sign_in(context: AppContext, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not build_demo(context).expects_oauth
    started_with(monkeypatch, SPACE)
    page = build_demo(context)
    (button,) = (block for block in page.blocks.values() if isinstance(block, gr.LoginButton))
    assert button.icon is None  # a file, and none is given out
    public = {fn.api_name for fn in page.fns.values() if fn.api_visibility == "public"}
    assert public == {endpoint.name for endpoint in ENDPOINTS}
    assert "/login/huggingface" in paths_of(page)
