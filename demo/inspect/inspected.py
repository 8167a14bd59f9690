"""What a view of Inspect is asked: a step of an output, and what the reader has chosen in the view.

A control is declared where its value is read. What comes from the browser is checked there: a value that a
control cannot have is its default, since the reader may have chosen it for another checkpoint.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from demo.i18n.display import display_token
from demo.operator.caps import MAX_CHARACTERS

if TYPE_CHECKING:
    from models.inspection.question import Asked
    from models.registry.checkpoint import Checkpoint, CheckpointConfig


@dataclass(frozen=True)
class Select:
    """A choice from a list."""

    name: str
    label: str
    options: Sequence[tuple[str, str]]  # what it is called in links, and what is shown
    value: str


@dataclass(frozen=True)
class Number:
    """A number between two others."""

    name: str
    label: str
    low: float
    high: float
    step: float
    value: float


@dataclass(frozen=True)
class Text:
    """Lines that the reader types."""

    name: str
    label: str
    value: str


@dataclass(frozen=True)
class Others:
    """Checkpoints beside the one that is asked."""

    names: Sequence[str]  # of the same task
    open: Callable[[str], Checkpoint]  # raises CheckpointError, UnknownCheckpointError, RequestError
    config: Callable[[str], CheckpointConfig]  # without the weights; raises the first two


@dataclass
class Inspected:
    """One question of a reader to one view."""

    checkpoint: Checkpoint
    asked: Asked
    output: tuple[int, ...]  # all ids of the output on show; of the asked step there may be another one
    text: str  # that was read
    others: Others
    options: Mapping[str, object] = field(default_factory=dict)  # what was chosen, by the controls' names
    controls: list[Select | Number | Text] = field(default_factory=list)  # in the order of their declaration

    @property
    def step(self) -> int:
        """Of the asked token, from 0."""
        return len(self.asked.question.prefix) - 1

    @property
    def token(self) -> str:
        """The token that is asked about, as it is shown."""
        return self.label(self.asked.question.token)

    def label(self, token_id: int) -> str:
        """A token of the vocabulary as it is shown: plain text."""
        return display_token(self.checkpoint.tokenizer.token(token_id))

    @cached_property
    def source_labels(self) -> tuple[str, ...]:
        """Of each token that was read, or of each cell of a picture."""
        if self.checkpoint.config.reads_pictures:
            side = math.isqrt(len(self.asked.places))
            return tuple(f"{at // side + 1},{at % side + 1}" for at in range(len(self.asked.places)))
        return tuple(map(self.label, self.asked.question.source))

    @property
    def prefix_labels(self) -> tuple[str, ...]:
        """Of the start token and each token that was written before the asked one."""
        return tuple(map(self.label, self.asked.question.prefix))

    @property
    def output_labels(self) -> tuple[str, ...]:
        """Of each token of the output."""
        return tuple(map(self.label, self.output))

    def choose(self, name: str, label: str, options: Sequence[tuple[str, str]], default: str = "") -> str:
        """Which of these the reader has chosen; the first unless there is a default."""
        values = [value for value, _ in options]
        fallback = default if default in values else values[0]
        chosen = self.options.get(name)
        value = chosen if isinstance(chosen, str) and chosen in values else fallback
        self.controls.append(Select(name, label, options, value))
        return value

    def number(self, name: str, label: str, low: float, high: float, step: float, default: float) -> float:
        """Which number the reader has chosen."""
        chosen = self.options.get(name)
        try:
            value = float(chosen) if isinstance(chosen, str | int | float) else default
        except ValueError:
            value = default
        value = min(max(value if math.isfinite(value) else default, low), high)
        self.controls.append(Number(name, label, low, high, step, value))
        return value

    def typed(self, name: str, label: str, default: str = "") -> str:
        """What the reader has typed."""
        chosen = self.options.get(name)
        value = chosen[:MAX_CHARACTERS] if isinstance(chosen, str) else default
        self.controls.append(Text(name, label, value))
        return value
