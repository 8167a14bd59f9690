"""The constants of a program that reads a checkpoint itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from demo.widgets.answers.content import Program


def checkpoint_program(
    name: str, constants: Mapping[str, Any], parts: Mapping[str, str] | None = None
) -> Program:
    """Return it for the control `checkpoint`; a program can read only a checkpoint that ships."""
    from models.hub.pretrained import SHIPPED_FOLDER

    lacks = () if (SHIPPED_FOLDER / name).is_dir() else ("checkpoint",)
    return Program({"checkpoint": name, **constants}, parts or {}, lacks)
