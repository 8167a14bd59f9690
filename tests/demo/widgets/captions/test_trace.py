from __future__ import annotations

import math
from dataclasses import replace

from demo.widgets.captions.search import tree_caption
from demo.widgets.captions.trace import (
    NO_ATTENTION,
    attention_caption,
    output_caption,
    ranking_caption,
    step_caption,
)
from models.decoding.status import Reason
from models.decoding.trace import DecodingTrace
from tests.fakes.traces import END, WITHIN, F, K, Spec, build_trace, closed_trace, focused, library_trace


def with_peaks(*peaks: int) -> DecodingTrace:
    steps: list[list[Spec]] = [
        [(index - 1 if index else None, f"t{index}", 0.9, K, WITHIN)] for index in range(len(peaks))
    ]
    trace = build_trace(["a", "b", "c", "d"], steps, [(len(peaks) - 1, False)], strategy="greedy")
    rows = [
        replace(step.rows[0], attention=focused(peak, 4)) for step, peak in zip(trace, peaks, strict=True)
    ]
    return replace(trace, steps=tuple(replace(s, rows=(row,)) for s, row in zip(trace, rows, strict=True)))


def test_the_least_certain_token_is_named() -> None:
    trace = library_trace()
    assert output_caption(trace.path(6)) == (
        "Least probable token: “␣a” at step 1, 40.0%; 2 of 3 tokens at 90% or more."
    )
    opening = [trace.path(6)[0]._replace(reason=Reason.OPENING), *trace.path(6)[1:]]
    assert output_caption(opening).endswith("; every token at 90% or more.")
    assert "at step 1, 90.0%; every" in output_caption(closed_trace().path(2))


def test_the_overtaken_beam_is_named_with_both_sums() -> None:
    caption = tree_caption(library_trace())
    assert caption.startswith("At step 1 another path was ahead, through “␣the”: −0.69 against −0.92.")


def test_a_path_of_first_choices_is_described_by_its_closest_call() -> None:
    steps: list[list[Spec]] = [
        [(None, "a", 0.6, K, WITHIN), (None, "b", 0.3, K, WITHIN)],
        [(0, "</s>", 0.5, F, END), (0, "c", 0.4, K, WITHIN)],
    ]
    assert tree_caption(build_trace("xy", steps, [(2, True)])) == (
        "The best path takes the model's first choice at every step; "
        "closest call at step 2: “</s>” 50.0% against “c” 40.0%."
    )


def test_a_samples_deviation_from_the_first_choice_is_named() -> None:
    steps: list[list[Spec]] = [[(None, "a", 0.2, K, WITHIN)], [(0, "</s>", 0.9, F, END)]]
    trace = build_trace("xy", steps, [(1, True)], strategy="sampling")
    first = trace.steps[0].nodes[0]._replace(token_rank=1)
    trace = replace(trace, steps=(replace(trace.steps[0], nodes=(first,)), trace.steps[1]))
    caption = tree_caption(trace)
    assert caption.startswith("At step 1 the model's first choice was ")
    assert "; sample 1 takes “a”, " in caption  # a draw is no best path
    usual = first._replace(token_rank=0)
    trace = replace(trace, steps=(replace(trace.steps[0], nodes=(usual,)), trace.steps[1]))
    assert tree_caption(trace).startswith("Sample 1 takes the model's first choice at every step")


def test_a_reversal_by_normalisation_is_named() -> None:
    trace = library_trace()
    best, second = trace.hypotheses
    turned = replace(trace, hypotheses=(replace(best, log_prob=-3.0), replace(second, log_prob=-1.0)))
    assert "by log-probability alone hypothesis 2 would win, −1.00 against −3.00" in ranking_caption(turned)
    assert (
        ranking_caption(trace) == "The first leads the second by 0.196 in score, and in log-probability too."
    )


def test_the_entropy_named_is_the_greatest_of_the_path() -> None:
    trace = library_trace()
    path = trace.path(6)
    greatest = max(trace.row(node).entropy for node in path)
    assert f"{greatest:.1f} nats, as if {math.exp(greatest):.1f} tokens" in step_caption(trace, path)


def test_a_model_that_is_always_certain_is_not_called_unsure() -> None:
    steps: list[list[Spec]] = [[(None, "a", 0.9999, K, WITHIN)], [(0, "</s>", 0.9999, F, END)]]
    trace = build_trace("xy", steps, [(1, True)])
    assert step_caption(trace, trace.path(1)).startswith("The model never hesitated")
    assert output_caption(trace.path(1)).endswith("every token at 90% or more.")


def test_the_direction_of_attention_is_counted() -> None:
    forward, backward = with_peaks(0, 1, 0, 2), with_peaks(3, 2, 1, 2)
    assert attention_caption(forward, 3) == "The strongest weight moves forwards, or stays, in 2 of 3 moves."
    assert (
        attention_caption(backward, 3) == "The strongest weight moves backwards, or stays, in 2 of 3 moves."
    )


def test_attention_that_does_not_move_counts_as_forwards() -> None:
    assert attention_caption(with_peaks(1, 1, 2), 2).endswith("moves forwards, or stays, in 2 of 2 moves.")


def test_a_model_without_attention_is_described_as_such() -> None:
    assert attention_caption(library_trace(attention=False), 6) == NO_ATTENTION


def test_a_trace_without_hypotheses_can_be_captioned() -> None:
    assert tree_caption(replace(library_trace(), hypotheses=())) == "No hypothesis was finished."
