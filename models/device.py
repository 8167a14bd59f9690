"""The devices of tensors: the only file that names a kind of accelerator."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import TypeVar

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from models.errors import UnrolledError
from models.process import WhileAny

# By default cuDNN rounds the factors in recurrent layers and convolutions to ten bits (TF32). That changes
# log-probabilities by thousandths, and sometimes a word. Linear layers are exact by default.
torch.backends.cudnn.allow_tf32 = False
# On Hopper and newer GPUs torch would use cuDNN's attention. It is compiled for each new shape, and nearly
# every batch of sentences has a new shape. `Capture` can switch it on.
torch.backends.cuda.enable_cudnn_sdp(enabled=False)
_ATTENTION_BY_PRIORITY = [
    SDPBackend.CUDNN_ATTENTION,
    SDPBackend.FLASH_ATTENTION,
    SDPBackend.EFFICIENT_ATTENTION,
    SDPBackend.MATH,
]


T = TypeVar("T")


class DeviceError(UnrolledError, ValueError):
    """A device that this machine does not have."""


def resolve_device(name: str = "auto") -> torch.device:
    """Return the device of this name, or the fastest one for `auto`. Raises DeviceError if it is absent."""
    available = available_devices()
    if name == "auto":
        return torch.device(available[0])
    try:
        device = torch.device(name)
    except RuntimeError:
        device = None
    count = torch.cuda.device_count() if device and device.type == "cuda" else 1
    if device is None or device.type not in available or (device.index or 0) >= count:
        raise DeviceError(
            "no_such_device",
            "device must be one of {devices} here; got {name}",
            devices=", ".join(("auto", *available)),
            name=repr(name),
        )
    return device


def available_devices() -> tuple[str, ...]:
    """Device types of this machine, fastest first."""
    result = []
    if torch.cuda.is_available():
        result.append("cuda")
    if torch.backends.mps.is_available():
        result.append("mps")
    return (*result, "cpu")


def training_autocast(
    device: torch.device, enabled: bool, cache: bool = True
) -> AbstractContextManager[object]:
    """bf16 autocast for a whole network, where the hardware multiplies faster in bf16; weights stay fp32.

    cache: whether weights are rounded once. A captured step must round them itself each time.
    """
    if enabled and gains_from_bf16(device):
        return torch.autocast(device.type, dtype=torch.bfloat16, cache_enabled=cache)
    return nullcontext()


def gains_from_bf16(device: torch.device) -> bool:
    """True where products in bfloat16 are faster than in float32; most processors only emulate them."""
    if device.type == "cpu":
        supported = getattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)
        return bool(supported())
    return device.type == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)


def gains_from_chunked_loss(device: torch.device) -> bool:
    """True where the logits of a whole batch cost more memory traffic than computing them twice."""
    return device.type == "cpu"


def gains_from_fused_attention(device: torch.device) -> bool:
    """True where the fused kernel beats explicit matrix products when training."""
    return device.type == "cuda"


def _without_cudnn() -> Callable[[], None]:
    was_enabled = torch.backends.cudnn.enabled
    torch.backends.cudnn.enabled = False
    return partial(setattr, torch.backends.cudnn, "enabled", was_enabled)


# cuDNN refuses gradients through recurrent layers that are not being trained.
recurrent_gradients = WhileAny(_without_cudnn)


def gains_from_compile(device: torch.device) -> bool:
    """True where `torch.compile` earns back the time that it takes: on GPUs, in runs of minutes."""
    return device.type == "cuda"


def gains_from_capture(device: torch.device) -> bool:
    """True where `Capture` works, and launching kernels one by one costs more than what they compute."""
    return device.type == "cuda"


class Capture:
    """Work on an accelerator that is captured as graphs, which replay the same kernels on the same memory."""

    def __init__(self, device: torch.device, shapes_repeat: bool = False) -> None:
        """shapes_repeat: whether shapes repeat so often that attention kernels compiled for each one pay."""
        self._device, self._shapes_repeat = device, shapes_repeat
        self._stream = torch.cuda.Stream(device)
        self._pool = torch.cuda.graph_pool_handle()  # all graphs share it: they never run at once

    def warm_up(self, work: Callable[[], T]) -> T:
        """Do the work where it will be captured: libraries must have been set up before that."""
        current = torch.cuda.current_stream(self._device)
        self._stream.wait_stream(current)
        with torch.cuda.stream(self._stream), self._attention_kernels():
            result = work()
        current.wait_stream(self._stream)
        return result

    def capture(self, work: Callable[[], T]) -> tuple[Callable[[], None], T]:
        """A function that replays the work, and the result, whose tensors each replay overwrites.

        The work itself does nothing yet. It raises RuntimeError if it waits for the device.
        """
        graph = torch.cuda.CUDAGraph()
        with (
            torch.cuda.graph(graph, self._pool, self._stream, capture_error_mode="thread_local"),
            self._attention_kernels(),
        ):
            result = work()
        return graph.replay, result

    def _attention_kernels(self) -> AbstractContextManager[object]:
        if not self._shapes_repeat:
            return nullcontext()
        return sdpa_kernel(_ATTENTION_BY_PRIORITY, set_priority=True)


def gains_from_pinned_memory(device: torch.device) -> bool:
    """True where a batch in page-locked memory is copied while the device computes."""
    return device.type == "cuda"


def has_room(device: torch.device, size: int) -> bool:
    """Whether this number of bytes is little beside the memory that an accelerator has left."""
    return device.type == "cuda" and 8 * size <= torch.cuda.mem_get_info(device)[0]


def has_fused_optimizer(device: torch.device) -> bool:
    """True where AdamW can update all parameters in one kernel."""
    return device.type in ("cuda", "cpu")


def device_title(device: torch.device) -> str:
    """The name of a device for people: "NVIDIA A100", "CPU"."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return {"cpu": "CPU", "mps": "Apple GPU"}.get(device.type, device.type)


def peak_memory(device: torch.device) -> int | None:
    """The most bytes that tensors have held on an accelerator; None where torch does not count them."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device)
    return torch.mps.current_allocated_memory() if device.type == "mps" else None


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an operator failed because the device's memory, or the machine's, was full."""
    if isinstance(error, torch.OutOfMemoryError | MemoryError):
        return True
    text = str(error)
    return isinstance(error, RuntimeError) and ("out of memory" in text or "can't allocate memory" in text)


def release_memory(device: torch.device) -> None:
    """Release the memory that the allocator keeps, after an operator ran out of memory."""
    gc.collect()
    if device.type == "cuda":
        torch.cuda.empty_cache()
    elif device.type == "mps":
        torch.mps.empty_cache()


def random_state(device: torch.device) -> torch.Tensor:
    """State of the generator that dropout draws from on this device: uint8."""
    if device.type == "cuda":
        return torch.cuda.get_rng_state(device)
    return torch.mps.get_rng_state() if device.type == "mps" else torch.get_rng_state()


def set_random_state(device: torch.device, state: torch.Tensor) -> None:
    """The inverse of `random_state`."""
    if device.type == "cuda":
        torch.cuda.set_rng_state(state, device)
    elif device.type == "mps":
        torch.mps.set_rng_state(state)
    else:
        torch.set_rng_state(state)


def of_process(device: torch.device, local_rank: int) -> torch.device:
    """The device of one of several processes on a machine: each GPU has its own, a CPU is shared."""
    if device.type != "cuda":
        return device
    torch.cuda.set_device(local_rank)
    return torch.device("cuda", local_rank)


def collective_backend(device: torch.device) -> str:
    """The library by which processes on such devices exchange tensors."""
    return "nccl" if device.type == "cuda" else "gloo"


def synchronize(device: torch.device) -> None:
    """Wait until all queued work of the device is done, so that measured times are right."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    elif device.type == "mps":
        torch.mps.synchronize()


def batches_at_once(device: torch.device) -> int:
    """Return how many batches to decode at the same time: on a CPU one for each core, elsewhere one.

    Small matrices cannot keep several threads busy, but several batches can.
    """
    if device.type != "cpu":
        return 1
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def is_faster_with_few_rows(device: torch.device) -> bool:
    """Whether a decoding step of few rows takes less time than one of many, as on a CPU."""
    return device.type == "cpu"


_usual_threads = WhileAny(lambda: partial(torch.set_num_threads, torch.get_num_threads()))


@contextmanager
def one_thread_each() -> Iterator[None]:
    """While the block runs, operators use one CPU thread each, in the whole process."""
    with _usual_threads:
        torch.set_num_threads(1)  # torch stores the number for this thread, and for threads that start later
        yield


def use_threads(count: int) -> None:
    """Set how many CPU threads one operator may use, in the whole process."""
    torch.set_num_threads(count)
