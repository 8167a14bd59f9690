"""What whoever runs the server allows to be fetched from the Hub, from environment variables."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

ACCESS = ("off", "curated", "any")


class HubSettingsError(ValueError):
    """An environment variable that cannot be read; the message names it, what it may be and what it was."""


def default_root(environ: Mapping[str, str] = os.environ) -> Path:
    """The folder of all models: UNROLLED_HUB_CACHE, else where this system keeps what can be had again."""
    if environ.get("UNROLLED_HUB_CACHE", "").strip():
        return Path(environ["UNROLLED_HUB_CACHE"]).expanduser().absolute()
    if sys.platform == "darwin":
        caches = Path.home() / "Library" / "Caches"
    elif sys.platform == "win32":
        caches = Path(environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        caches = Path(environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return caches / "unrolled" / "hub"


@dataclass(frozen=True)
class HubSettings:
    """Caps on models of the Hub; 0 bytes is no cap. Holds no token: what is private is not fetched."""

    access: str = "any"  # off, curated (those of models.hub.curated) or any
    root: Path = field(default_factory=default_root)
    max_bytes: int = 4 << 30  # of one model
    total_bytes: int = 16 << 30  # of all on disk; those unused for longest go first
    endpoint: str | None = None  # of another Hub; None is the library's, so HF_ENDPOINT
    patience: float = 6.5  # seconds for an answer, and without a byte of a download
    idle: float = 3600.0  # seconds unused before a model may go to make room for another

    def __post_init__(self) -> None:
        if self.access not in ACCESS:
            raise HubSettingsError(f"access must be one of {', '.join(ACCESS)}; got {self.access!r}")

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> HubSettings:
        """UNROLLED_HUB (off, curated or any) and, behind it, _CACHE, _BYTES and _TOTAL_BYTES.

        A Space, which everybody may use, is held to the curated list unless told otherwise. Raises
        HubSettingsError, so that a typing error stops the server and does not lift a cap.
        """
        default = "curated" if environ.get("SPACE_ID") else "any"
        access = environ.get("UNROLLED_HUB", "").strip().lower() or default
        if access not in ACCESS:
            raise HubSettingsError(f"UNROLLED_HUB must be one of {', '.join(ACCESS)}; got {access[:40]!r}")
        return cls(
            access=access,
            root=default_root(environ),
            max_bytes=_count(environ, "UNROLLED_HUB_BYTES", cls.max_bytes),
            total_bytes=_count(environ, "UNROLLED_HUB_TOTAL_BYTES", cls.total_bytes),
        )


def _count(environ: Mapping[str, str], name: str, default: int) -> int:
    text = environ.get(name, "").strip().replace("_", "")
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise HubSettingsError(f"{name} must be a whole number of at least 0; got {text[:40]!r}")
    return int(text)
