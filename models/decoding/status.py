"""The status of a candidate, its reason, and the reason for the end of a search.

Imports no torch. The values are those of traces.
"""

from __future__ import annotations

from enum import Enum


class Status(str, Enum):
    """The status of a candidate."""

    KEPT = "kept"  # the search extends it at the next step
    FINISHED = "finished"  # it is a complete output
    PRUNED = "pruned"  # the search dropped it, by its rank, a threshold, a bound or the end of the search


class Stop(str, Enum):
    """Why a search ended."""

    COMPLETE = "complete"  # the strategy had nothing more to do
    BUDGET = "budget"  # it gave up: its budget was spent, or it had skipped candidates that could have won
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
    RANKED_BELOW = "ranked_below"  # has no end token, and better candidates took all places
    END_OUTSIDE_BEAM = "end_outside_beam"  # ended, but ranked outside the first k
    EARLY_STOP = "early_stop"  # still alive when the search stopped
    FORCED = "forced"  # the user's choice, however improbable
    OPENING = "opening"  # every output of this checkpoint begins with it, as with the code of its language
    CLOSING = "closing"  # the end token that this checkpoint adds at the length limit
    THRESHOLD = "threshold"  # too far behind the best candidate of its step
    GROUP_PENALTY = "group_penalty"  # dropped for the penalty of tokens that earlier groups chose
    BOUND = "bound"  # no continuation of it can beat the best finished sequence
    BUDGET = "budget"  # the budget ended before it was expanded
    FOR_WORDS = "for_words"  # goes on instead of a better one, for the required words
    HELD_BACK = "held_back"  # dropped for a worse one that is kept for the required words
    WITHOUT_WORDS = "without_words"  # ends without the required words, or has too few tokens left for them

    @property
    def code(self) -> int:
        """The number of this reason in tensors, where 0 stands for no reason."""
        return REASONS.index(self)


REASONS: tuple[Reason | None, ...] = (None, *Reason)  # index = code
EXCLUDING_REASONS = (Reason.THRESHOLD, Reason.BOUND)  # reasons that drop a candidate whatever its rank
