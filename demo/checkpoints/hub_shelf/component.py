"""Models of the Hub on the page: a curated list, a field for any other, and the progress of each.

Root element: `section.hub`, inside the block that `elem_id` names. `data-ready` counts the states drawn.
"""

from __future__ import annotations

from typing import Any

from demo.i18n import later, say
from demo.i18n.display import capitalize, language_name
from demo.widgets.view.assets import asset
from demo.widgets.view.payload import json_text
from demo.widgets.view.view import View, with_colours
from demo.work.hub import Hub, HubState
from models.hub.download.fetch import DownloadProgress
from models.hub.listing.curated import CuratedModel
from models.hub.listing.model_files import NATIVE_KIND, RepositoryListing
from models.hub.storage.store import Source
from models.sizes import size_text

CARDS = asset("checkpoints/gallery/view.css").replace(".gallery", ".hub")  # the same style of cards
STYLE = "\n".join((with_colours(".hub"), CARDS, asset("checkpoints/hub_shelf/view.css")))
TASK_NAMES = {
    "translation": later("Translation"),
    "summarization": later("Summaries"),
    "instructions": later("Instructions"),
}
MULTIPLE_LANGUAGES = "mul"  # ISO 639-2 for many languages
STAGES = {
    "waiting": later("Waiting until somebody else has added it."),
    "looking": later("Looking the model up on the Hub."),
    "checking": later("Checking every downloaded byte."),
    "converting": later("Converting its weights into safetensors, once."),
    "trying": later("Loading it for the first time, which takes some seconds."),
}


def shelf_payload(hub: Hub) -> dict[str, Any]:
    """The data that does not change while the server runs."""
    return {"free": hub.is_free, "models": [_curated_row(model) for model in hub.curated]}


def state_payload(state: HubState) -> str:
    """The current state as JSON text."""
    listing = state.listing
    content = {
        "serial": state.serial,
        "here": {
            name: {"size": size_text(source.bytes), "facts": _storage_facts(source)}
            for name, source in state.here.items()
        },
        "adding": {name: _progress(progress) for name, progress in state.adding.items()},
        "problems": dict(state.problems),
        "listing": _listing(listing) if isinstance(listing, RepositoryListing) else None,
        "listingProblem": listing if isinstance(listing, str) else "",
    }
    return json_text(content)


def _progress(progress: DownloadProgress) -> dict[str, Any]:
    if progress.stage != "downloading":
        return {"text": say(STAGES[progress.stage]) if progress.stage in STAGES else "", "share": None}
    text = say("{done} of {total}", done=size_text(progress.done), total=size_text(progress.total))
    return {"text": text, "share": progress.done / progress.total if progress.total else 0.0}


def _curated_row(model: CuratedModel) -> dict[str, Any]:
    languages = " → ".join(
        say("many languages") if tag == MULTIPLE_LANGUAGES else language_name(tag) for tag in model.languages
    )
    task = say(TASK_NAMES.get(model.task, model.task))
    return {
        "repo": model.repo_id,
        "title": model.title,
        "note": say(model.note),
        "page": _page(model.repo_id),
        "facts": [
            {"name": say("Task"), "value": task, "note": capitalize(languages)},
            {
                "name": say("Size"),
                "value": f"{model.parameters} M",
                "note": say("parameters, about {size}", size=size_text(1e6 * model.megabytes)),
            },
            {"name": say("Licence"), "value": model.licence or say("See its page"), "note": ""},
        ],
    }


def _listing(listing: RepositoryListing) -> dict[str, Any]:
    kind = (
        say("a checkpoint of this program")
        if listing.kind == NATIVE_KIND
        else say("{kind}, of the transformers library", kind=listing.model_type)
    )
    size = say("to download, converted once into safetensors") if listing.converts else say("to download")
    return {
        "repo": listing.repo_id,
        "revision": listing.commit,
        "title": listing.repo_id,
        "note": "",
        "page": _page(listing.repo_id),
        "facts": [
            {"name": say("What"), "value": capitalize(kind), "note": ", ".join(listing.languages[:4])},
            {"name": say("Size"), "value": size_text(listing.bytes), "note": size},
            {"name": say("Licence"), "value": listing.licence or say("Not stated"), "note": ""},
            {"name": say("Commit"), "value": listing.commit[:8], "note": ""},
        ],
    }


def _storage_facts(source: Source) -> list[dict[str, str]]:
    return [
        {"name": say("Size"), "value": size_text(source.bytes), "note": say("on disk")},
        {"name": say("Licence"), "value": source.licence or say("Not stated"), "note": ""},
        {"name": say("Commit"), "value": source.commit[:8], "note": ""},
    ]


def _page(repo_id: str) -> str:
    return f"https://huggingface.co/{repo_id}"


class HubShelf(View):
    """Draws a `HubState`; text of the Hub is never read as HTML.

    Events `lookup` and `fetch` (`{"repo": str, "revision": str}`), `forgo`, `open` and `discard`
    (`{"repo": str}`) come from the browser, so check them.
    """

    reads_browser = False

    def __init__(self, hub: Hub, *, elem_id: str, **options: Any) -> None:
        """The buttons do nothing until the first state arrives."""
        self._hub = hub
        super().__init__(
            "checkpoints/hub_shelf",
            style=STYLE,
            events=("lookup", "fetch", "forgo", "open", "discard"),
            elem_id=elem_id,
            **self.translated_props(),
            **options,
        )

    def translated_props(self) -> dict[str, Any]:
        """The list of models in the language of the request."""
        return {"shelf": shelf_payload(self._hub)}

    def postprocess(self, value: HubState | None) -> str | None:
        """Convert the state for the browser."""
        return None if value is None else state_payload(value)
