"""The parts that networks can have, by their names in recipes. Imports no torch."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Activation:
    """A function between the two layers of a feed-forward network."""

    title: str  # its title for people
    function: str  # its name in `torch.nn.functional`


# Alignment scores of a recurrent decoder's attention, with their names for people.
SCORE_TITLES = {"additive": "additive", "dot": "dot", "scaled_dot": "scaled dot", "general": "general"}
ACTIVATIONS = {
    "relu": Activation("ReLU", "relu"),
    "gelu": Activation("GELU", "gelu"),
    "swish": Activation("Swish", "silu"),
}
