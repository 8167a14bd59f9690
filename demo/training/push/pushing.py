"""Sending a visitor's checkpoint to the Hub. The token is used once and never stored."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from demo.i18n import later
from demo.training.work.access import training_service
from demo.work.context import AppContext
from demo.work.hub.access import SENDS_NOTHING, hub_of
from demo.work.requests.checks import RequestError, check_short_text
from demo.work.training_service import finished_checkpoint
from models.hub.errors import HubError
from models.hub.listing.repository import check_repo_id
from models.hub.settings import HubSettings
from models.hub.upload.hub_card import card_for_hub
from models.hub.upload.push import PushedCheckpoint, push

MAX_TYPED_CHARACTERS = 500  # characters of a name or a token
PROVISIONAL_NAME = "your-name/your-model"  # the name in the card until the user gives one


@dataclass(frozen=True)
class PushOrder:
    """A checkpoint to be sent to the Hub."""

    folder: Path
    name: str  # the name of the repository, owner/name
    private: bool
    secret: str = field(repr=False)  # the token
    settings: HubSettings

    def send(self) -> PushedCheckpoint:
        """Upload it. Raises HubError."""
        return push(self.folder, self.name, self.secret, private=self.private, settings=self.settings)


def push_order(
    context: AppContext,
    visitor: object,
    run_id: object,
    repo_id: object,
    private: object,
    tokens: tuple[object, str | None],
) -> PushOrder:
    """Check a request to send a checkpoint. `tokens`: the pasted one, which comes first; the signed-in one.

    Raises RequestError, UnknownRunError, HubError, whose messages never quote a token.
    """
    pasted, signed_in = tokens
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
    settings = hub_of(context, SENDS_NOTHING).settings
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
    hub_of(context, SENDS_NOTHING)
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
