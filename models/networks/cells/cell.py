"""What a recurrent cell is: one step of one layer, and all that others ask about it. Knows no torch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:  # a form lists the cells before torch is loaded, so steps call methods of tensors alone
    from torch import Tensor

Hidden: TypeAlias = "tuple[Tensor, ...]"  # each (R, D); the first is what the cell gives out
# The projections of the input and of the state, each (R, gates * D), and the state before -> the state after.
Step: TypeAlias = "Callable[[Tensor, Tensor, Hidden], Hidden]"
# What a step takes -> how far each gate is open, from 0 to 1: each (R, D).
GateValues: TypeAlias = "Callable[[Tensor, Tensor, Hidden], tuple[Tensor, ...]]"


@dataclass(frozen=True)
class Cell:
    """One kind of recurrent unit."""

    name: str  # in recipes and in `config.json`
    title: str  # what people call it
    year: int  # of its paper
    gates: int  # blocks of D rows in its two weight matrices
    step: Step
    states: int = 1  # tensors that it carries from step to step
    fused: str = ""  # the class of `torch.nn` that runs it over a sequence; "" = its step is repeated
    gate_names: tuple[str, ...] = ()  # what people call them; a cell without any shows its states alone
    gate_values: GateValues | None = None  # in the order of their names
    keeps: tuple[str, str] | None = None  # a gate, and the state of which as much stays as it is open

    @property
    def state_names(self) -> tuple[str, ...]:
        """What it carries from step to step, as papers write it: h is what it gives out."""
        usual = ("h", "c")
        return (*usual, *(f"s{index}" for index in range(len(usual) + 1, self.states + 1)))[: self.states]

    def num_parameters(self, d_input: int, d_model: int) -> int:
        """Weights and biases of one layer that reads in one direction."""
        return self.gates * d_model * (d_input + d_model + 2)
