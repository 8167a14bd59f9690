"""The result in one line that needs no knowledge of searches, and sentences about required words."""

from __future__ import annotations

from itertools import zip_longest

from demo.i18n import listed, quoted, say
from demo.i18n.display import capitalize, number_text, task_text
from demo.widgets.figures.curves.training import AT_STEP
from models.decoding.record.recorded_settings import greedy_output
from models.decoding.status import Reason
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


def words_caption(trace: DecodingTrace) -> list[str]:
    """A sentence for each hypothesis; empty without required words."""
    if not trace.words:
        return []
    return [f"{_positions(trace, hypothesis)} {_cost(trace)}".strip() for hypothesis in trace.hypotheses]


def _positions(trace: DecodingTrace, hypothesis: Hypothesis) -> str:
    positions = [
        say(AT_STEP, value=quoted(phrase.text), step=step + 1)
        for phrase, step in zip(trace.words, hypothesis.word_steps, strict=False)
    ]
    count = sum(node.reason is Reason.HELD_BACK for node in trace.nodes.values())
    sentence = say("Required words: {places}.", places=listed(positions))
    return f"{sentence} {say('Candidates dropped to make room for them: {count}.', count=count)}"


def _cost(trace: DecodingTrace) -> str:
    """A sentence about the score of the same search without the words."""
    if trace.without_words is None or not trace.hypotheses:
        return ""
    best = trace.hypotheses[0]
    if trace.without_words.token_ids == best.token_ids:
        return say("The same search without them finds the same output.")
    return say(
        "Without them the same search writes {text}, score {score} against {other}: they cost {cost}.",
        text=quoted(trace.without_words.text) if trace.without_words.text else say("(empty)"),
        score=number_text(trace.without_words.score, 3),
        other=number_text(best.score, 3),
        cost=number_text(trace.without_words.score - best.score, 3),
    )
