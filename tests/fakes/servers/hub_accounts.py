"""Accounts of a local Hugging Face Hub, and the way that uploads take to it."""

from __future__ import annotations

from dataclasses import dataclass

import pytest


@dataclass(frozen=True)
class Account:
    """The owner of a token."""

    name: str
    may_write: bool = True


def take_uploads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the library upload to a `FakeHub` instead of Xet, which needs another server."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_XET", True)
