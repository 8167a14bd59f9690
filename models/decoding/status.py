"""The status of a candidate, its reason, and the reason for the end of a search.

Imports no torch. The values are those of traces.
"""

from __future__ import annotations

from enum import Enum


class Status(str, Enum):
    """The status of a candidate."""

    KEPT = "kept"
    FINISHED = "finished"
    PRUNED = "pruned"


class Stop(str, Enum):
    """Why a search ended."""

    COMPLETE = "complete"  # it kept its strategy's promise
    BUDGET = "budget"  # it gave up: its budget was spent, or it left out what might have won
    CANCELLED = "cancelled"  # somebody stopped it
    TIME = "time"  # it took too long
    SHUTDOWN = "shutdown"  # the server that it ran on was shut down


class Reason(str, Enum):
    """Why a candidate has its status."""

    CHOSEN = "chosen"  # the only candidate that a greedy or sampled row takes
    WITHIN_BEAM = "within_beam"  # among the k best that did not end
    END_TOKEN = "end_token"  # ended, and ranked among the first k
    MAX_LENGTH = "max_length"  # cut off at the length limit, and ranked among the first k
    DISPLACED = "displaced"  # finished, but k better hypotheses finished too
    RANKED_BELOW = "ranked_below"  # did not end, and k better candidates went on
    END_OUTSIDE_BEAM = "end_outside_beam"  # ended, but ranked outside the first k
    EARLY_STOP = "early_stop"  # still alive when the search stopped
    FORCED = "forced"  # the user's choice, whatever the model says of it
    OPENING = "opening"  # what every output of this checkpoint begins with: the language to write
    CLOSING = "closing"  # the end token that this checkpoint gives whatever reaches the length limit
    THRESHOLD = "threshold"  # too far behind the best candidate of its step
    GROUP_PENALTY = "group_penalty"  # would have gone on but for what earlier groups chose
    BOUND = "bound"  # nothing that grows from it can beat the best finished sequence
    BUDGET = "budget"  # the budget ended before it was looked at
    FOR_WORDS = "for_words"  # goes on in the place of a better one, for the required words
    HELD_BACK = "held_back"  # would have gone on, but its place went to one that is kept for the words
    WITHOUT_WORDS = "without_words"  # ends without the required words, or has no room for them

    @property
    def code(self) -> int:
        """The number of this reason in tensors, where 0 stands for none."""
        return REASONS.index(self)


REASONS: tuple[Reason | None, ...] = (None, *Reason)  # index = code
EXCLUDES = (Reason.THRESHOLD, Reason.BOUND)  # reasons that drop a candidate whatever its rank
