"""`python -m models.training --config FILE`: train from a recipe and print events as JSON lines.

Ctrl+C or a SIGTERM saves first; `--resume` goes on from there.
"""

from __future__ import annotations

import argparse
import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

from models.device import resolve_device
from models.training.config import TrainingConfig
from models.training.events import RunFailed, TrainingEvent, event_json
from models.training.trainer import TrainingError, train


@contextmanager
def _signals() -> Iterator[Event]:
    """An event that Ctrl+C or a SIGTERM sets, so that the loop saves before it ends."""
    stopping = Event()
    numbers = signal.SIGINT, signal.SIGTERM
    before = [signal.signal(number, lambda *_: stopping.set()) for number in numbers]
    try:
        yield stopping
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def main() -> int:
    """Exit code 0 for a finished run, 1 for one that failed with a `RunFailed` event."""
    parser = argparse.ArgumentParser(prog="python -m models.training", description=__doc__)
    parser.add_argument(
        "--config", type=Path, required=True, help="a recipe, such as checkpoints/reverse-gru/recipe.json"
    )
    parser.add_argument(
        "--output", type=Path, required=True, help="run folder; holds best/, last/ and events.jsonl"
    )
    parser.add_argument(
        "--data", type=Path, default=Path(), help="folder that the recipe's files are relative to"
    )
    parser.add_argument(
        "--start", type=Path, help="folder of the checkpoint to fine-tune, for a recipe that names one"
    )
    parser.add_argument("--device", default="auto", help="auto, cpu, or a kind of GPU that is present")
    parser.add_argument("--resume", action="store_true", help="go on from the run folder's last state")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    with (options.output / "events.jsonl").open("a", encoding="utf-8") as log, _signals() as stopping:

        def emit(event: TrainingEvent) -> None:
            for stream in (log, sys.stdout):
                print(event_json(event), file=stream, flush=True)

        try:
            train(
                TrainingConfig.load(options.config),
                emit,
                output=options.output,
                device=resolve_device(options.device),
                data_folder=options.data,
                recipe_folder=options.config.parent,
                start=options.start,
                resume=options.resume,
                should_stop=stopping.is_set,
            )
        except (OSError, ValueError, TrainingError) as error:
            emit(RunFailed(str(error)))
            return 1
        except Exception as error:  # a fault of ours: whoever watches must learn of it too
            traceback.print_exc()
            emit(RunFailed(f"{type(error).__name__}: {error}"))
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
