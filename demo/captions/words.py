"""Sentences about words that must occur: where they stand, who gave way, and what they cost."""

from __future__ import annotations

from demo.figures.training_curves import AT_STEP
from demo.i18n import listed, quoted, say
from demo.i18n.display import number_text
from models.decoding.status import Reason
from models.decoding.trace import DecodingTrace, Hypothesis


def words_caption(trace: DecodingTrace) -> list[str]:
    """For each hypothesis; empty where no words had to occur."""
    if not trace.words:
        return []
    return [f"{_written(trace, hypothesis)} {_cost(trace)}".strip() for hypothesis in trace.hypotheses]


def _written(trace: DecodingTrace, hypothesis: Hypothesis) -> str:
    places = [
        say(AT_STEP, value=quoted(phrase.text), step=step + 1)
        for phrase, step in zip(trace.words, hypothesis.written, strict=False)
    ]
    count = sum(node.reason is Reason.HELD_BACK for node in trace.nodes.values())
    written = say("Words that must occur: {places}.", places=listed(places))
    return f"{written} {say('Candidates that gave way for them: {count}.', count=count)}"


def _cost(trace: DecodingTrace) -> str:
    """How much better the same search does without the words."""
    if trace.free is None or not trace.hypotheses:
        return ""
    best = trace.hypotheses[0]
    if trace.free.token_ids == best.token_ids:
        return say("The same search without them finds the same output.")
    return say(
        "Without them the same search writes {text}, score {score} against {other}: they cost {cost}.",
        text=quoted(trace.free.text) if trace.free.text else say("(empty)"),
        score=number_text(trace.free.score, 3),
        other=number_text(best.score, 3),
        cost=number_text(trace.free.score - best.score, 3),
    )
