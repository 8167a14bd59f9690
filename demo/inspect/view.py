"""A view of Inspect: its description, and its input, a step of an output with the values of its controls."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from demo.i18n import say
from demo.i18n.display import display_token
from demo.widgets.answers.content import Content, Controls
from models.networks.captioner.config import CaptionerConfig
from models.networks.config import NetworkConfig
from models.networks.recurrent.config import RecurrentConfig

if TYPE_CHECKING:
    from models.corpus.pairs import Pair
    from models.inspection.question import ExplainedPrediction
    from models.registry.checkpoint import Checkpoint, CheckpointConfig


@dataclass(frozen=True)
class InspectView:
    """A view of Inspect; its tab, its part in `hide=` and its name in links follow from it."""

    name: str  # its name in links and in `hide=`
    title: str  # the title of its tab; marked by `in_page`
    question: str  # the question that it answers, one plain sentence; marked by `later`
    position: int  # the smaller, the further ahead among the tabs
    # Raises NotHereError, or an error of the library if the view does not apply to the network.
    compute: Callable[[Inspected], Content]
    paper: str = field(default="", kw_only=True)
    # Whether it applies to a network; None = to every network. Where not, the page offers other checkpoints.
    fits: Callable[[NetworkConfig], bool] | None = field(default=None, kw_only=True)
    for_lessons: bool = field(default=False, kw_only=True)  # its tab appears when a lesson or a link opens it


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


def is_recurrent(network: NetworkConfig) -> bool:
    """Whether a network carries a state from step to step."""
    return isinstance(network, RecurrentConfig | CaptionerConfig)
