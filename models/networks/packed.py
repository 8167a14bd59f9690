"""Linear layers for decoding on a CPU, with their weights packed in half precision or in 8 bits.

A step with few rows reads every weight once, so memory traffic decides its speed, and the general matrix
product is slow for few rows. Weights in half precision are multiplied and summed in single precision.
Checkpoints have half-precision weights anyway, so nothing is rounded.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from models.networks.recurrent.layers import UnrolledCells
from models.networks.recurrent.model import RecurrentDecoder

MAX_ONE_THREAD_PRODUCTS = 1 << 21  # up to this many multiplications one thread is faster than two


class PackedLinear(nn.Module):
    """A linear layer with N outputs that can neither be trained nor saved: (..., D) -> (..., N)."""

    bytes_per_weight: int

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__()
        self.out_features, self.in_features = weight.shape
        self.bias = torch.zeros(len(weight)) if bias is None else bias.detach().float()

    @cached_property
    @abstractmethod
    def weight(self) -> Tensor:
        """The packed weight, unpacked on first use: (N, D) float32."""

    def __call__(self, x: Tensor) -> Tensor:
        """Call `forward` directly, without the hooks of `nn.Module`."""
        return self.forward(x)

    @abstractmethod
    def forward(self, x: Tensor) -> Tensor:
        """Compute `nn.Linear.forward` for float32."""


class HalfLinear(PackedLinear):
    """Weights in half precision, everything else in single precision."""

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        """Pack for the current number of threads: several threads need a second copy of the weights."""
        super().__init__(weight, bias)
        weight = weight.detach().float().contiguous()
        self._weight = torch.fbgemm_pack_gemm_matrix_fp16(weight)
        several = torch.get_num_threads() > 1
        self._shared: Any = torch.ops.quantized.linear_prepack_fp16(weight, self.bias) if several else None
        self.bytes_per_weight = 2 if self._shared is None else 4

    @cached_property
    def weight(self) -> Tensor:
        zeros = torch.zeros_like(self.bias)
        columns = torch.fbgemm_linear_fp16_weight_fp32_activation(
            torch.eye(self.in_features), self._weight, zeros
        )
        with torch.inference_mode(False):  # the unpacked weight may be needed for gradients
            unpacked: Tensor = torch.empty(columns.shape[::-1]).copy_(columns.t())
        return unpacked

    def forward(self, x: Tensor) -> Tensor:
        """Compute `nn.Linear.forward` for float32."""
        if x.requires_grad:  # the kernels below have no gradients
            return F.linear(x, self.weight, self.bias)
        is_large = self._shared is not None and x.numel() * self.out_features > MAX_ONE_THREAD_PRODUCTS
        if is_large and torch.get_num_threads() > 1:
            # Calls the overload itself: choosing it by the arguments takes as long as a small product.
            shared: Tensor = torch.ops.quantized.linear_dynamic_fp16.default(x, self._shared)
            return shared
        result: Tensor = torch.fbgemm_linear_fp16_weight_fp32_activation(x, self._weight, self.bias)
        return result


class ByteLinear(PackedLinear):
    """Weights in 8 bits with a scale for each output; inputs are rounded too, with a scale of their own."""

    bytes_per_weight = 1

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__(weight, bias)
        weight = weight.detach().float()
        scales = weight.abs().amax(dim=1).clamp_min(1e-12).double() / 127
        zeros = torch.zeros(len(weight), dtype=torch.int64)
        rounded = torch.quantize_per_channel(weight, scales, zeros, 0, torch.qint8)
        self._packed: Any = torch.ops.quantized.linear_prepack(rounded, self.bias)

    @cached_property
    def weight(self) -> Tensor:
        rounded, _ = torch.ops.quantized.linear_unpack(self._packed)
        unpacked: Tensor = rounded.dequantize()
        return unpacked

    def forward(self, x: Tensor) -> Tensor:
        """Compute `nn.Linear.forward` for float32, rounded."""
        # Inputs have seven bits: eight would overflow on processors that sum products in 16 bits.
        result: Tensor = torch.ops.quantized.linear_dynamic.default(x, self._packed, True)
        return result


PRECISIONS: dict[str, Callable[[Tensor, Tensor | None], PackedLinear]] = {
    "fp16": HalfLinear,
    "int8": ByteLinear,
}


def can_pack() -> bool:
    """Whether this processor and this build of torch have the kernels."""
    return "fbgemm" in torch.backends.quantized.supported_engines and hasattr(
        torch, "fbgemm_linear_fp16_weight_fp32_activation"
    )


def pack_linears(model: nn.Module, precision: str = "fp16") -> None:
    """Pack the linear layers and decoder cells of a CPU model for decoding, if the machine has the kernels.

    `int8` takes half the memory of `fp16`, less time for many rows and more for one, and changes the results.
    Raises ValueError for any other precision.
    """
    if precision not in PRECISIONS:
        raise ValueError(f"precision must be one of {', '.join(PRECISIONS)}; got {precision!r}")
    if not can_pack() or next(model.parameters()).device.type != "cpu":
        return
    with warnings.catch_warnings():
        # Each kernel warns once in a process that it is deprecated; `can_pack` checks that it still exists.
        warnings.simplefilter("ignore")
        _replace(model, PRECISIONS[precision])
    for module in model.modules():
        # `nn.Module` would otherwise search its tables at each access of an attribute.
        module.__dict__.update(module._modules | module._parameters | module._buffers)
    model.requires_grad_(False)  # a packed network only decodes


def _replace(model: nn.Module, packed: Callable[[Tensor, Tensor | None], PackedLinear]) -> None:
    for module in list(model.modules()):
        if isinstance(module, RecurrentDecoder) and not isinstance(module.decoder, UnrolledCells):
            weights = cast("list[list[Tensor]]", module.decoder.all_weights)
            module.decoder = UnrolledCells(module.cell, weights, packed)
        for name, child in list(module.named_children()):
            if type(child) is nn.Linear:
                setattr(module, name, packed(child.weight, child.bias))
    for module in model.modules():
        if isinstance(module, PackedLinear):
            module(torch.zeros(1, module.in_features))


def is_packed(model: nn.Module) -> bool:
    """Whether `pack_linears` has packed a layer."""
    return any(isinstance(module, PackedLinear) for module in model.modules())


def has_gradients(model: nn.Module) -> bool:
    """Whether results change with small changes of the input; rounding to 8 bits prevents that."""
    return not any(isinstance(module, ByteLinear) for module in model.modules())


def memory_bytes(model: nn.Module) -> int:
    """Return the bytes of the weights, packed or not."""
    packed = [module for module in model.modules() if isinstance(module, PackedLinear)]
    other_bytes = sum(parameter.nbytes for parameter in model.parameters())
    unpacked = sum(layer.weight.nbytes for layer in packed if "weight" in vars(layer))
    sizes = (layer.bytes_per_weight * layer.in_features * layer.out_features for layer in packed)
    return other_bytes + unpacked + sum(sizes)
