"""The values of the form of the Decode tab."""

from __future__ import annotations

from demo.work.operator.caps import allowed_settings
from tests.demo.conftest import LETTERS


def in_form(text: object = "hola", **changes: object) -> list[object]:
    """Return the values of all widgets in their order, with these settings."""
    return [LETTERS, text, *(changes.get(name, item.default) for name, item in allowed_settings().items())]
