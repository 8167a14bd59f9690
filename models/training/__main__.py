"""`python -m models.training --recipe NAME`, or `--config FILE`: train and print events as JSON lines.

A recipe that names a public corpus needs no --data. Ctrl+C or a SIGTERM saves first. `--resume` goes on from
there; without it, a folder that has a run is refused.
"""

from __future__ import annotations

import argparse
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event

from models.corpus.files.reading import COLUMNS_METAVAR, Reading
from models.corpus.public.download import ProgressLines
from models.corpus.public.prepare import prepare
from models.device import resolve_device
from models.errors import Message, message_of
from models.registry.registry import Registry, UnknownCheckpointError
from models.training.events import RunFailed, TrainingEvent, event_json
from models.training.loop.resume_state import STATE_FILE
from models.training.loop.setup import RECIPE, RunFolders
from models.training.loop.trainer import LAST, train
from models.training.loop.update import TrainingError
from models.training.recipe.config import TrainingConfig

RUNS_FOLDER = Path("runs")  # runs of recipes that are given by name


@contextmanager
def _on_interrupt(handler: Callable[..., object]) -> Iterator[None]:
    """Let Ctrl+C and SIGTERM call `handler`.

    A process that a script starts in the background ignores Ctrl+C, so SIGTERM must work, too.
    """
    numbers = signal.SIGINT, signal.SIGTERM
    before = [signal.signal(number, handler) for number in numbers]
    try:
        yield
    finally:
        for number, handler_before in zip(numbers, before, strict=True):
            signal.signal(number, handler_before)


def main() -> int:
    """Return exit code 0 for a run that finished or was stopped and saved, 1 for an error, else 130.

    An error is printed as a `RunFailed` event; 130 stands for an interrupt before training began.
    """
    parser = _parser()
    options = parser.parse_args()
    registry = Registry(options.root)
    if options.config and options.output is None:
        parser.error("--config needs --output, a folder for the run")
    try:
        recipe: Path = options.config or registry.folder(options.recipe) / RECIPE
    except UnknownCheckpointError as error:
        print(event_json(RunFailed(message_of(error))), flush=True)  # there is no run yet, so no folder
        return 1
    output: Path = options.output or RUNS_FOLDER / options.recipe
    if not options.resume and any((output / name).exists() for name in (STATE_FILE, LAST)):
        message = Message(
            "output_taken",
            "{folder} holds a run already: continue it with --resume, or choose another --output",
            folder=output,
        )
        print(event_json(RunFailed(message)), flush=True)  # the existing run did not fail, so its log stays
        return 1
    output.mkdir(parents=True, exist_ok=True)
    with (output / "events.jsonl").open("a", encoding="utf-8") as log:

        def emit(event: TrainingEvent) -> None:
            for stream in (log, sys.stdout):
                print(event_json(event), file=stream, flush=True)

        try:
            with _on_interrupt(signal.default_int_handler):
                config = _config(recipe, options.columns)
                data = _data_folder(config, options.data)
            stopping = Event()  # the loop saves before it ends
            with _on_interrupt(lambda *_: stopping.set()):
                start = _start_folder(config, options.start, registry)
                train(
                    config,
                    emit,
                    RunFolders(output, data, recipe.parent, start),
                    device=resolve_device(options.device),
                    resume=options.resume,
                    should_stop=stopping.is_set,
                    on_reading=_print_reading,
                )
        except (OSError, ValueError, TrainingError) as error:
            emit(RunFailed(message_of(error)))
            return 1
        except KeyboardInterrupt:  # the corpus is being fetched: there is nothing to save yet
            emit(RunFailed("stopped before the training began"))
            return 130
        except Exception as error:  # a fault of this program is reported as an event too
            traceback.print_exc()
            emit(RunFailed(f"{type(error).__name__}: {error}"))
            return 1
    return 0


def _print_reading(reading: Reading) -> None:
    """Print what was recognised in a file of pairs, which is not an event of the run."""
    print(*reading.lines(), sep="\n", file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m models.training", description=__doc__)
    recipe = parser.add_mutually_exclusive_group(required=True)
    recipe.add_argument("--recipe", metavar="NAME", help="a checkpoint whose recipe is run again")
    recipe.add_argument(
        "--config", type=Path, metavar="FILE", help="a recipe, such as checkpoints/reverse-gru/recipe.json"
    )
    parser.add_argument(
        "--output",
        type=Path,
        help="run folder; holds best/, last/ and events.jsonl (default with --recipe: runs/NAME)",
    )
    parser.add_argument(
        "--data",
        type=Path,
        help="folder that the recipe's files are relative to "
        "(default: the public corpus that the recipe names, downloaded if need be, or else this folder)",
    )
    parser.add_argument(
        "--columns", default="", metavar=COLUMNS_METAVAR, help="names or numbers of the files' columns"
    )
    parser.add_argument(
        "--start",
        type=Path,
        help="folder of the checkpoint to fine-tune, for a recipe that names one (default: by its name)",
    )
    parser.add_argument("--root", type=Path, default=Path("checkpoints"), help="folder of the checkpoints")
    parser.add_argument("--device", default="auto", help="auto, cpu, or a kind of GPU that is present")
    parser.add_argument("--resume", action="store_true", help="go on from the run folder's last state")
    return parser


def _config(recipe: Path, columns: str) -> TrainingConfig:
    """A recipe, with the columns that the command line names. Raises ConfigError."""
    config = TrainingConfig.load(recipe)
    return replace(config, data=replace(config.data, columns=columns)) if columns else config


def _data_folder(config: TrainingConfig, folder: Path | None) -> Path:
    """The folder of the recipe's files. Raises DataError if a public corpus cannot be fetched."""
    if folder is not None or not config.data.corpus:
        return folder or Path()
    return prepare(config.data.corpus, progress=ProgressLines(sys.stderr))


def _start_folder(config: TrainingConfig, option: Path | None, registry: Registry) -> Path | None:
    if option is None and config.start in registry.names():
        return registry.folder(config.start)
    return option


if __name__ == "__main__":
    sys.exit(main())
