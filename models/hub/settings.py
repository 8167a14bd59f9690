"""The operator's settings for downloads from the Hub."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from models.environment import SettingError, cache_variable, on_space, variable
from models.errors import not_one_of
from models.setting import words

ACCESS_LEVELS = ("off", "curated", "any")


@dataclass(frozen=True)
class HubSettings:
    """Caps on models of the Hub. Holds no token: private models are not fetched."""

    # No models, those of models.hub.listing.curated, or any.
    access: str = variable(
        "UNROLLED_HUB",
        "which models visitors may fetch from the Hugging Face Hub",
        make=lambda: "curated" if on_space() else "any",
        offers=words(*ACCESS_LEVELS),
        default_text="`any`; `curated` on a Space",
    )
    root: Path = cache_variable("UNROLLED_HUB_CACHE", "hub", "where fetched models are stored")
    max_bytes: int = variable(
        "UNROLLED_HUB_BYTES", "largest model that is fetched", 4 << 30, zero="no cap", unit="bytes"
    )
    total_bytes: int = variable(
        "UNROLLED_HUB_TOTAL_BYTES",
        "disk space of all models; beyond it the least recently used ones are removed",
        16 << 30,
        zero="no cap",
        unit="bytes",
    )
    endpoint: str | None = None  # the address of another Hub; None: HF_ENDPOINT, or the Hub itself
    timeout: float = 6.5  # seconds to wait for an answer, or for the next bytes of a download
    idle: float = 3600.0  # seconds after which an unused model may be removed for another one

    def __post_init__(self) -> None:
        if self.access not in ACCESS_LEVELS:
            raise SettingError(not_one_of("access", ACCESS_LEVELS, self.access))
