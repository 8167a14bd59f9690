"""Wrappers that change a part of a network's forward pass and leave the network untouched.

One clamps units of the decoder to a value: a unit's function is tested by the output of the network without
it (Bau et al. 2019, "Identifying and controlling important neurons in neural machine translation").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import torch
from torch import Tensor

from models.batch import Batch
from models.inspection.question import InspectionError
from models.inspection.recurrence import cells_of, recurrent_network
from models.networks.base import DecoderState, EncoderOutput, Seq2SeqModel, StepOutput
from models.networks.recurrent.model import RecurrentDecoder, RecurrentState

Network = TypeVar("Network", bound=Seq2SeqModel)


class WrappedModel(Seq2SeqModel, Generic[Network]):
    """A network that delegates to another one; subclasses override what they change."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network
        self.vocab_size, self.max_positions = network.vocab_size, network.max_positions
        self.attention_shape, self.never_ids = network.attention_shape, network.never_ids

    def encode(self, src: Tensor, src_mask: Tensor) -> EncoderOutput:
        return self.network.encode(src, src_mask)

    def initial_state(self, encoded: EncoderOutput) -> DecoderState:
        return self.network.initial_state(encoded)

    def step(self, tokens: Tensor, state: DecoderState, override: Tensor | None = None) -> StepOutput:
        return self.network.step(tokens, state, override)

    def features(self, batch: Batch) -> Tensor:
        """Compute the features step by step, since subclasses override `step`."""
        state = self.initial_state(self.encode(batch.src, batch.src_mask))
        hidden = []
        for tokens in batch.tgt_in.unbind(1):
            output = self.step(tokens, state)
            state = output.state
            hidden.append(output.hidden)
        return torch.stack(hidden, dim=1)

    def pass_bytes(self, source: int, target: int) -> int:
        return self.network.pass_bytes(source, target)

    def project(self, features: Tensor) -> Tensor:
        return self.network.project(features)


@dataclass(frozen=True)
class Clamp:
    """A value for a unit's h, as attention, output layer, next layer and next step read it.

    Other parts of the state, such as an LSTM's c, are not changed.
    """

    layer: int  # 0 for the first layer
    unit: int  # 0 for the first unit
    value: float
    first: int = 0  # the first clamped step of the output, from 0
    last: int | None = None  # the last clamped step; None = the end


def clamp_units(model: Seq2SeqModel, clamps: Sequence[Clamp]) -> Seq2SeqModel:
    """A wrapper of the network in which these units are clamped.

    Raises InspectionError for a network that is not recurrent, and for a unit that it does not have.
    """
    return ClampedModel(recurrent_network(model), clamps)


@dataclass(frozen=True)
class ClampedState(DecoderState):
    """The network's state, and the number of steps before it."""

    inner: RecurrentState
    steps: int

    def reorder(self, rows: Tensor, same_source: bool = False, rows_per_source: int = 1) -> ClampedState:
        return replace(self, inner=self.inner.reorder(rows, same_source, rows_per_source))

    def newest(self) -> tuple[Any, int]:
        return self.inner.newest(), self.steps

    def resume(self, newest: Sequence[tuple[Any, int]], rows: Tensor) -> ClampedState:
        return ClampedState(self.inner.resume([inner for inner, _ in newest], rows), newest[-1][1])


class ClampedModel(WrappedModel[RecurrentDecoder]):
    """A network some of whose decoder units are clamped."""

    def __init__(self, network: RecurrentDecoder, clamps: Sequence[Clamp]) -> None:
        """Raise InspectionError for a unit that the network does not have."""
        super().__init__(network)
        self._layers = [directions[0] for directions in cells_of(network.decoder)]
        self._clamps = tuple(clamps)
        for clamp in clamps:
            _check(clamp, len(self._layers), network.d_model)

    def initial_state(self, encoded: EncoderOutput) -> ClampedState:
        return ClampedState(self.network.initial_state(encoded), 0)

    def step(self, tokens: Tensor, state: DecoderState, override: Tensor | None = None) -> StepOutput:
        assert isinstance(state, ClampedState)
        vectors = self.network.embed_target(tokens.unsqueeze(1))
        x = self.network.cell_inputs(vectors, state.inner)[:, 0]
        hidden = []
        for index, cells in enumerate(self._layers):
            before = tuple(part[:, index] for part in state.inner.hidden)
            h, *other_states = self.network.cell.step(cells.input(x), cells.state(before[0]), before)
            x = self._clamp(h, index, state.steps)
            hidden.append((x, *other_states))
        after = tuple(torch.stack(parts, dim=1) for parts in zip(*hidden, strict=True))
        output = self.network.step_output(x.unsqueeze(1), after, state.inner, override)
        assert isinstance(output.state, RecurrentState)
        return replace(output, state=ClampedState(output.state, state.steps + 1))

    def _clamp(self, h: Tensor, layer: int, step: int) -> Tensor:
        """h (R, D) with the clamps of this step applied."""
        for clamp in self._clamps:
            if clamp.layer == layer and clamp.first <= step and (clamp.last is None or step <= clamp.last):
                unit = torch.tensor([clamp.unit], device=h.device)
                h = h.index_fill(1, unit, clamp.value)
        return h


def _check(clamp: Clamp, layers: int, units: int) -> None:
    if not 0 <= clamp.layer < layers:
        raise InspectionError(
            "no_such_layer_of_decoder",
            "The decoder has layers 1 to {count}; got {layer}.",
            count=layers,
            layer=clamp.layer + 1,
        )
    if not 0 <= clamp.unit < units:
        raise InspectionError(
            "no_such_unit_of_layer",
            "Each layer has units 1 to {count}; got {unit}.",
            count=units,
            unit=clamp.unit + 1,
        )
