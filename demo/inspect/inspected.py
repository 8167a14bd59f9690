"""What a view of Inspect is asked: a step of an output, and what the reader has chosen in the view."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from demo.answers.controls import Controls
from demo.i18n.display import display_token

if TYPE_CHECKING:
    from models.corpus.pairs import Pair
    from models.inspection.question import Inquiry
    from models.registry.checkpoint import Checkpoint, CheckpointConfig


@dataclass(frozen=True)
class Others:
    """Checkpoints beside the one that is asked."""

    names: Sequence[str]  # of the same task
    open: Callable[[str], Checkpoint]  # raises CheckpointError, UnknownCheckpointError, RequestError
    config: Callable[[str], CheckpointConfig]  # without the weights; raises the first two


@dataclass
class Inspected(Controls):
    """One question of a reader to one view."""

    checkpoint: Checkpoint
    inquiry: Inquiry
    output: tuple[int, ...]  # all ids of the output on show; of the asked step there may be another one
    text: str  # that was read
    others: Others
    checkpoint_label: str  # what the checkpoint is called
    sentences: Sequence[Pair] = ()  # of the checkpoint's languages, with references, written for this page

    @property
    def step(self) -> int:
        """Of the asked token, from 0."""
        return len(self.inquiry.question.prefix) - 1

    @property
    def token(self) -> str:
        """The token that is asked about, as it is shown."""
        return self.label(self.inquiry.question.token)

    def label(self, token_id: int) -> str:
        """A token of the vocabulary as it is shown: plain text."""
        return display_token(self.checkpoint.tokenizer.token(token_id))

    @cached_property
    def source_labels(self) -> tuple[str, ...]:
        """Of each token that was read, or of each cell of a picture."""
        if self.checkpoint.config.reads_pictures:
            side = math.isqrt(len(self.inquiry.places))
            return tuple(
                f"{index // side + 1},{index % side + 1}" for index in range(len(self.inquiry.places))
            )
        spelt = map(self.checkpoint.tokenizer.source_token, self.inquiry.question.source)
        return tuple(map(display_token, spelt))

    @property
    def prefix_labels(self) -> tuple[str, ...]:
        """Of the start token and each token that was written before the asked one."""
        return tuple(map(self.label, self.inquiry.question.prefix))

    @property
    def output_labels(self) -> tuple[str, ...]:
        """Of each token of the output."""
        return tuple(map(self.label, self.output))
