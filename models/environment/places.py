"""Where the program runs, and where it keeps things there."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs


def data_folder(name: str) -> Path:
    """Where programs of this system keep what a person has made: ~/.local/share/unrolled/NAME or its like."""
    return platformdirs.user_data_path("unrolled", appauthor=False) / name


def cache_folder(name: str) -> Path:
    """Where they keep what can be had again: ~/.cache/unrolled/NAME or its like."""
    return platformdirs.user_cache_path("unrolled", appauthor=False, opinion=False) / name


def on_space() -> bool:
    """Whether this is a Space of the Hugging Face Hub: everybody may use it, and a proxy stands before it."""
    return bool(os.environ.get("SPACE_ID"))


def space_host() -> str:
    """The name under which people see this Space, outside of the Hub's own page; "" elsewhere."""
    return os.environ.get("SPACE_HOST", "").strip().lower()
