"""States and gates of every unit of a recurrent network over time, and measures that rank units.

LSTMVis (Strobelt et al. 2018) shows states this way, and Karpathy et al. 2016 ("Visualizing and understanding
recurrent networks") gates and their saturation. Shi et al. 2016, "Why neural translations are the right
length", find units that count the remaining tokens.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from models.tokenization.plain_text import EOS

Values: TypeAlias = "NDArray[np.float64]"  # (T, D): a row for each step, a column for each unit
SHUT, OPEN = 0.1, 0.9  # a gate below or above is saturated
WORD_MARKS = ("▁", "Ġ", " ")  # tokenizers mark the beginning of a word by these
Numbers = NDArray[np.float64]


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


def saturation(gate: Values) -> tuple[Numbers, Numbers]:
    """The shares of the steps, 0 to 1, at which each unit is shut and open, given values (T, D) of a gate."""
    return (gate < SHUT).mean(axis=0), (gate > OPEN).mean(axis=0)


@dataclass(frozen=True)
class ValueRun:
    """A run of steps over which a unit keeps its value, since its gate stays open."""

    unit: int  # 0 for the first unit
    first: int  # the step that the unit reads first, from 0
    last: int
    steps: int
    retained: float  # the share of the earlier value that is left: the product of the gate's values


def value_runs(gate: Values, backward: Sequence[bool]) -> list[ValueRun]:
    """The longest run of each unit, given values (T, D) of a gate that keeps the state; longest first.

    backward: whether each unit reads the steps from the last to the first. Units without a run are left out,
    and so is the step that a unit reads first, since it has no value before.
    """
    runs = []
    for unit, reads_backward in enumerate(backward):
        steps = range(len(gate))[:: -1 if reads_backward else 1]
        values = gate[list(steps), unit]
        run = max(_runs(values), key=len, default=range(0))
        if run:
            retained = float(values[run.start : run.stop].prod())
            runs.append(ValueRun(unit, steps[run[0]], steps[run[-1]], len(run), retained))
    return sorted(runs, key=lambda carry: (-carry.steps, -carry.retained))


def _runs(values: Numbers) -> Iterator[range]:
    """Runs of steps, the first one excluded, at which a gate is open."""
    start = 1
    for step in range(1, len(values) + 1):
        if step == len(values) or values[step] <= OPEN:
            if step > start:
                yield range(start, step)
            start = step + 1


def spread(values: Values) -> Numbers:
    """The range of each unit's values, largest minus smallest: (T, D) -> (D,)."""
    ranges: Numbers = np.ptp(values, axis=0)
    return ranges


def correlation(values: Values, goal: Numbers) -> Numbers:
    """Pearson's r of each unit with one number per step: (T, D), (T,) -> (D,). It is 0 for a constant."""
    units, numbers = values - values.mean(axis=0), goal - goal.mean()
    product = np.sqrt((units**2).sum(axis=0) * (numbers**2).sum())
    coefficients: Numbers = np.divide(
        numbers @ units, product, out=np.zeros(values.shape[1]), where=product > 1e-12
    )
    return coefficients


def positions(lengths: Sequence[int]) -> Numbers:
    """The position of every token in its text, from 0, for several texts one after the other."""
    return np.concatenate([np.arange(length, dtype=np.float64) for length in lengths])


def tokens_left(lengths: Sequence[int]) -> Numbers:
    """The number of tokens that follow each token of several texts.

    Within one text it is the position reversed; only texts of different lengths separate the two.
    """
    return np.concatenate([np.arange(length - 1, -1, -1, dtype=np.float64) for length in lengths])


def class_membership(tokens: Sequence[str], token_class: Callable[[str], bool]) -> Numbers:
    """1 for each token of a class, 0 for others: (T,)."""
    return np.array([float(token_class(token)) for token in tokens])


def begins_word(token: str) -> bool:
    """Whether a token carries the mark of a word's beginning."""
    return token.startswith(WORD_MARKS)


def is_word(token: str) -> bool:
    """Whether a token begins a word and has at least two letters."""
    return begins_word(token) and sum(map(str.isalpha, token)) > 1


def is_punctuation(token: str) -> bool:
    """Whether a token consists of punctuation alone."""
    signs = token.lstrip("".join(WORD_MARKS))
    return bool(signs) and all(unicodedata.category(sign).startswith("P") for sign in signs)


def is_vowel(token: str) -> bool:
    """Whether a token is one Latin vowel, whatever its accents."""
    letter = unicodedata.normalize("NFD", token)[:1].lower()
    return len(unicodedata.normalize("NFC", token)) == 1 and letter in set("aeiou")


TOKEN_CLASSES: Mapping[str, Callable[[str], bool]] = {
    "word": begins_word,
    "punctuation": is_punctuation,
    "vowel": is_vowel,
    "end": EOS.__eq__,
}


def chance_correlation(values: Values, goal: Numbers, seed: int = 0) -> float:
    """The largest |r| of all units with a permutation of the same numbers: the median of 20 permutations.

    With hundreds of units and a few dozen steps some unit always correlates by chance.
    """
    random = np.random.default_rng(seed)
    best = [np.abs(correlation(values, random.permutation(goal))).max(initial=0.0) for _ in range(20)]
    return float(np.median(best))
