"""The input of a view of Inspect: a step of an output, and the values of the view's controls."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from demo.i18n import say
from demo.i18n.display import display_token
from demo.widgets.answers.content import Controls

if TYPE_CHECKING:
    from models.corpus.pairs import Pair
    from models.inspection.question import ExplainedPrediction
    from models.registry.checkpoint import Checkpoint, CheckpointConfig


@dataclass(frozen=True)
class OtherCheckpoints:
    """Other checkpoints."""

    names: Sequence[str]  # names of checkpoints for the same task
    open: Callable[[str], Checkpoint]  # raises CheckpointError, UnknownCheckpointError, RequestError
    config: Callable[[str], CheckpointConfig]  # reads no weights; raises the first two


@dataclass
class Inspected(Controls):
    """A step of an output, with all that a view may use."""

    checkpoint: Checkpoint
    prediction: ExplainedPrediction
    output: tuple[int, ...]  # all ids of the current output; it may differ from the explained token
    text: str  # the text that was read
    others: OtherCheckpoints
    checkpoint_label: str  # the checkpoint's label on the page
    sentences: Sequence[Pair] = ()  # pairs in the checkpoint's languages, written for this page

    def choose_layer(self, count: int) -> int:
        """Ask for one of several layers, by default the last; return its index."""
        if count == 1:
            return 0
        numbers = list(map(str, range(1, count + 1)))
        return int(self.choose("layer", say("layer"), [*zip(numbers, numbers, strict=True)], numbers[-1])) - 1

    @property
    def step(self) -> int:
        """The step of the explained token, from 0."""
        return len(self.prediction.question.prefix) - 1

    @property
    def token(self) -> str:
        """The label of the explained token."""
        return self.label(self.prediction.question.token)

    def label(self, token_id: int) -> str:
        """The label of a token: plain text."""
        return display_token(self.checkpoint.tokenizer.token(token_id))

    @cached_property
    def source_labels(self) -> tuple[str, ...]:
        """A label for each token of the source, or for each cell of a picture."""
        if self.checkpoint.config.reads_pictures:
            side = math.isqrt(len(self.prediction.places))
            return tuple(
                f"{index // side + 1},{index % side + 1}" for index in range(len(self.prediction.places))
            )
        spelt = map(self.checkpoint.tokenizer.source_token, self.prediction.question.source)
        return tuple(map(display_token, spelt))

    @property
    def prefix_labels(self) -> tuple[str, ...]:
        """Labels of the start token and of each token before the explained one."""
        return tuple(map(self.label, self.prediction.question.prefix))

    @property
    def output_labels(self) -> tuple[str, ...]:
        """A label for each token of the output."""
        return tuple(map(self.label, self.output))
