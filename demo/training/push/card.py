"""“Send to the Hub”: a fold-out for a run's checkpoint, with the card before it is sent, then the result.

Root element of its view: `section.push`, inside the block that `elem_id` names; `data-state` is the
outcome's, or "idle". The token is used once and never stored.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import gradio as gr

from demo.i18n import later, say
from demo.i18n.display import number_text
from demo.server.events import PRIVATE, RAW_QUICK
from demo.training.choices import training_service
from demo.widgets.view.view import View
from demo.work.context import AppContext
from demo.work.errors import failure_text, guard, sentence
from demo.work.hub import SENDS_NOTHING, hub_of
from demo.work.operator.caps import PUSH
from demo.work.requests.checks import RequestError, check_short_text
from demo.work.running import Background
from demo.work.training_service import finished_checkpoint
from models.hub.errors import HubError
from models.hub.listing.repository import check_repo_id
from models.hub.push import card_for_hub, push
from models.hub.settings import HubSettings
from models.training.runs.collection import UnknownRunError

# Variables of a Space whose README says `hf_oauth: true`, and packages that `gradio[oauth]` installs there.
OAUTH = ("SPACE_ID", "OAUTH_CLIENT_ID", "OAUTH_CLIENT_SECRET", "OAUTH_SCOPES", "OPENID_PROVIDER_URL")
LOGIN_PACKAGES = ("authlib", "itsdangerous")
NAME = "owner/name"
MAX_NAME, MAX_TOKEN = 120, 500  # characters
# No browser completes, checks or changes what is typed.
UNCHECKED = gr.InputHTMLAttributes(
    autocomplete="off", spellcheck=False, autocorrect="off", autocapitalize="off"
)
PUSH_EVENT: dict[str, Any] = {**PRIVATE, **PUSH.queue, "preprocess": False, "trigger_mode": "once"}
MAX_TYPED_CHARACTERS = 500  # characters of a name or a token
PROVISIONAL_NAME = "your-name/your-model"  # the name in the card until the user gives one
REPORT_SECONDS = 1.0  # seconds between two reports of progress
SENDING_PRIVATE = later("Sending to {name}, private: {seconds} s.")
SENDING_PUBLIC = later("Sending to {name}, public: {seconds} s.")
SENT_PRIVATELY = later("{name} is on the Hub, private: only you can see it.")
SENT_PUBLICLY = later("{name} is on the Hub, public.")
REFUSALS = (HubError, RequestError, UnknownRunError)


@dataclass(frozen=True)
class PushMoment:
    """The state of a push, which contains no secret."""

    state: str = "idle"  # idle, sending, done or failed
    text: str = ""  # one sentence
    url: str = ""  # the address of the repository, once it exists
    card: str | None = None  # README.md with its header; None keeps the current one


class PushView(View):
    """Draws a `PushMoment`; the card is never read as HTML."""

    reads_browser = False

    def __init__(self, *, elem_id: str, **options: Any) -> None:
        """The view is empty at first."""
        super().__init__("training/push", elem_id=elem_id, **options)

    def postprocess(self, value: PushMoment | None) -> dict[str, Any] | None:
        """Convert the value for the browser."""
        if value is None:
            return None
        # The YAML header and the Markdown below it.
        header, body = ("", "") if value.card is None else value.card.split("---\n", 2)[1:]
        payload = {"state": value.state, "text": value.text, "url": value.url}
        return payload | {"hasCard": value.card is not None, "header": header.strip(), "body": body.strip()}


def can_log_in(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether visitors can sign in with the Hub: on a Space that asks for it, with all that this needs.

    Elsewhere Gradio's button would take the server's own account for each visitor's.
    """
    has_oauth = all(environ.get(name) for name in OAUTH)
    return (
        environ.get("SYSTEM") == "spaces"
        and has_oauth
        and all(find_spec(name) is not None for name in LOGIN_PACKAGES)
    )


class PushCard:
    """The fold-out; the style sheet shows it for a run at rest with a checkpoint."""

    def __init__(self) -> None:
        login = can_log_in()
        with gr.Accordion(
            "Send to the Hub", open=False, elem_id="run-push", elem_classes="train-section"
        ) as self.fold:
            if login:
                gr.LoginButton(size="sm", icon=None, elem_id="push-login")  # no file is given out
            with gr.Row(elem_classes="push-fields"):
                self.repo_id = gr.Textbox(
                    label="Repository",
                    info="On huggingface.co; created if it does not exist.",
                    placeholder=NAME,
                    max_length=MAX_NAME,
                    elem_id="push-name",
                    html_attributes=UNCHECKED,
                    min_width=200,
                )
                self.token = gr.Textbox(
                    label=later("Access token (if you are not signed in)") if login else "Access token",
                    info="A token with write permission. It is used once and not stored.",
                    placeholder="hf_…",
                    type="password",
                    max_length=MAX_TOKEN,
                    elem_id="push-token",
                    html_attributes=UNCHECKED,
                    min_width=200,
                )
            self.private = gr.Checkbox(True, label="Private: only you can see it", elem_id="push-private")
            with gr.Row(elem_classes="train-buttons"):
                self.send = gr.Button("Send", elem_id="push-send", elem_classes="quiet")
                self.preview = gr.Button("Preview the card", elem_id="push-preview", elem_classes="quiet")
            self.view = PushView(elem_id="push-view")


def wire_push(context: AppContext, visitor: gr.BrowserState, run: gr.Dropdown, card: PushCard) -> None:
    """Connect the card. It shows the README when it opens and for each name, before anything is sent."""
    on_open = guard(on_card, context)
    card_inputs = [visitor, run, card.repo_id]
    for event in (card.fold.expand, card.repo_id.change, card.preview.click):
        event(on_open, card_inputs, card.view, trigger_mode="always_last", **RAW_QUICK)
    pushed = guard(on_push, context)

    def push(oauth: gr.OAuthToken | None, *values: object) -> Iterator[tuple[str, PushMoment]]:
        yield from pushed(oauth.token if oauth else None, *values)

    inputs = [visitor, run, card.repo_id, card.private, card.token]
    card.send.click(push, inputs, [card.token, card.view], **PUSH_EVENT)
    run.change(lambda: (PushMoment(), gr.Accordion(open=False)), None, [card.view, card.fold], **RAW_QUICK)


@dataclass(frozen=True)
class PushOrder:
    """A checkpoint to be sent to the Hub."""

    folder: Path
    name: str  # the name of the repository, owner/name
    private: bool
    secret: str = field(repr=False)  # the token
    settings: HubSettings


def push_order(
    context: AppContext,
    signed_in: str | None,
    visitor: object,
    run_id: object,
    repo_id: object,
    private: object,
    pasted: object,
) -> PushOrder:
    """Check a request to send a checkpoint, with a pasted token, or else with that of the signed-in visitor.

    Raises RequestError, UnknownRunError, HubError, whose messages never quote a token.
    """
    folder = _own_checkpoint(context, visitor, run_id)
    check_short_text(later("name of the repository"), repo_id, MAX_TYPED_CHARACTERS)
    if not str(repo_id or "").strip():
        raise RequestError("hub_name_missing", "First type where it goes: owner/name.")
    if not (pasted is None or isinstance(pasted, str)) or len(str(pasted)) > MAX_TYPED_CHARACTERS:
        raise RequestError(
            "not_a_hub_token",
            "That is not a token. Copy all of it, and nothing else, from the Hub's settings.",
        )
    secret = str(pasted or "").strip() or signed_in or ""
    settings = hub_of(context.hub, SENDS_NOTHING).settings
    return PushOrder(folder, check_repo_id(repo_id), private is not False, secret, settings)


def card_to_push(context: AppContext, visitor: object, run_id: object, repo_id: object) -> str:
    """The README.md that will be sent, under the typed name if that is valid.

    Raises RequestError, UnknownRunError, HubError.
    """
    folder = _own_checkpoint(context, visitor, run_id)
    try:
        name = check_repo_id(repo_id)
    except HubError:
        name = PROVISIONAL_NAME
    return card_for_hub(folder, name)


def _own_checkpoint(context: AppContext, visitor: object, run_id: object) -> Path:
    """The checkpoint of a visitor's inactive run. Raises RequestError, UnknownRunError."""
    hub_of(context.hub, SENDS_NOTHING)
    training = training_service(context)
    run = training.runs.find(run_id)
    if run.id not in {other.id for other in training.runs.of(str(visitor))}:
        raise RequestError("push_of_another", "Only the browser that started a run can send it to the Hub.")
    folder = finished_checkpoint(run)
    if run.state().is_active:
        raise RequestError(
            "push_of_unfinished", "This run still writes its checkpoint. Stop it, or wait until it ends."
        )
    return folder


def on_card(context: AppContext, token: object, run_id: object, repo_id: object) -> PushMoment:
    """The future README.md."""
    try:
        return PushMoment(card=card_to_push(context, token, run_id, repo_id))
    except REFUSALS as error:
        return PushMoment("failed", sentence(error))


def on_push(context: AppContext, signed_in: str | None, *values: object) -> Iterator[tuple[str, PushMoment]]:
    """Push a run as `push_order` takes the values; empties the token's box at once."""
    try:
        order = push_order(context, signed_in, *values)
    except REFUSALS as error:
        yield "", PushMoment("failed", sentence(error))
        return
    text = SENDING_PRIVATE if order.private else SENDING_PUBLIC
    # A push that has begun goes on to its end, whether or not the visitor stays.
    with Background(partial(_outcome, order)) as pushing:
        start = time.monotonic()
        yield "", PushMoment("sending", say(text, name=order.name, seconds="0"))
        while not pushing.is_done(REPORT_SECONDS):
            seconds = time.monotonic() - start
            yield "", PushMoment("sending", say(text, name=order.name, seconds=number_text(seconds, 0)))
        yield "", pushing.result()


def _outcome(order: PushOrder) -> PushMoment:
    try:
        pushed = push(order.folder, order.name, order.secret, private=order.private, settings=order.settings)
    except Exception as error:
        return PushMoment("failed", failure_text(error, "a push", secret=True))  # it might hold the token
    text = SENT_PRIVATELY if pushed.private else SENT_PUBLICLY
    return PushMoment("done", say(text, name=order.name), pushed.url)
