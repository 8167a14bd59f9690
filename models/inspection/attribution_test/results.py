"""Stored results for the shipped checkpoints.

`python -m models.inspection.attribution_test --write` writes `measured.json` beside this file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from models.inspection.attribution_test.rates import Rate

RESULTS_FILE = Path(__file__).with_name("measured.json")
RESULT_DECIMALS = 4


@dataclass(frozen=True)
class AttributionTestResult:
    """The result of one checkpoint."""

    checkpoint: str
    task: str
    sources: int
    seed: int
    trained: Mapping[str, Rate]  # rates by method
    random: Mapping[str, Rate]  # rates by method, of the same network with random weights


@cache
def shipped_results() -> Mapping[str, AttributionTestResult]:
    """The results in the file, by checkpoint."""
    from models.inspection.attribution_test.curves import Curves
    from models.inspection.attribution_test.rates import Rate

    def rate(entry: Mapping[str, Any]) -> Rate:
        curves = entry["curves"] and Curves(
            *(tuple(entry["curves"][kind]) for kind in ("deletion", "insertion"))
        )
        return Rate(entry["hits"], entry["steps"], entry["chance"], curves=curves)

    return {
        name: AttributionTestResult(
            name,
            *(result[part] for part in ("task", "sources", "seed")),
            *(
                {method: rate(entry) for method, entry in result[part].items()}
                for part in ("trained", "random")
            ),
        )
        for name, result in json.loads(RESULTS_FILE.read_text(encoding="utf-8")).items()
    }


def as_json(result: AttributionTestResult) -> dict[str, Any]:
    """A result as an entry of the file: its fields by the checkpoint's name."""
    fields = json.dumps({name: value for name, value in asdict(result).items() if name != "checkpoint"})
    rounded = json.loads(fields, parse_float=lambda digits: round(float(digits), RESULT_DECIMALS))
    return {result.checkpoint: rounded}


def write(results: Mapping[str, Any]) -> None:
    """Write the file, a line for each checkpoint."""
    lines = [f"{json.dumps(name)}: {json.dumps(result)}" for name, result in sorted(results.items())]
    RESULTS_FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
