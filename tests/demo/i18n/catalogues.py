"""Sorts the translations by their keys: `make format` runs it."""

from __future__ import annotations

import json

from demo.i18n import FOLDER


def in_order(text: str) -> str:
    """The text of a catalogue, sorted by its keys, one in a line."""
    return json.dumps(json.loads(text), ensure_ascii=False, indent=1, sort_keys=True) + "\n"


if __name__ == "__main__":
    for path in FOLDER.glob("*.json"):
        path.write_text(in_order(path.read_text(encoding="utf-8")), encoding="utf-8")
