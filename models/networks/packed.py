"""Linear layers for decoding on a CPU, with their weights packed in half precision.

One decoded row reads every weight once, so memory traffic is the cost; and the general matrix product
is at its worst with a handful of rows. Packed weights are multiplied and summed in single precision:
for a checkpoint, which holds half-precision weights anyway, nothing is rounded.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn


class PackedLinear(nn.Module):
    """A linear layer that can neither be trained nor saved. (..., D) -> (..., N)."""

    def __init__(self, layer: nn.Linear) -> None:
        """Raises RuntimeError where the processor or the build of torch has no such kernel."""
        super().__init__()
        self.in_features, self.out_features = layer.in_features, layer.out_features
        weight = layer.weight.detach().float().contiguous()
        bias = None if layer.bias is None else layer.bias.detach().float()
        self._packed: Any = torch.ops.quantized.linear_prepack_fp16(weight, bias)

    def forward(self, x: Tensor) -> Tensor:
        """As `nn.Linear.forward`, for float32."""
        # The overload itself: looking it up by the arguments costs as much as a small product.
        result: Tensor = torch.ops.quantized.linear_dynamic_fp16.default(x, self._packed)
        return result


def can_pack() -> bool:
    """True where this processor and this build of torch have the kernel."""
    return "fbgemm" in torch.backends.quantized.supported_engines


def pack_linears(model: nn.Module) -> None:
    """Replace every linear layer of a CPU model, for decoding alone; does nothing where it cannot."""
    if not can_pack() or next(model.parameters()).device.type != "cpu":
        return
    for module in list(model.modules()):
        for name, child in list(module.named_children()):
            if type(child) is nn.Linear:
                setattr(module, name, PackedLinear(child))


def memory_bytes(model: nn.Module) -> int:
    """Bytes that the weights take, packed or not."""
    packed = (module for module in model.modules() if isinstance(module, PackedLinear))
    plain = sum(parameter.nbytes for parameter in model.parameters())
    return plain + sum(2 * layer.in_features * layer.out_features for layer in packed)
