"""The description of a recurrent cell: one step of one layer, its gates and its states. Imports no torch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:  # a form lists the cells before torch is loaded, so steps call only methods of tensors
    from torch import Tensor

Hidden: TypeAlias = "tuple[Tensor, ...]"  # each (R, D); the first is the cell's output
# Takes the projections of input and state, (R, gates * D) each, and the state; returns the next state.
Step: TypeAlias = "Callable[[Tensor, Tensor, Hidden], Hidden]"
# Takes the arguments of a step, and returns the values of the gates, 0 to 1, (R, D) each.
GateValues: TypeAlias = "Callable[[Tensor, Tensor, Hidden], tuple[Tensor, ...]]"


@dataclass(frozen=True)
class Cell:
    """One kind of recurrent unit."""

    name: str  # its name in recipes and in `config.json`
    title: str  # its title for people
    year: int  # the year of its paper
    gates: int  # blocks of D rows in its two weight matrices
    step: Step
    states: int = 1  # tensors that it carries from step to step
    fused: str = ""  # the class of `torch.nn` that runs it over a sequence; "" = its step is repeated
    gate_names: tuple[str, ...] = ()  # names for people; a cell without gate names shows only its states
    gate_values: GateValues | None = None  # the values in the order of the names
    keeps: tuple[str, str] | None = None  # a gate, and the state that it preserves while it is open

    @property
    def state_names(self) -> tuple[str, ...]:
        """The states that it carries from step to step, named as in papers: h is its output."""
        usual = ("h", "c")
        return (*usual, *(f"s{number}" for number in range(len(usual) + 1, self.states + 1)))[: self.states]

    def num_parameters(self, d_input: int, d_model: int) -> int:
        """Weights and biases of one layer that reads in one direction."""
        return self.gates * d_model * (d_input + d_model + 2)
