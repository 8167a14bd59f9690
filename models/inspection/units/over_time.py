"""States and gates of every unit of a recurrent network over time.

LSTMVis (Strobelt et al. 2018) shows states this way, and Karpathy et al. 2016 ("Visualizing and understanding
recurrent networks") gates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray

from models.batch import Batch
from models.inspection.recurrence import (
    DirectionRecord,
    LayerRecords,
    recurrent_network,
    run_decoder,
    run_encoder,
)
from models.networks.base import Seq2SeqModel
from models.networks.cells.cell import Cell
from models.networks.recurrent.model import RecurrentModel

Values: TypeAlias = "NDArray[np.float64]"  # (T, D): a row for each step, a column for each unit


@dataclass(frozen=True)
class LayerSteps:
    """One layer at each step of one text."""

    values: Mapping[str, Values]  # values by the names of the cell's states and gates, states first
    forward: int  # number of units that read forwards; the units after them read backwards

    def reads_backward(self, unit: int) -> bool:
        """Whether a unit reads the text from the end."""
        return unit >= self.forward


@dataclass(frozen=True)
class UnitsOverTime:
    """All units while one source was read and one output written."""

    source: tuple[LayerSteps, ...]  # S steps of each layer; empty without recurrent encoder
    output: tuple[LayerSteps, ...]  # T steps of each layer: step t predicts token t


def units_over_time(
    model: Seq2SeqModel,
    sources: Sequence[Sequence[int]],
    outputs: Sequence[Sequence[int]],
    *,
    bos_id: int,
    pad_id: int,
) -> list[UnitsOverTime]:
    """The units for each pair of a source, S ids, and an output, T ids without the start token.

    Raises InspectionError for a network that is not recurrent.
    """
    network = recurrent_network(model)
    device = next(network.parameters()).device
    batch = Batch.from_ids(sources, outputs, bos_id=bos_id, pad_id=pad_id).to(device)
    encoder: LayerRecords = []
    with torch.no_grad():
        if isinstance(network, RecurrentModel):
            encoder, _ = run_encoder(network, network.embed_source(batch.src), batch.src_mask)
        # The network's own encoding, which fused layers round differently.
        encoded = network.encode(batch.src, batch.src_mask)
        decoder_records, _ = run_decoder(network, network.embed_target(batch.tgt_in), encoded)
    by_layer = [[_numbers(network.cell, layer) for layer in side] for side in (encoder, decoder_records)]
    return [
        UnitsOverTime(
            *(
                tuple(_of_row(values, row, length, records[index][0]) for index, values in enumerate(layers))
                for layers, records, length in zip(by_layer, (encoder, decoder_records), lengths, strict=True)
            )
        )
        for row, lengths in enumerate(zip(map(len, sources), map(len, outputs), strict=True))
    ]


def _numbers(cell: Cell, directions: Sequence[DirectionRecord]) -> dict[str, Values]:
    """(B, T, D of all directions) by the names of states and gates."""
    by_direction = [
        {**{name: record.part(index) for index, name in enumerate(cell.state_names)}, **record.gates(cell)}
        for record in directions
    ]
    return {
        name: torch.cat([values[name] for values in by_direction], dim=2).double().cpu().numpy()
        for name in by_direction[0]
    }


def _of_row(values: Mapping[str, Values], row: int, steps: int, first: DirectionRecord) -> LayerSteps:
    """One text of a batch, without its padding."""
    steps_of_text = {name: array[row, :steps] for name, array in values.items()}
    return LayerSteps(steps_of_text, forward=first.part().shape[2])
