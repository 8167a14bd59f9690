"""`python -m models.inspection.attribution_test --checkpoint NAME`: test methods on a task with known truth.

The page shows the results as "Explanations on trial". Without a name it tests all checkpoints whose task's
relevant tokens are known; `--write` replaces the results that the page shows.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from models.corpus.generated.all_tasks import TASKS
from models.inspection.attribution_test.rates import (
    ATTRIBUTION_TEST_SEED,
    NUM_SOURCES,
    AttributionTestResult,
    as_json,
    measure_rates,
    write,
)
from models.inspection.question import InspectionError
from models.registry.card import CheckpointError
from models.registry.registry import Registry


def main() -> None:
    """Print a table for each checkpoint; the last line is one JSON object."""
    parser = argparse.ArgumentParser(prog="python -m models.inspection.attribution_test", description=__doc__)
    parser.add_argument(
        "--checkpoint", help="name of the checkpoint (default: all with known relevant tokens)"
    )
    parser.add_argument(
        "--checkpoints", type=Path, default=Path("checkpoints"), help="folder of the checkpoints"
    )
    parser.add_argument(
        "--sources", type=int, default=NUM_SOURCES, help="number of random sources of the task"
    )
    parser.add_argument("--seed", type=int, default=ATTRIBUTION_TEST_SEED)
    parser.add_argument("--write", action="store_true", help="replace the figures that the page shows")
    options = parser.parse_args()
    registry = Registry(options.checkpoints)
    figures: dict[str, Any] = {}
    try:
        for name in [options.checkpoint] if options.checkpoint else _testable(registry):
            checkpoint = registry.load(name, torch.device("cpu"))
            rates = measure_rates(checkpoint, options.sources, options.seed)
            task = checkpoint.config.task
            result = AttributionTestResult(name, task, options.sources, options.seed, *rates)
            sys.stdout.write(_table(result))
            sys.stdout.flush()
            figures |= as_json(result)
    except (CheckpointError, InspectionError) as error:
        sys.exit(str(error))
    if options.write:
        write(figures)
    sys.stdout.write(f"{json.dumps(figures)}\n")


def _testable(registry: Registry) -> Iterator[str]:
    """Names of the checkpoints whose task's relevant tokens are known."""
    for name in registry.names():
        task = TASKS.get(registry.config(name).task)
        if task is not None and task.aligned is not None:
            yield name


def _table(result: AttributionTestResult) -> str:
    chance = next(iter(result.trained.values())).chance
    lines = [f"{result.checkpoint}: steps whose strongest token is the right one; chance {chance:.1%}"]
    for name, rate in result.trained.items():
        low, high = rate.interval
        by_chance = f"random weights {result.random[name].share:.1%}"
        areas = "  deletion {:.2f}, insertion {:.2f}".format(*rate.curves.areas) if rate.curves else ""
        lines.append(f"  {name:22}{rate.share:7.1%}  ({low:.1%} to {high:.1%})  {by_chance}{areas}")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    main()
