"""What networks can be made of, by the names of recipes. Knows no torch."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Activation:
    """A function between the two layers of a feed-forward network."""

    title: str  # what people call it
    function: str  # what `torch.nn.functional` calls it


# Alignment scores of a recurrent decoder's attention, each with what people call it.
SCORES = {"additive": "additive", "dot": "dot", "scaled_dot": "scaled dot", "general": "general"}
ACTIVATIONS = {
    "relu": Activation("ReLU", "relu"),
    "gelu": Activation("GELU", "gelu"),
    "swish": Activation("Swish", "silu"),
}
