"""A stand-in for `models.device.Capture` on a CPU: it records the operators of a step and repeats only them.

As on a GPU, a captured step does nothing yet, a replay runs no Python, numbers that the host knew at the
capture stay as they were, and whatever the host would have to wait for is refused. There are neither streams
nor memory pools.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only

T = TypeVar("T")
_aten = torch.ops.aten
# What makes the host wait for the device, or copies from its memory.
REFUSED = {
    _aten._local_scalar_dense,
    _aten.nonzero,
    _aten.masked_select,
    _aten.equal,
    _aten.is_nonzero,
    _aten.lift_fresh,
    _aten._pack_padded_sequence,
}
INDEXED = {_aten.index, _aten.index_put, _aten.index_put_}  # by a mask they need to know how many it has
RESHAPED = {_aten.transpose_, _aten.t_, _aten.squeeze_, _aten.unsqueeze_}  # they move no numbers


class RecordedCapture:
    """Captures on a CPU."""

    def __init__(self, device: torch.device, shapes_repeat: bool = False) -> None:
        self.shapes_repeat = shapes_repeat
        self.warm_ups = self.captures = self.replays = 0

    def warm_up(self, work: Callable[[], T]) -> T:
        """Do the work."""
        self.warm_ups += 1
        return work()

    def capture(self, work: Callable[[], T]) -> tuple[Callable[[], None], T]:
        """Record the work and undo it."""
        self.captures += 1
        recording, random = _Recording(), torch.get_rng_state()
        try:
            with recording:
                result = work()
        finally:
            recording.undo()
            torch.set_rng_state(random)

        def replay() -> None:
            self.replays += 1
            recording.replay()

        return replay, result


class _Recording(TorchDispatchMode):
    """The operators that run inside, with their arguments and results."""

    def __init__(self) -> None:
        super().__init__()
        self._calls: list[tuple[Any, tuple[Any, ...], dict[str, Any], Any]] = []
        self._own: set[int] = set()  # storages that the work made
        self._before: list[tuple[Tensor, Tensor]] = []  # tensors of others and what they held, oldest first

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        packet = func.overloadpacket
        masks = packet in INDEXED and any(
            part.dtype == torch.bool for part in tree_leaves(args[1]) if part is not None
        )
        if packet in REFUSED or masks:
            raise RuntimeError(f"operation not permitted when stream is capturing: {func}")
        for tensor in _changed_arguments(func, args, kwargs):
            if tensor.untyped_storage().data_ptr() not in self._own:
                self._before.append((tensor, tensor.detach().clone()))
        before = _as_they_are((args, kwargs))  # an operator in place may change their shapes later
        result = func(*args, **kwargs)
        if not _is_view(func) and packet not in RESHAPED:
            self._calls.append((func, *before, _as_they_are(result)))
            if not func._schema.is_mutable:
                self._own |= {part.untyped_storage().data_ptr() for part in _tensors(result)}
        return result

    def undo(self) -> None:
        """Give back their values to all tensors that were there before."""
        with torch.no_grad():
            for tensor, values in reversed(self._before):
                tensor.copy_(values)

    def replay(self) -> None:
        """Run the operators again; each writes where it wrote."""
        # Gradients are among the operators already; yet kernels of oneDNN ask whether there will be some.
        with torch._C._AutoDispatchBelowAutograd(), torch.enable_grad():
            for func, args, kwargs, result in self._calls:
                again = func(*args, **kwargs)
                if not func._schema.is_mutable:
                    for old, new in zip(_tensors(result), _tensors(again), strict=True):
                        old.copy_(new)


def _as_they_are(value: Any) -> Any:
    """The same tensors with their shapes of now; they share their numbers."""
    return tree_map_only(Tensor, _aten.alias.default, value)


def _tensors(value: Any) -> list[Tensor]:
    return [leaf for leaf in tree_leaves(value) if isinstance(leaf, Tensor)]


def _is_view(func: Any) -> bool:
    returns = func._schema.returns
    return any(value.alias_info is not None and not value.alias_info.is_write for value in returns)


def _changed_arguments(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Tensor]:
    """The arguments that an operator changes."""
    changed = []
    for position, argument in enumerate(func._schema.arguments):
        if argument.alias_info is not None and argument.alias_info.is_write:
            changed += _tensors(args[position] if position < len(args) else kwargs.get(argument.name))
    return changed
