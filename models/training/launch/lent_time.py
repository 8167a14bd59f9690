"""Time on a lent GPU. A visitor has some seconds a day, and only a refusal says how many are left."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from models.errors import Message

SAVING_SECONDS = 15.0  # a chunk may take so long to begin and to save
MIN_CHUNK_SECONDS = 5.0  # a chunk with less training time is not worth it
# "(82s requested vs. 60s left). Try again in 1 day, 3:20:00.": the words of the package `spaces`
QUOTA_REFUSAL = re.compile(r"(\d+)s requested vs\. (\d+)s left\W+Try again in (?:(\d+) days?, )?(\d+):(\d+):")
OTHER_REFUSALS = ("quota", "gpu limit", "runs limit", "credits")

WAITING_FOR_VISITOR = Message(
    "waiting_for_visitor", "Waiting for you to return: the GPU is lent only to visitors whose page is open."
)
NOBODY_LOOKED = Message(
    "nobody_looked",
    "The run stopped because nobody looked at it for a while. Everything is saved; resume to go on.",
)


@dataclass(frozen=True)
class Quota:
    """The numbers in the refusal of a chunk."""

    requested: int  # seconds that the chunk would have cost; some GPUs cost more than is declared
    left: int  # seconds
    minutes: int  # minutes until the full quota is available again

    def training(self, before: float) -> float:
        """Return the seconds of training that fit into the rest of the quota; 0 = too few.

        before: seconds of training that were refused.
        """
        seconds = math.floor((before + SAVING_SECONDS) * self.left / self.requested) - SAVING_SECONDS
        return seconds if MIN_CHUNK_SECONDS <= seconds < before else 0.0


def quota_in(reason: str) -> Quota | None:
    """The quota that a refusal names; None if it names none."""
    words = QUOTA_REFUSAL.search(reason)
    if words is None:
        return None
    requested, remaining, days, hours, minutes = (int(number or 0) for number in words.groups())
    return Quota(requested, remaining, 60 * (24 * days + hours) + minutes + 1)


def asking_for(seconds: float) -> Message:
    """The sentence for a run that waits for a GPU, with the seconds of training that come next."""
    return Message(
        "waiting_for_gpu",
        "Waiting for the GPU. The next part of the run asks for {seconds} s of your quota.",
        seconds=round(seconds + SAVING_SECONDS),
    )


def training_with(quota: Quota) -> Message:
    """The sentence for a run that trains with the rest of a quota."""
    return Message(
        "training_on_the_rest", "Training with the rest of your GPU quota: {seconds} s.", seconds=quota.left
    )


def used_up(quota: Quota) -> Message:
    """The reason for stopping a run whose next chunk exceeds the quota."""
    return Message(
        "gpu_quota_used_up",
        "Your GPU quota has {seconds} s left, which is too little to go on. Everything is saved; resume "
        "in {wait} h.",
        seconds=quota.left,
        wait=f"{quota.minutes // 60}:{quota.minutes % 60:02}",
    )


def refusal(reason: str) -> Message:
    """The reason for stopping a run that was refused time without a number of seconds."""
    return Message(
        "gpu_time_over",
        "You have no GPU time left for now ({reason}). Everything is saved; resume later.",
        reason=reason,
    )


def given_up(attempts: int, reason: str) -> Message:
    """The reason for the failure of a run that never has the GPU for long enough to save."""
    return Message(
        "gpu_taken_away",
        "The GPU was taken away {attempts} times before a step could be saved ({reason}).",
        attempts=attempts,
        reason=reason,
    )
