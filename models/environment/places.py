"""Where the program runs, and where it keeps things there."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any

import platformdirs

from models.environment.kinds import Folder
from models.environment.variables import variable


def data_folder(name: str) -> Path:
    """Where programs of this system keep what a person has made: ~/.local/share/unrolled/NAME or its like."""
    return platformdirs.user_data_path("unrolled", appauthor=False) / name


def cache_folder(name: str) -> Path:
    """Where they keep what can be had again: ~/.cache/unrolled/NAME or its like."""
    return platformdirs.user_cache_path("unrolled", appauthor=False, opinion=False) / name


def cache_variable(name: str, folder: str, meaning: str) -> Any:
    """A field of a settings class: where that `cache_folder` is, unless the variable says otherwise."""
    told = f"`~/.cache/unrolled/{folder}` or its like"
    return variable(name, Folder(), meaning, make=partial(cache_folder, folder), told=told)


def on_space() -> bool:
    """Whether this is a Space of the Hugging Face Hub: everybody may use it, and a proxy stands before it."""
    return bool(os.environ.get("SPACE_ID"))


def space_host() -> str:
    """The name under which people see this Space, outside of the Hub's own page; "" elsewhere."""
    return os.environ.get("SPACE_HOST", "").strip().lower()
