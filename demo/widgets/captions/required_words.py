"""Sentences about required words: their positions, the candidates displaced for them, and their cost."""

from __future__ import annotations

from demo.i18n import listed, quoted, say
from demo.i18n.display import number_text
from demo.widgets.figures.curves.training import AT_STEP
from models.decoding.status import Reason
from models.decoding.trace import DecodingTrace, Hypothesis


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
