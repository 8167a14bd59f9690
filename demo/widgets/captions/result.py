"""The result in one line that needs no knowledge of searches."""

from __future__ import annotations

from itertools import zip_longest

from demo.i18n import quoted, say
from demo.i18n.display import capitalize, task_text
from models.decoding.greedy_output import greedy_output
from models.decoding.strategies import description_of
from models.decoding.trace import DecodingTrace, GreedyOutput, Hypothesis


def result_captions(trace: DecodingTrace) -> list[str]:
    """The task, the output and what greedy search would write, for each hypothesis; parts may be unknown."""
    task, greedy = task_text(trace.task, trace.languages), greedy_output(trace)
    lines = []
    for rank, hypothesis in enumerate(trace.hypotheses, 1):
        text, which = _output_text(hypothesis.text), _which(trace, rank)
        subject = task or capitalize(which)
        if task and which:
            subject = say("{task}, {which}", task=task, which=which)
        parts = [say("{task}: {output}", task=subject, output=text) if subject else text]
        if greedy is not None and trace.strategy != "greedy":
            if len(trace.forced) > trace.opening or trace.overrides:
                parts.append(say("With the same edits:"))
            parts.append(_beside_greedy(hypothesis, greedy))
        lines.append(" ".join(parts))
    return lines


def _which(trace: DecodingTrace, rank: int) -> str:
    """Which of the outputs this is; empty for the result of a search."""
    numbers = {"rank": rank, "count": len(trace.hypotheses)}
    if description_of(trace.strategy).draws:
        return say("sample {rank} of {count}", **numbers)
    return say("hypothesis {rank} of {count}", **numbers) if rank > 1 else ""


def _beside_greedy(hypothesis: Hypothesis, greedy: GreedyOutput) -> str:
    if greedy.text == hypothesis.text:
        return say("Greedy search writes the same.")
    steps = enumerate(zip_longest(hypothesis.token_ids, greedy.token_ids), 1)
    first = next((step for step, (one, other) in steps if one != other), 1)
    output = _output_text(greedy.text)
    return say("Greedy search would write: {output} The two part at step {step}.", output=output, step=first)


def _output_text(text: str) -> str:
    return quoted(text) if text else say("(empty)")
