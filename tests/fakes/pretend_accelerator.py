"""A device `pretend` for machines without an accelerator: the CPU computes, but tensors have a device.

An operation on tensors of two devices fails as on a GPU, which reveals tensors left on the CPU. Effects of
real kernels are not simulated: precision, pinned memory, streams, autocast, `torch.compile`. Installing the
device changes torch for the whole process and uses one of its experimental functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils import backend_registration

from tests.fakes.fused_cells import FUSED_CELLS

KIND = "pretend"
HERE = "pretend:0"
CPU = torch.device("cpu")
_aten = torch.ops.aten
_setup = getattr(backend_registration, "_setup_privateuseone_for_python_backend", None)

# Operations that copy between devices on a GPU too.
COPIES = {_aten._to_copy, _aten.copy_, _aten._copy_from}
# Operations whose index may be a tensor of the CPU.
INDEXED = {_aten.index, _aten.index_put, _aten.index_put_, _aten._index_put_impl_}
# Operations whose lengths stay on the CPU, whatever the device of the sequences.
PACKED = {_aten._pack_padded_sequence, _aten._pad_packed_sequence, _aten._pack_padded_sequence_backward}
# Properties read from the wrapped tensor, which an operation in place may have transposed.
SHAPES: dict[Any, Callable[..., Any]] = {
    _aten.size: Tensor.size,
    _aten.sym_size: Tensor.size,
    _aten.stride: Tensor.stride,
    _aten.sym_stride: Tensor.stride,
    _aten.storage_offset: Tensor.storage_offset,
    _aten.sym_storage_offset: Tensor.storage_offset,
    _aten.numel: Tensor.numel,
    _aten.sym_numel: Tensor.numel,
    _aten.dim: Tensor.dim,
    _aten.is_contiguous: lambda unwrapped, order=torch.contiguous_format: unwrapped.is_contiguous(
        memory_format=order
    ),
    _aten.is_strides_like_format: lambda unwrapped, order: unwrapped.is_contiguous(memory_format=order),
    _aten.is_non_overlapping_and_dense: lambda unwrapped: True,
}
libraries: list[torch.library.Library] = []  # kernels exist as long as their library


def missing() -> str | None:
    """Return why the device cannot be installed here, or None if it can."""
    if _setup is None:
        return f"torch {torch.__version__} cannot make a device of Python alone; 2.13 can"
    return None


def install() -> None:
    """Install the device in this process. Call it before the code under test is imported."""
    if libraries:
        return
    assert _setup is not None, missing()
    _setup(KIND)
    for_all, for_some = torch.library.Library("_", "IMPL"), torch.library.Library("aten", "IMPL")
    libraries.extend((for_all, for_some))
    for_all.fallback(lambda operator, *args, **kwargs: _run(operator, args, kwargs), "PrivateUse1")
    for_some.impl("empty.memory_format", _empty, "PrivateUse1")
    for_some.impl("empty_strided", _empty_strided, "PrivateUse1")
    torch.tensor, torch.as_tensor = _by_way_of_the_cpu(torch.tensor), _by_way_of_the_cpu(torch.as_tensor)
    # A view of a wrapped tensor cannot be made in inference mode.
    torch.inference_mode = _no_grad  # type: ignore[misc,assignment]
    nn.Module.to = _keeping_ties(nn.Module.to)  # type: ignore[method-assign,assignment]

    from models import device

    device.available_devices = lambda: (KIND, "cpu")


class PretendTensor(Tensor):
    """A tensor of the pretend device that wraps a tensor of the CPU with its numbers."""

    unwrapped: Tensor

    @staticmethod
    def __new__(cls, unwrapped: Tensor, requires_grad: bool = False) -> PretendTensor:
        wrapped: PretendTensor = Tensor._make_wrapper_subclass(  # type: ignore[attr-defined]
            cls,
            unwrapped.size(),
            strides=unwrapped.stride(),
            storage_offset=unwrapped.storage_offset(),
            dtype=unwrapped.dtype,
            device=HERE,
            requires_grad=requires_grad,
            dispatch_sizes_strides_policy="sizes",
        )
        wrapped.unwrapped = unwrapped
        return wrapped

    def __init__(self, unwrapped: Tensor, requires_grad: bool = False) -> None: ...

    def data_ptr(self) -> int:
        return self.unwrapped.data_ptr()

    def untyped_storage(self) -> torch.UntypedStorage:
        return self.unwrapped.untyped_storage()

    def tolist(self) -> Any:
        return self.unwrapped.tolist()

    def numpy(self, *, force: bool = False) -> Any:
        raise TypeError(f"can't convert {HERE} device type tensor to numpy. Use Tensor.cpu() first.")

    def __repr__(self) -> str:  # type: ignore[override]
        return f"PretendTensor({self.unwrapped})"

    @classmethod
    def __torch_dispatch__(
        cls,
        func: torch._ops.OpOverload,
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        shape = SHAPES.get(func.overloadpacket)
        return shape(args[0].unwrapped, *args[1:]) if shape else _run(func, args, kwargs or {})


def _run(operator: torch._ops.OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run an operation on the CPU and move its result to the right device."""
    packet, tensors = operator.overloadpacket, []

    def unwrapped(tensor: Tensor) -> Tensor:
        tensors.append(tensor)
        return tensor.unwrapped if isinstance(tensor, PretendTensor) else tensor

    inputs, options = _changed(args, unwrapped), _changed(kwargs, unwrapped)
    # An operation in place returns one of its arguments.
    originals = {id(tensor.unwrapped): tensor for tensor in tensors if isinstance(tensor, PretendTensor)}
    if originals:
        _refuse_a_mix(packet, args, tensors)
    device = options.get("device")
    stays = bool(originals) if device is None else _is_pretend(device)
    if device is not None and stays:
        options["device"] = CPU
    answer = FUSED_CELLS.get(packet, operator)(*inputs, **options)
    if not stays:
        return answer

    def disguised(tensor: Tensor) -> Tensor:
        return originals[id(tensor)] if id(tensor) in originals else PretendTensor(tensor)

    if packet in PACKED and isinstance(answer, tuple):
        return disguised(answer[0]), answer[1]
    return _changed(answer, disguised)


def _changed(values: Any, change: Callable[[Tensor], Tensor]) -> Any:
    """Return arguments or a result with every tensor in them changed."""
    if isinstance(values, Tensor):
        return change(values)
    if isinstance(values, tuple | list):
        return type(values)([_changed(value, change) for value in values])
    if isinstance(values, dict):
        return {name: _changed(value, change) for name, value in values.items()}
    return values


def _refuse_a_mix(packet: Any, args: tuple[Any, ...], tensors: list[Tensor]) -> None:
    """Raise RuntimeError for tensors of two devices; a scalar of the CPU is allowed everywhere."""
    if packet in COPIES or packet in PACKED:
        return
    if packet in INDEXED and isinstance(args[0], PretendTensor):
        tensors = [args[0], *(leaf for leaf in args[2:] if isinstance(leaf, Tensor))]
    strangers = [tensor for tensor in tensors if not isinstance(tensor, PretendTensor) and tensor.dim() > 0]
    if strangers:
        shapes = ", ".join(str(tuple(tensor.shape)) for tensor in strangers)
        raise RuntimeError(
            "Expected all tensors to be on the same device, but found at least two devices, "
            f"cpu and {HERE}: {packet} got {shapes} on the cpu"
        )


def _is_pretend(device: torch.device | str | None) -> bool:
    return device is not None and torch.device(device).type == KIND


def _empty(size: Sequence[int], *, dtype: torch.dtype | None = None, **_: object) -> Tensor:
    return PretendTensor(torch.empty(size, dtype=dtype))


def _empty_strided(
    size: Sequence[int], stride: Sequence[int], *, dtype: torch.dtype | None = None, **_: object
) -> Tensor:
    return PretendTensor(torch.empty_strided(size, stride, dtype=dtype))


def _by_way_of_the_cpu(make: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Create tensors on the CPU first: `torch.tensor` needs a device that is implemented in C++."""

    def wrapped(data: Any, *, device: torch.device | str | None = None, **kwargs: Any) -> Tensor:
        if _is_pretend(device):
            return make(data, **kwargs).to(device)
        return make(data, device=device, **kwargs)

    return wrapped


def _keeping_ties(move: Callable[..., nn.Module]) -> Callable[..., nn.Module]:
    """Tie parameters again that `Module.to` has separated by making new ones for a device of Python."""

    def moved(module: nn.Module, *args: Any, **kwargs: Any) -> nn.Module:
        tied: dict[int, list[str]] = {}
        for name, parameter in module.named_parameters(remove_duplicate=False):
            tied.setdefault(id(parameter), []).append(name)
        move(module, *args, **kwargs)
        for first, *others in tied.values():
            for name in others:
                owner, _, attribute = name.rpartition(".")
                setattr(module.get_submodule(owner), attribute, module.get_parameter(first))
        return module

    return moved


def _no_grad(mode: bool = True) -> Any:
    return torch.no_grad() if mode else torch.enable_grad()
