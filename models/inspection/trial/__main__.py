"""`python -m models.inspection.trial --checkpoint NAME`: explanations put on trial where the truth is known.

Without a name all checkpoints are tried of whose task it is known what an output hangs on; with `--write`
what was measured of them becomes the file that the page shows.
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
from models.inspection.question import InspectionError
from models.inspection.trial.measured import TrialResult, as_json, write
from models.inspection.trial.rates import SEED, SOURCES, put_on_trial
from models.registry.card import CheckpointError
from models.registry.registry import Registry


def main() -> None:
    """A table of each checkpoint for people; the last line is one JSON object."""
    parser = argparse.ArgumentParser(prog="python -m models.inspection.trial", description=__doc__)
    parser.add_argument("--checkpoint", help="its name; all whose truth is known unless given")
    parser.add_argument("--checkpoints", type=Path, default=Path("checkpoints"), help="the folder of all")
    parser.add_argument("--sources", type=int, default=SOURCES, help="random ones of the task")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--write", action="store_true", help="replace the figures that the page shows")
    options = parser.parse_args()
    registry = Registry(options.checkpoints)
    figures: dict[str, Any] = {}
    try:
        for name in [options.checkpoint] if options.checkpoint else _known(registry):
            checkpoint = registry.load(name, torch.device("cpu"))
            rates = put_on_trial(checkpoint, options.sources, options.seed, with_curves=True)
            result = TrialResult(name, checkpoint.config.task, options.sources, options.seed, *rates)
            sys.stdout.write(_table(result))
            sys.stdout.flush()
            figures |= as_json(result)
    except (CheckpointError, InspectionError) as error:
        sys.exit(str(error))
    if options.write:
        write(figures)
    sys.stdout.write(f"{json.dumps(figures)}\n")


def _known(registry: Registry) -> Iterator[str]:
    """Checkpoints of whose task it is known what an output hangs on."""
    for name in registry.names():
        task = TASKS.get(registry.config(name).task)
        if task is not None and task.known is not None:
            yield name


def _table(found: TrialResult) -> str:
    chance = next(iter(found.trained.values())).chance
    lines = [f"{found.checkpoint}: steps whose strongest token is the right one; chance {chance:.1%}"]
    for name, rate in found.trained.items():
        low, high = rate.interval
        by_chance = f"random weights {found.random[name].share:.1%}"
        areas = (
            "" if rate.curves is None else "  deletion {:.2f}, insertion {:.2f}".format(*rate.curves.areas)
        )
        lines.append(f"  {name:22}{rate.share:7.1%}  ({low:.1%} to {high:.1%})  {by_chance}{areas}")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    main()
