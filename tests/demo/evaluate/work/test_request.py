"""Requests of evaluations, and refusals with a sentence that says what to do."""

from __future__ import annotations

import pytest

from demo.evaluate.work.request import MAX_SEGMENTS, EvaluateRequest, checked_segments, requested_systems
from demo.evaluate.work.run import evaluate
from demo.work.context import AppContext
from demo.work.requests.checks import RequestError
from models.corpus.files.formats import read_pasted
from models.corpus.pairs import DataError
from models.evaluation.segments import segments_of_pairs, segments_of_table
from tests.refusals import Refusal, refused

GREEDY, BEAM = {"strategy": "greedy"}, {"strategy": "beam", "beam_size": 2}


def test_each_pair_of_checkpoint_and_strategy_has_its_own_name() -> None:
    names = [system.name for system in requested_systems(["a", "b"], [GREEDY, BEAM], 20)]
    assert names == ["a, Greedy", "a, Beam 2", "b, Greedy", "b, Beam 2"]
    assert [system.name for system in requested_systems(["a"], [GREEDY, BEAM], 20)] == ["Greedy", "Beam 2"]
    assert [system.name for system in requested_systems(["a", "b"], [BEAM], 20)] == ["a", "b"]


def test_more_systems_than_fit_are_refused() -> None:
    with refused(RequestError, "too_many_systems", 3, 2, 6, 4):
        requested_systems(["a", "b", "c"], [GREEDY, BEAM], 20)


def test_a_request_without_a_strategy_is_refused() -> None:
    with refused(RequestError, "strategy_missing"):
        requested_systems(["a"], [], 20)


def test_too_many_segments_are_refused() -> None:
    pairs = [(f"s {index}", "t") for index in range(MAX_SEGMENTS + 1)]
    with refused(RequestError, "too_many_segments", "2,001", "2,000"):
        checked_segments(segments_of_pairs(pairs))


def test_a_long_text_is_refused_by_its_line() -> None:
    with refused(RequestError, "segment_too_long", 2, "3,000", "500"):
        checked_segments(segments_of_pairs([("a", "b"), ("x" * 3000, "b")]))


def test_a_request_without_systems_and_outputs_is_refused(context: AppContext) -> None:
    with refused(DataError, "no_system_to_evaluate"):
        evaluate(context, EvaluateRequest((), segments_of_pairs([("a", "b")])))


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("only one column\nof texts", ("columns_not_evident",)),
        ("a\tb\tc\td\te\tf\tg\nh\ti\tj\tk\tl\tm\tn", ("too_many_outputs", 5, 4)),
        ("source\treference\tscore\na\tb\t0.5\nc\td\tgood", ("score_is_no_number", 3, "score")),
        ("source\treference\na\t\n\tb", ("no_row_with_both",)),
    ],
)
def test_a_bad_table_is_refused_with_its_fault(text: str, refusal: Refusal) -> None:
    with refused(DataError, *refusal):
        segments_of_table(read_pasted(text))
