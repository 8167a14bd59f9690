"""What a search has to keep to: how a checkpoint's outputs begin and end, and what was asked of this one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from torch import Tensor

from models.decoding.search.processors import LogitsProcessor
from models.decoding.search.words import RequiredWords


@dataclass(frozen=True)
class OutputTokens:
    """The tokens that a checkpoint puts around every output."""

    bos_id: int  # what the first step reads; it is no part of the output
    eos_id: int
    opening: int = 0  # how many of the forced tokens every output begins with
    closes: bool = False  # an output that reaches the length limit gets the end token there


@dataclass(frozen=True)
class Constraints:
    """What an output may be, and where the model must look."""

    max_length: int  # tokens generated, the end token included
    processors: Sequence[LogitsProcessor] = ()
    forced: Sequence[int] = ()  # the first tokens, whatever the model says of them
    attention: Mapping[int, Tensor] = field(default_factory=dict)  # by step, see `Seq2SeqModel.step`
    only_best: bool = False  # nothing but the best finished sequence is asked for: the search may end with it
    words: RequiredWords | None = None  # that must occur
