"""The message for a search without any output."""

from __future__ import annotations

from models.decoding.status import Stop
from models.decoding.trace import DecodingTrace
from models.errors import Message


def without_output(trace: DecodingTrace) -> Message:
    """The reason why a search has no output, and what to do."""
    stop = trace.exploration.stop if trace.exploration else Stop.COMPLETE
    if stop is Stop.TIME:
        return Message(
            "decoding_out_of_time",
            "Decoding took too long and was stopped before any output was finished. Ask for a shorter output "
            "or fewer beams, or try again when the server is less busy.",
        )
    if stop is Stop.BUDGET:
        return Message(
            "budget_spent",
            "The budget was spent before any output was finished. Raise it, or ask for a shorter output.",
        )
    if stop is Stop.CANCELLED:
        return Message(
            "stopped_without_output",
            "Stopped before any output was finished; the result below is the previous one.",
        )
    if stop is Stop.SHUTDOWN:
        return Message(
            "shut_down_without_output",
            "The server is shutting down, and no output was finished before. Try again in a minute.",
        )
    return Message(
        "no_output_satisfies",
        "No output satisfies these constraints. Ban or require fewer words, or allow other lengths and "
        "repetitions.",
    )
