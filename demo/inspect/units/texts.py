"""The units of a recurrent checkpoint on the current text and on others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from demo.inspect.view import Inspected

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from models.inspection.units import LayerSteps, UnitsOverTime

SOURCE, OUTPUT = "source", "output"
MAX_TEXTS = 12  # besides the current one


@dataclass(frozen=True)
class UnitsView:
    """The units of a network, and the reader's selection of quantity, layer and side."""

    inspected: Inspected
    units: UnitsOverTime  # the units over the text and the current output
    quantity: str  # a state or a gate
    layer: int  # counted from 0
    side: str  # SOURCE or OUTPUT: the side that is sorted

    @property
    def is_gate(self) -> bool:
        """Whether the quantity is a gate."""
        from models.networks.cells import CELLS

        return any(self.quantity in cell.gate_names for cell in CELLS.values())

    @property
    def current_text(self) -> UnitText:
        """The current text."""
        inspected = self.inspected
        return UnitText(inspected.text, inspected.prediction.question.source, inspected.output, self.units)

    def steps(self, text: UnitText) -> LayerSteps:
        """The layer on the side that is sorted."""
        return (text.units.source if self.side == SOURCE else text.units.output)[self.layer]

    def values(self, text: UnitText) -> NDArray[np.float64]:
        """The quantity for all units of the layer: (T, D)."""
        return self.steps(text).values[self.quantity]

    def tokens(self, text: UnitText) -> list[str]:
        """The tokens of the side, one for each step."""
        tokenizer = self.inspected.checkpoint.tokenizer
        if self.side == SOURCE:
            return [tokenizer.source_token(token_id) for token_id in text.source]
        return [tokenizer.token(token_id) for token_id in text.output]

    @cached_property
    def examples(self) -> list[UnitText]:
        """The checkpoint's examples, without the current text, with their greedy outputs and units."""
        from models.decoding.limits import check_source
        from models.decoding.options import DecodingOptions
        from models.decoding.outputs import translate
        from models.decoding.strategies.greedy import Greedy
        from models.inspection.units import units_over_time

        checkpoint, current_text = self.inspected.checkpoint, self.inspected.text.strip()
        lines = [text for text in checkpoint.config.examples if text.strip() not in ("", current_text)]
        lines = lines[:MAX_TEXTS]
        if not lines:
            return []
        tokenizer = checkpoint.tokenizer
        sources = [check_source(checkpoint.model, tokenizer, line).ids for line in lines]
        options = DecodingOptions(strategy=Greedy.name, max_length=checkpoint.config.max_length)
        texts = translate(checkpoint.model, tokenizer, lines, options)
        outputs = [tuple(tokenizer.target.encode(text).ids) for text in texts]
        result = units_over_time(
            checkpoint.model, sources, outputs, bos_id=tokenizer.bos_id, pad_id=tokenizer.pad_id
        )
        return [UnitText(*item) for item in zip(lines, sources, outputs, result, strict=True)]


@dataclass(frozen=True)
class UnitText:
    """A text with its output and its units."""

    text: str
    source: Sequence[int]  # ids
    output: Sequence[int]
    units: UnitsOverTime
