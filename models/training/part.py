"""One part of a run: from its last saved state until it ends, is stopped or fails. Imports torch late."""

from __future__ import annotations

import errno
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

from models.training.config import TrainingConfig
from models.training.events import Emit, RunStarted, TrainingEvent
from models.training.run import Run

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
DISK_FULL = "The disk is full: the last saved checkpoint is intact. Free some space, then resume."
NO_MEMORY = (
    "Memory ran out. Take a smaller network or fewer tokens in a batch; resuming goes on from the last "
    "saved step."
)
LEAST_VOCABULARY = 8  # enough to see how large a network is apart from its vocabulary


class TooLargeError(ValueError):
    """A network with more parameters than this server trains."""


def train_part(
    run: Run, emit: Emit, should_stop: Callable[[], bool], *, device: str, parameters: int = 0
) -> None:
    """Train in this process. `parameters` caps the network, 0 = no cap.

    Raises TooLargeError and what `train` raises; see `failure_sentence`.
    """
    from models.device import resolve_device
    from models.training.trainer import train

    request = run.request
    if parameters:
        _check_size(_least_parameters(request.config), parameters)

    def checked(event: TrainingEvent) -> None:
        if parameters and isinstance(event, RunStarted):
            _check_size(event.parameters, parameters)
        emit(event)

    train(
        request.config,
        checked,
        output=run.folder,
        device=resolve_device(device),
        data_folder=run.data_folder,
        recipe_folder=run.data_folder,
        start=Path(request.start_folder) if request.start_folder else None,
        resume=True,
        should_stop=should_stop,
    )


def failure_sentence(error: BaseException) -> str:
    """Why a run failed, for the visitor; the traceback of what nobody foresaw goes to the log."""
    if isinstance(error, OSError) and error.errno in FULL:
        return DISK_FULL
    if isinstance(error, MemoryError) or _is_out_of_memory(error):
        traceback.print_exception(error, file=sys.stderr)
        return NO_MEMORY
    if isinstance(error, OSError | ValueError) or type(error).__module__.startswith("models."):
        return str(error)
    traceback.print_exception(error, file=sys.stderr)
    return (
        f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error).strip() else 'no reason'}"
    )


def _is_out_of_memory(error: BaseException) -> bool:
    # torch raises a RuntimeError of its own on an accelerator and a bare one on a CPU.
    return type(error).__name__ == "OutOfMemoryError" or (
        isinstance(error, RuntimeError) and "not enough memory" in str(error)
    )


def _least_parameters(config: TrainingConfig) -> int:
    """Parameters with next to no vocabulary, counted without memory for them."""
    import torch

    from models.networks.config import build_model

    with torch.device("meta"):
        return build_model(config.network, LEAST_VOCABULARY, 0).num_parameters()


def _check_size(found: int, allowed: int) -> None:
    if found > allowed:
        raise TooLargeError(
            f"This network has {found:,} parameters or more; this server trains up to {allowed:,}. "
            "Make it narrower or take fewer layers, or run the program on a machine of your own."
        )
