"""What was measured of the shipped checkpoints, and how it is measured again.

`python -m models.inspection.trial --write` writes `measured.json` beside this file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from models.inspection.trial.rates import Rate

FILE = Path(__file__).with_name("measured.json")
DIGITS = 4


@dataclass(frozen=True)
class TrialResult:
    """One checkpoint's trial."""

    checkpoint: str
    task: str
    sources: int
    seed: int
    trained: Mapping[str, Rate]  # by method
    random: Mapping[str, Rate]  # of the same networks with random weights


@cache
def measured() -> Mapping[str, TrialResult]:
    """By checkpoint, as the file has them."""
    from models.inspection.trial.curves import Curves
    from models.inspection.trial.rates import Rate

    def rate(found: Mapping[str, Any]) -> Rate:
        drawn = found["curves"] and Curves(
            *(tuple(found["curves"][kind]) for kind in ("deletion", "insertion"))
        )
        return Rate(found["hits"], found["steps"], found["chance"], curves=drawn)

    return {
        name: TrialResult(
            name,
            *(load[part] for part in ("task", "sources", "seed")),
            *(
                {method: rate(result) for method, result in load[part].items()}
                for part in ("trained", "random")
            ),
        )
        for name, load in json.loads(FILE.read_text(encoding="utf-8")).items()
    }


def as_json(found: TrialResult) -> dict[str, Any]:
    """As the file holds it, by the name of the checkpoint."""
    written = asdict(found)
    del written["checkpoint"]
    return {found.checkpoint: _rounded(written)}


def write(found: Mapping[str, Any]) -> None:
    """Write the file: of each checkpoint a line."""
    lines = [f"{json.dumps(name)}: {json.dumps(item)}" for name, item in sorted(found.items())]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _rounded(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _rounded(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(item) for item in value]
    return round(value, DIGITS) if isinstance(value, float) else value
