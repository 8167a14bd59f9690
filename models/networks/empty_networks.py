"""Networks that are built for weights from a file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.overrides import TorchFunctionMode


@contextmanager
def without_weights() -> Iterator[None]:
    """Build networks in this block without memory for their weights, and without initial values.

    Drawing values takes longer than reading a file. And to draw values without memory torch would load its
    compiler, which takes two seconds and 70 MB.
    """
    with torch.device("meta"), _NoFirstValues():
        yield


class _NoFirstValues(TorchFunctionMode):
    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if getattr(func, "__module__", "") == "torch.nn.init":
            return args[0] if args else kwargs["tensor"]
        return func(*args, **(kwargs or {}))
