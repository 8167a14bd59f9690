"""“Send to the Hub”: a fold-out for a run's checkpoint, its widgets and their wiring."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from typing import Any

import gradio as gr

from demo.i18n import later
from demo.server.events import PRIVATE, RAW_QUICK
from demo.training.push.component import PushMoment, PushView
from demo.training.push.handlers import on_card, on_push
from demo.work.context import AppContext
from demo.work.errors import guard
from demo.work.operator.caps import PUSH

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
