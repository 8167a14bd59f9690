"""The rooms of the lint. A rule is a public function of a room that yields breaches or findings."""

from __future__ import annotations

from importlib import import_module

from tests.lint.project import Rule
from tests.source_modules import within

ROOMS = (
    *("code.layers", "code.forms", "code.confined", "code.messages", "code.assertions"),
    *("words.names", "words.sentences"),
    *("page.styles", "page.bare_texts", "page.translations", "page.cards", "page.numbers"),
    *("repository.files", "repository.space", "repository.release", "repository.documents"),
    "repository.weight",
)


def rules(*names: str) -> list[Rule]:
    """Return all rules, or those of some rooms, such as `code` and `page.styles`. Raises ValueError."""
    if unknown := [name for name in names if not any(within(room, name) for room in ROOMS)]:
        raise ValueError(f"rooms are {', '.join(ROOMS)}; got {', '.join(unknown)}")
    rooms = [room for room in ROOMS if not names or any(within(room, name) for name in names)]
    modules = [import_module(f"{__package__}.{room}") for room in rooms]
    return [
        value
        for module in modules
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
        if getattr(value, "__annotations__", {}).get("return") in {"Iterator[Breach]", "Findings"}
    ]
