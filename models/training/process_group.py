"""The processes that train one model together: several under `torchrun`, otherwise this one alone."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

import torch
from torch import Tensor, distributed, nn
from torch.nn.parallel import DistributedDataParallel

from models.device import collective_backend, of_process

MAX_WAIT = timedelta(minutes=30)  # the first process decodes and saves while the others wait


T = TypeVar("T")


@dataclass(frozen=True)
class Group:
    """The position of this process among those that train together."""

    rank: int = 0
    size: int = 1

    @property
    def is_first(self) -> bool:
        """Whether this is the first process, which alone emits events and writes files."""
        return self.rank == 0

    def share(self, indices: list[int]) -> list[int]:
        """The part of a batch for this process; parts differ by one pair at most."""
        return indices[self.rank :: self.size]

    def synchronize(self, module: nn.Module) -> nn.Module:
        """Wrap a module so that its backward pass averages the gradients of all processes."""
        return module if self.size == 1 else DistributedDataParallel(module)

    def total(self, value: Tensor) -> Tensor:
        """Sum a tensor over all processes, in place. Every process returns the sum."""
        if self.size > 1:
            distributed.all_reduce(value)
        return value

    def any(self, flag: bool, device: torch.device) -> bool:
        """Return on every process whether the flag is true on at least one."""
        return flag if self.size == 1 else bool(self.total(torch.tensor(float(flag), device=device)) > 0)

    def gather(self, values: Mapping[int, T]) -> dict[int, T]:
        """The values of all processes by their indices, on each process."""
        if self.size == 1:
            return dict(values)
        result: list[Any] = [None] * self.size
        distributed.all_gather_object(result, dict(values))
        return {index: value for part in result for index, value in part.items()}

    def wait(self) -> None:
        """Wait until all processes have called this."""
        if self.size > 1:
            distributed.barrier()


@contextmanager
def process_group(device: torch.device) -> Iterator[tuple[Group, torch.device]]:
    """The group that `torchrun` describes in the environment, and this process's device.

    The group's threads end with the context: one that freed a tensor while the interpreter exits would abort
    the process. A process that fails closes its connections, so that the others fail instead of waiting.
    """
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if size == 1:
        yield Group(), device
        return
    # This module keeps the process group that exists at its import in default arguments. Import it before
    # there is a group, or that group would never be freed.
    from torch.distributed.nn import functional  # noqa: F401

    device_here = of_process(device, int(os.environ["LOCAL_RANK"]))
    distributed.init_process_group(collective_backend(device_here), timeout=MAX_WAIT)
    try:
        yield Group(distributed.get_rank(), distributed.get_world_size()), device_here
    finally:
        distributed.destroy_process_group()
