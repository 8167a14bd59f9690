"""The units of a recurrent checkpoint while it reads and writes texts: the one on show, and others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from demo.inspect.inspected import Inspected

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from models.inspection.units import UnitsOverTime

SOURCE, OUTPUT = "source", "output"
MOST_TEXTS = 12  # beside the one on show: a reader waits for them


@dataclass(frozen=True)
class UnitsView:
    """What of the units is looked at."""

    inspected: Inspected
    units: UnitsOverTime  # of the text and the output on show
    quantity: str  # a state or a gate
    layer: int  # from 0
    side: str  # what is sorted and searched

    @property
    def is_gate(self) -> bool:
        """Whether the quantity lies between shut and open."""
        from models.networks.cells import CELLS

        return any(self.quantity in cell.gate_names for cell in CELLS.values())

    @property
    def own(self) -> UnitText:
        """The text on show."""
        inspected = self.inspected
        return UnitText(inspected.text, inspected.inquiry.question.source, inspected.output, self.units)

    def values(self, text: UnitText, side: str) -> NDArray[np.float64]:
        """The quantity of all units of the layer: a row for each step."""
        layers = text.units.source if side == SOURCE else text.units.output
        return layers[self.layer].values[self.quantity]

    def tokens(self, text: UnitText) -> list[str]:
        """As the tokenizer spells them: those read, or those written, one for each step."""
        tokenizer = self.inspected.checkpoint.tokenizer
        if self.side == SOURCE:
            return [tokenizer.source_token(token_id) for token_id in text.source]
        return [tokenizer.token(token_id) for token_id in text.output]

    @cached_property
    def examples(self) -> list[UnitText]:
        """The checkpoint's own, without the one on show, and what it writes of them by greedy search."""
        own = self.inspected.text.strip()
        return self.texts([text for text in self.inspected.checkpoint.config.examples if text.strip() != own])

    def texts(self, lines: Sequence[str]) -> list[UnitText]:
        """Read and written by the checkpoint. Raises DecodingError for a text that it cannot read."""
        from models.decoding.decode import check_source
        from models.decoding.options import DecodingOptions
        from models.decoding.outputs import translate
        from models.decoding.strategies.greedy import Greedy
        from models.inspection.units import units_over_time

        lines = [line for line in lines if line.strip()][:MOST_TEXTS]
        if not lines:
            return []
        checkpoint = self.inspected.checkpoint
        tokenizer = checkpoint.tokenizer
        sources = [check_source(checkpoint.model, tokenizer, line).ids for line in lines]
        options = DecodingOptions(strategy=Greedy.name, max_length=checkpoint.config.max_length)
        written = translate(checkpoint.model, tokenizer, lines, options)
        outputs = [tuple(tokenizer.target.encode(text).ids) for text in written]
        result = units_over_time(
            checkpoint.model, sources, outputs, bos_id=tokenizer.bos_id, pad_id=tokenizer.pad_id
        )
        return [UnitText(*item) for item in zip(lines, sources, outputs, result, strict=True)]


@dataclass(frozen=True)
class UnitText:
    """A text that was read, and what was written of it."""

    text: str
    source: Sequence[int]  # ids
    output: Sequence[int]
    units: UnitsOverTime
