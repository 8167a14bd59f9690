"""What every unit of a recurrent network carries, and how far its gates are open, over time.

LSTMVis (Strobelt et al. 2018) shows states so, Karpathy et al. 2016 ("Visualizing and understanding recurrent
networks") gates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from models.batch import Batch
from models.inspection.recurrence import Trail, Trails, recurrent, run_decoder, run_encoder
from models.networks.base import Seq2SeqModel
from models.networks.cells.cell import Cell
from models.networks.recurrent.model import RecurrentModel

Values: TypeAlias = "NDArray[np.float64]"  # (T, D): a row for each step, a column for each unit


@dataclass(frozen=True)
class LayerSteps:
    """One layer at each step of one text."""

    values: Mapping[str, Values]  # by the names of the cell's states and gates, states first
    forward: int  # units that read from the beginning; those behind them read from the end

    def reads_backward(self, unit: int) -> bool:
        """Whether a unit has read what follows a token, rather than what comes before it."""
        return unit >= self.forward


@dataclass(frozen=True)
class UnitsOverTime:
    """All units while one source was read and one output written."""

    source: tuple[LayerSteps, ...]  # for each layer, S steps; none if no recurrent layer has read the source
    output: tuple[LayerSteps, ...]  # for each layer, T steps: step t writes token t


def units_over_time(
    model: Seq2SeqModel,
    sources: Sequence[Sequence[int]],
    outputs: Sequence[Sequence[int]],
    *,
    bos_id: int,
    pad_id: int,
) -> list[UnitsOverTime]:
    """Of each pair of a source, S ids, and an output, T ids without the start token.

    Raises InspectionError for a network that is not recurrent.
    """
    decoder = recurrent(model)
    device = next(decoder.parameters()).device
    batch = Batch.from_ids(sources, outputs, bos_id=bos_id, pad_id=pad_id).to(device)
    read: Trails = []
    with torch.no_grad():
        if isinstance(decoder, RecurrentModel):
            read, _ = run_encoder(decoder, decoder.embed_source(batch.src), batch.src_mask)
        # To the last bit what the decoder begins with, which fused layers round otherwise.
        encoded = decoder.encode(batch.src, batch.src_mask)
        written, _ = run_decoder(decoder, decoder.embed_target(batch.tgt_in), encoded)
    by_layer = [[_numbers(decoder.cell, layer) for layer in trails] for trails in (read, written)]
    return [
        UnitsOverTime(
            *(
                tuple(_of_row(values, row, length, trails[index][0]) for index, values in enumerate(layers))
                for layers, trails, length in zip(by_layer, (read, written), lengths, strict=True)
            )
        )
        for row, lengths in enumerate(zip(map(len, sources), map(len, outputs), strict=True))
    ]


def _numbers(cell: Cell, directions: Sequence[Trail]) -> dict[str, Values]:
    """(B, T, D of all directions) by the names of states and gates."""
    of_each = [
        {**{name: trail.part(index) for index, name in enumerate(cell.state_names)}, **trail.gates(cell)}
        for trail in directions
    ]
    return {name: _array(torch.cat([values[name] for values in of_each], dim=2)) for name in of_each[0]}


def _array(values: Tensor) -> Values:
    return values.double().cpu().numpy()


def _of_row(values: Mapping[str, Values], row: int, steps: int, first: Trail) -> LayerSteps:
    """One text of a batch, without its padding."""
    own = {name: value[row, :steps] for name, value in values.items()}
    return LayerSteps(own, forward=first.part().shape[2])
