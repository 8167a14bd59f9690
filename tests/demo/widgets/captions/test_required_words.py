"""Captions about required words: their steps, displaced candidates and cost."""

from __future__ import annotations

from dataclasses import replace

from demo.i18n.display import number_text
from demo.widgets.captions.output import words_caption
from models.decoding.status import Reason, Status
from models.decoding.trace import DecodingTrace, OutputWithoutWords, RequiredPhrase
from tests.fakes.traces import library_trace


def trace_with_words(other: OutputWithoutWords | None) -> DecodingTrace:
    trace = library_trace()
    first = trace.hypotheses[0]
    hypotheses = (
        replace(first, word_steps=(1,)),
        *(replace(hypothesis, word_steps=(0,)) for hypothesis in trace.hypotheses[1:]),
    )
    words = (RequiredPhrase("biblioteca", first.token_ids[1:2]),)
    return replace(trace, words=words, hypotheses=hypotheses, without_words=other)


def test_each_output_names_the_steps_and_the_cost_of_its_required_words() -> None:
    best = library_trace().hypotheses[0]
    other = OutputWithoutWords("otra", (5,), best.log_prob + 1, best.score + 0.75)
    first, *others = words_caption(trace_with_words(other))
    assert "biblioteca" in first
    for number in ("2", number_text(other.score, 3), number_text(best.score, 3), "0.750"):
        assert number in first
    assert len(others) == len(library_trace().hypotheses) - 1
    assert all("1" in other for other in others)


def test_equal_scores_are_described_as_no_cost() -> None:
    best = library_trace().hypotheses[0]
    same = OutputWithoutWords(best.text, best.token_ids, best.log_prob, best.score)
    sentence, unknown = (words_caption(trace_with_words(other))[0] for other in (same, None))
    assert sentence.startswith(unknown)
    assert sentence != unknown
    assert number_text(best.score, 3) not in sentence


def test_candidates_dropped_for_required_words_are_counted() -> None:
    trace = trace_with_words(None)
    last = trace.steps[-1]
    held_back = [node._replace(status=Status.PRUNED, reason=Reason.HELD_BACK) for node in last.nodes[-1:]]
    changed = replace(trace, steps=(*trace.steps[:-1], replace(last, nodes=(*last.nodes[:-1], *held_back))))
    assert words_caption(changed)[0] != words_caption(trace)[0]


def test_a_trace_without_required_words_has_no_caption() -> None:
    assert words_caption(library_trace()) == []
