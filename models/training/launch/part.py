"""One part of a run: from its last saved state until it ends, is stopped or fails. Imports torch late."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from models.errors import Message, UnrolledError, message_of
from models.training.events import Emit, RunStarted, TrainingEvent
from models.training.runs.run_folder import Run
from models.whole_file import disk_is_full

DISK_FULL = Message(
    "run_disk_full",
    "The disk is full. Free some space, then resume: the run goes on from the last saved step, or "
    "from its start if none was saved yet.",
)
NO_MEMORY = Message(
    "run_out_of_memory",
    "Memory ran out. Take a smaller network or fewer tokens in a batch; resuming goes on from the last "
    "saved step.",
)
MIN_VOCABULARY = 8  # a network of this vocabulary is nearly as small as one without


class TooLargeError(UnrolledError, ValueError):
    """A network with more parameters than this server trains."""


def load_what_training_needs() -> None:
    """Import now what training imports late."""
    for name in ("models.training.loop.trainer", "torch._dynamo"):  # the second by an optimizer's first step
        import_module(name)


def do_part(
    run: Run, emit: Emit, should_stop: Callable[[], bool], *, device: str, parameters: int = 0
) -> None:
    """Train in this process until the run ends, is stopped or fails. `parameters` caps the network, 0 = none.

    Raises TooLargeError, and the errors of `train`; see `failure_sentence`.
    """
    from models.device import resolve_device
    from models.training.loop.setup import RunFolders
    from models.training.loop.trainer import train

    request = run.request
    if parameters:
        check_size(request.config.network.num_parameters(MIN_VOCABULARY), parameters)

    def emit_checked(event: TrainingEvent) -> None:
        if parameters and isinstance(event, RunStarted):
            check_size(event.parameters, parameters)
        emit(event)

    start = Path(request.start_folder) if request.start_folder else None
    train(
        request.config,
        emit_checked,
        RunFolders(run.folder, run.data_folder, run.data_folder, start),
        device=resolve_device(device),
        resume=True,
        should_stop=should_stop,
    )


def failure_sentence(error: BaseException) -> str:
    """The sentence on a failure for the visitor; tracebacks of unforeseen errors go to the log."""
    if disk_is_full(error):
        return DISK_FULL
    if isinstance(error, MemoryError) or _is_out_of_memory(error):
        traceback.print_exception(error, file=sys.stderr)
        return NO_MEMORY
    if isinstance(error, OSError) and error.strerror:  # its text would reveal paths of the server
        traceback.print_exception(error, file=sys.stderr)
        return _refused_by_the_system(error)
    if isinstance(error, OSError | ValueError) or type(error).__module__.startswith("models."):
        return message_of(error)
    traceback.print_exception(error, file=sys.stderr)
    return (
        f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error).strip() else 'no reason'}"
    )


def _refused_by_the_system(error: OSError) -> str:
    if error.filename is None:
        return str(error.strerror)
    return Message(
        "run_file_unusable",
        "A file of the run cannot be used: {name} ({reason}).",
        name=Path(str(error.filename)).name,
        reason=error.strerror,
    )


def _is_out_of_memory(error: BaseException) -> bool:
    # torch raises a subclass of RuntimeError on an accelerator, and RuntimeError itself on a CPU.
    return type(error).__name__ == "OutOfMemoryError" or (
        isinstance(error, RuntimeError) and "not enough memory" in str(error)
    )


def check_size(parameters: int, allowed: int) -> None:
    """Raise TooLargeError for a network with more parameters than allowed."""
    if parameters > allowed:
        raise TooLargeError(
            "network_too_large",
            "This network has {count} parameters or more; this server trains up to {limit}. Make "
            "it narrower or take fewer layers, or run the program on a machine of your own.",
            count=f"{parameters:,}",
            limit=f"{allowed:,}",
        )
