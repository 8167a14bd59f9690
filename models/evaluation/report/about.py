"""What a report says of the systems that it is about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def title_of(report: Mapping[str, Any]) -> str:
    """The names of the systems, behind the name of their checkpoint where that is in none of them."""
    names = ", ".join(system["name"] for system in report["systems"])
    checkpoints = dict.fromkeys(system["checkpoint"] for system in report["systems"])
    missing = [name for name in checkpoints if name not in names]
    return ": ".join((*missing, names))


def decoding_of(system: Mapping[str, Any]) -> str:
    """The strategy of a system of a report with its settings; empty for outputs made elsewhere."""
    settings = ", ".join(f"{name} {value}" for name, value in system["settings"].items())
    return f"{system['decoding']} ({settings})" if settings else system["decoding"]
