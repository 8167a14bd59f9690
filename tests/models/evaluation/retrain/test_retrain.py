"""Proposals and experiments on a few pairs and steps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch

from models.corpus.pairs import DataError, Pair
from models.evaluation.retrain import propose as proposing
from models.evaluation.retrain.arms import (
    Changes,
    ExperimentProgress,
    ExperimentResult,
    retrain,
    used_indices,
)
from models.evaluation.retrain.fine_tuning import FineTuningSettings
from models.evaluation.retrain.propose import (
    STATES,
    WRONG_WORDS,
    WrongOutput,
    differing_steps,
    first_wrong_step,
    propose,
)
from models.networks.packed import can_pack, pack_linears
from models.registry.checkpoint import Checkpoint
from tests.models.evaluation.retrain.experiments import FEW, PAIRS, PLANTED, TEST_SET, WRONG
from tests.models.evaluation.retrain.planted_pairs import loaded
from tests.refusals import refused


@pytest.fixture(scope="module")
def dates() -> Checkpoint:
    return loaded()


def result(start: Checkpoint, changes: Changes, settings: FineTuningSettings = FEW) -> ExperimentResult:
    *_, last = retrain(start, PAIRS, changes, TEST_SET, settings)
    assert last.result is not None
    return last.result


def test_planted_pairs_come_first_and_each_part_is_named(dates: Checkpoint) -> None:
    proposal = propose(dates, PAIRS, WRONG, max_proposed=3)
    assert {pair.index for pair in proposal.pairs[:2]} == PLANTED
    parts = {evidence.kind: evidence for evidence in proposal.pairs[0].evidence}
    assert parts[WRONG_WORDS].shared == ("12",)
    assert parts[STATES].value >= 0
    assert not proposal.note


def test_without_shared_words_only_the_states_rank(dates: Checkpoint) -> None:
    proposal = propose(dates, [("1/2/03", "2003-02-01"), ("x", "1")], WRONG)
    assert {part.kind for pair in proposal.pairs for part in pair.evidence} <= {STATES}


def test_part_of_a_huge_list_is_searched_and_the_result_says_how_many(
    dates: Checkpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proposing, "MAX_SEARCHED_PAIRS", 3)
    proposal = propose(dates, PAIRS, WRONG)
    assert proposal.num_searched == 3
    assert "Only the 3" in proposal.note
    assert {pair.index for pair in proposal.pairs[:2]} == PLANTED


@pytest.mark.parametrize(
    ("pairs", "wrong", "code"),
    [((), WRONG, "no_training_pairs"), (PAIRS, replace(WRONG, output=WRONG.wanted), "output_not_wrong")],
)
def test_an_output_without_proposals_is_reported(
    dates: Checkpoint, pairs: tuple[Pair, ...], wrong: WrongOutput, code: str
) -> None:
    with pytest.raises(DataError) as excinfo:
        propose(dates, pairs, wrong)
    assert excinfo.value.message.code == code


@pytest.mark.parametrize(("output", "expected", "step"), [((5, 1), (6, 1), 0), ((5, 1), (5, 6, 1), 1)])
def test_the_first_wrong_step_is_found(output: tuple[int, ...], expected: tuple[int, ...], step: int) -> None:
    assert first_wrong_step(output, expected) == step


@pytest.mark.parametrize(
    ("output", "expected", "steps"),
    [
        ("2011-10-06.", "2011-03-06.", [5]),
        ("2011-10-06.", "2014-03-06.", [3, 5]),
        ("2011-10-06.", "2011-03-07.", [5, 9]),
        ("ab.", "abcd.", [2]),
        ("abcdef.", "xbcdeyz.", [0, 5]),
        ("a.", "abc.", [1]),
        ("xy.", "z.", [0]),
    ],
)
def test_every_difference_is_considered(output: str, expected: str, steps: list[int]) -> None:
    assert differing_steps([*map(ord, output)], [*map(ord, expected)]) == steps


def test_a_second_difference_hides_no_planted_pair(dates: Checkpoint) -> None:
    """The output differs in the year too, which comes first."""
    other = replace(WRONG, wanted=f"{int(WRONG.wanted[:4]) + 3}{WRONG.wanted[4:]}")
    for wrong in (WRONG, other):
        proposal = propose(dates, PAIRS, wrong, max_proposed=3)
        assert {pair.index for pair in proposal.pairs[:2]} == PLANTED
        ranks = [part.rank for pair in proposal.pairs[:2] for part in pair.evidence if part.kind == STATES]
        assert sorted(ranks) == [1, 2]


@pytest.mark.slow
def test_dropping_nothing_changes_nothing_and_a_seed_repeats(dates: Checkpoint) -> None:
    weights = [parameter.detach().clone() for parameter in dates.model.parameters()]
    first = result(dates, Changes())
    assert first.before == first.after
    assert not first.flipped
    assert first.held_out_scores is not None
    assert first.held_out_scores.changed == 0
    assert first.held_out_scores.gained == (0.0, 0.0, 0.0)
    assert result(dates, Changes()) == first
    for old, new in zip(weights, dates.model.parameters(), strict=True):
        assert torch.equal(old, new)


@pytest.mark.slow
def test_another_seed_gives_another_order(dates: Checkpoint) -> None:
    ours, theirs = result(dates, Changes()), result(dates, Changes(), replace(FEW, seed=1))
    assert ours.before.wrong_log_prob != theirs.before.wrong_log_prob


@pytest.mark.slow
def test_dropped_and_corrected_pairs_are_not_learnt(dates: Checkpoint) -> None:
    right = {2: ("9 August 1989", "1989-08-09"), 4: ("30 August 1944", "1944-08-30")}
    for changes in (Changes(frozenset(PLANTED)), Changes(corrected=right)):
        outcome = result(dates, changes, replace(FEW, steps=12))
        assert outcome.after.wrong_log_prob < outcome.before.wrong_log_prob
        assert outcome.after.wanted_log_prob > outcome.before.wanted_log_prob


def test_progress_grows_and_an_experiment_can_be_ended(dates: Checkpoint) -> None:
    progress = retrain(dates, PAIRS, Changes(), TEST_SET, FEW)
    first, second = next(progress), next(progress)
    assert isinstance(first, ExperimentProgress)
    assert 0 < first.share < second.share < 1
    assert first.result is None
    progress.close()


def test_dropping_every_pair_is_refused(dates: Checkpoint) -> None:
    with refused(DataError, "no_pair_left"):
        list(retrain(dates, PAIRS, Changes(frozenset(range(len(PAIRS)))), TEST_SET, FEW))
    with refused(DataError, "no_pair_to_retrain", "0"):
        list(retrain(dates, (), Changes(), TEST_SET, FEW))


@pytest.mark.parametrize(
    "wrong",
    [
        {"steps": 0},
        {"steps": 1001},
        {"steps": True},
        {"batch_pairs": 0},
        {"learning_rate": 0.0},
        {"learning_rate": float("nan")},
        {"seed": -1},
    ],
)
def test_settings_are_bounded(wrong: dict[str, Any]) -> None:
    with refused(DataError, ("not_whole_within", "not_within"), *wrong):
        FineTuningSettings(**wrong)


def test_changed_pairs_are_always_among_the_used_ones() -> None:
    few = FineTuningSettings(steps=2, batch_pairs=3)
    assert used_indices(6, Changes(frozenset({5})), few) == range(6)
    indices = used_indices(100, Changes(frozenset({99}), {50: PAIRS[0]}), few)
    assert len(indices) == 6
    assert {50, 99} < set(indices)
    assert list(indices) == sorted(set(indices))


@pytest.mark.skipif(not can_pack(), reason="no packed weights on this machine")
@pytest.mark.parametrize("precision", ["fp16", "int8"])
def test_packed_weights_cannot_be_trained(precision: str) -> None:
    packed = loaded()
    pack_linears(packed.model, precision)
    with refused(DataError, "packed_weights_not_trained"):
        list(retrain(packed, PAIRS, Changes(), TEST_SET, FEW))
