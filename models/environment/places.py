"""The folders of a person's files, and whether the program runs on a Space."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any

from models.environment.variables import variable


def data_folder(name: str) -> Path:
    """The system's folder for data of a person: ~/.local/share/unrolled/NAME or the like."""
    import platformdirs

    return platformdirs.user_data_path("unrolled", appauthor=False) / name


def cache_folder(name: str) -> Path:
    """The system's folder for files that can be fetched again: ~/.cache/unrolled/NAME or the like."""
    import platformdirs

    return platformdirs.user_cache_path("unrolled", appauthor=False, opinion=False) / name


def cache_variable(name: str, folder: str, meaning: str) -> Any:
    """A field of a settings class: the path of a `cache_folder`, unless the variable names another one."""
    default_text = f"`~/.cache/unrolled/{folder}` or its like"
    return variable(
        name, meaning, make=partial(cache_folder, folder), sort="a folder", default_text=default_text
    )


def on_space() -> bool:
    """Whether the program runs on a Space of the Hugging Face Hub: public, and behind a proxy."""
    return bool(os.environ.get("SPACE_ID"))


def space_host() -> str:
    """The name under which people see this Space, outside of the Hub's own page; "" elsewhere."""
    return os.environ.get("SPACE_HOST", "").strip().lower()
