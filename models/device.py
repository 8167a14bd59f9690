"""Where tensors live: the only file that names a kind of device."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import torch


def resolve_device(name: str = "auto") -> torch.device:
    """`auto` takes the best device present. Raises ValueError if the named one is absent."""
    present = available_devices()
    if name == "auto":
        return torch.device(present[0])
    try:
        device = torch.device(name)
    except RuntimeError:
        device = None
    if device is None or device.type not in present or (device.index or 0) >= _count(device):
        raise ValueError(f"device must be one of {', '.join(('auto', *present))} here; got {name!r}")
    return device


def _count(device: torch.device) -> int:
    return torch.cuda.device_count() if device.type == "cuda" else 1


def available_devices() -> tuple[str, ...]:
    """Device types of this machine, fastest first."""
    found = []
    if torch.cuda.is_available():
        found.append("cuda")
    if torch.backends.mps.is_available():
        found.append("mps")
    return (*found, "cpu")


def training_autocast(device: torch.device, enabled: bool) -> AbstractContextManager[object]:
    """bf16 autocast for a whole network where the hardware gains from it: on GPUs that have bf16.

    On a CPU only the output layer gains (see `training.loss`), so there this does nothing.
    """
    if enabled and device.type == "cuda" and gains_from_bf16(device):
        return torch.autocast("cuda", dtype=torch.bfloat16)
    return nullcontext()


def gains_from_bf16(device: torch.device) -> bool:
    """True where products in bfloat16 are faster than in float32; most processors only emulate them."""
    if device.type == "cpu":
        supported = getattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)
        return bool(supported())
    return device.type == "cuda" and torch.cuda.is_bf16_supported()


def gains_from_chunked_loss(device: torch.device) -> bool:
    """True where the logits of a whole batch cost more memory traffic than computing them twice."""
    return device.type == "cpu"


def gains_from_fused_attention(device: torch.device) -> bool:
    """True where the fused kernel beats explicit matrix products when training."""
    return device.type == "cuda"


def has_fused_optimizer(device: torch.device) -> bool:
    """True where AdamW can update all parameters in one kernel."""
    return device.type in ("cuda", "cpu")


def synchronize(device: torch.device) -> None:
    """Wait until all queued work of the device is done, so that a clock reads the truth."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    elif device.type == "mps":
        torch.mps.synchronize()


def batches_at_once(device: torch.device) -> int:
    """How many batches are worth decoding side by side: on a CPU one for each core, elsewhere one.

    Small matrices leave a second thread idle, and a second batch does not.
    """
    if device.type != "cpu":
        return 1
    usable = getattr(os, "sched_getaffinity", None)
    return len(usable(0)) if usable else os.cpu_count() or 1


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Operators take one CPU thread meanwhile, in the whole process: for work that runs side by side."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def use_threads(count: int) -> None:
    """CPU threads that one operator may use, in the whole process."""
    torch.set_num_threads(count)
