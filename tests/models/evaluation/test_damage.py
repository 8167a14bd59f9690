"""The effect of changed sources on a real checkpoint, and outputs that stay the same."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random

import pytest
import torch

from models.decoding.limits import DecodingError
from models.decoding.options import DecodingOptions
from models.decoding.outputs import translate
from models.evaluation.counterfactuals import COUNTERFACTUALS
from models.evaluation.counterfactuals.counterfactual import Change, Counterfactual, apply_edits
from models.evaluation.damage import ChangeOutcome, Damages, measure_damage, worst_first
from models.metrics.sentence import sentence_utility
from models.registry.checkpoint import Checkpoint
from models.registry.registry import Registry
from tests.refusals import refused

ROOT = Path(__file__).parents[3]
GREEDY = DecodingOptions("greedy", max_length=32)
DATES = ("3 March 2021", "Sunday, July 20th, 1969", "9th of November 1989", "3 March 2021")
REFERENCES = (("2021-03-03",), ("1969-07-20", "1969-7-20"), (), ("2021-03-03",))


def loaded(name: str) -> Checkpoint:
    return Registry(ROOT / "checkpoints").load(name, torch.device("cpu"))


@pytest.fixture(scope="module")
def dates() -> Checkpoint:
    return loaded("dates-transformer")


@pytest.fixture(scope="module")
def damages(dates: Checkpoint) -> Damages:
    return measure_damage(dates, DATES, GREEDY, references=REFERENCES)


def replacement(text: str, _: Random, *, words: str) -> Change | None:
    return apply_edits(text, [(0, len(text), words)])


def constant_change(name: str, words: str, *, keeps_meaning: bool) -> Counterfactual:
    """A generator that turns every text into one."""
    return Counterfactual(name, 0, name, f"{name}.", keeps_meaning, partial(replacement, words=words))


def outcome(
    damage: float, *, keeps_meaning: bool = True, after: str = "other", row: int = 0
) -> ChangeOutcome:
    change = Change("b", ((0, 1),), ((0, 1),))
    return ChangeOutcome(row, "x", keeps_meaning, "a", change, "output", after, 50.0, (damage, 0.0))


@pytest.mark.slow
def test_outputs_are_those_of_a_decoding_of_each(dates: Checkpoint, damages: Damages) -> None:
    assert len(damages.outcomes) > 30
    sources = [
        *(outcome.source for outcome in damages.outcomes),
        *(outcome.change.text for outcome in damages.outcomes),
    ]
    outputs = [
        *(outcome.before for outcome in damages.outcomes),
        *(outcome.after for outcome in damages.outcomes),
    ]
    assert outputs == translate(dates.model, dates.tokenizer, sources, GREEDY)


def test_changes_are_those_of_the_generators(damages: Damages) -> None:
    for outcome in damages.outcomes:
        kind = COUNTERFACTUALS[outcome.counterfactual]
        assert outcome.source == DATES[outcome.row]
        assert outcome.change == kind.apply(outcome.source, 0)
        assert outcome.keeps_meaning == kind.keeps_meaning


def test_scores_are_those_of_sacrebleu(damages: Damages) -> None:
    for outcome in damages.outcomes:
        assert outcome.likeness == pytest.approx(sentence_utility(outcome.after, outcome.before, "chrf"))
        references = REFERENCES[outcome.row]
        if not references:
            assert outcome.scores is None
            assert outcome.damage == 100 - outcome.likeness
            continue
        expected = [
            max(sentence_utility(text, reference, "chrf") for reference in references)
            for text in (outcome.before, outcome.after)
        ]
        assert outcome.scores == pytest.approx(expected)
        assert outcome.damage == pytest.approx(expected[0] - expected[1])


def test_a_date_changes_with_its_number(damages: Damages) -> None:
    numbers = [outcome for outcome in damages.outcomes if outcome.counterfactual == "number-changed"]
    assert len(numbers) == len(DATES)
    assert not any(number.same or number.ignored for number in numbers)
    assert all(number.damage > 0 for number in numbers)


def test_the_same_text_twice_has_the_same_outcomes(damages: Damages) -> None:
    rows = [[replace(outcome, row=0) for outcome in damages.outcomes if outcome.row == row] for row in (0, 3)]
    assert rows[0] == rows[1]


def test_a_summary_is_the_mean_of_its_outcomes(damages: Damages) -> None:
    assert [summary.counterfactual for summary in damages.summaries] == [
        name
        for name in COUNTERFACTUALS
        if any(outcome.counterfactual == name for outcome in damages.outcomes)
    ]
    for summary in damages.summaries:
        group = [outcome for outcome in damages.outcomes if outcome.counterfactual == summary.counterfactual]
        assert summary.changed == len(group)
        assert summary.damage == pytest.approx(sum(item.damage for item in group) / len(group), abs=1e-5)
        assert summary.same == pytest.approx(100 * sum(item.same for item in group) / len(group))
        assert summary.same_interval[0] - 1e-9 <= summary.same <= summary.same_interval[1] + 1e-9
        if summary.damage_interval:
            low, high = summary.damage_interval
            assert min(item.damage for item in group) - 1e-5 <= low <= summary.damage <= high
            assert high <= max(item.damage for item in group) + 1e-5


def test_ignored_changes_come_first_and_then_the_worst() -> None:
    better, mild, bad = outcome(-5), outcome(1), outcome(60)
    also_mild = outcome(1, row=1)
    ignored = outcome(0, keeps_meaning=False, after="output")
    noticed = outcome(70, keeps_meaning=False)
    outcomes = (better, mild, ignored, also_mild, noticed, bad)
    assert worst_first(outcomes) == (ignored, noticed, bad, mild, also_mild, better)
    assert [item.ignored for item in worst_first(outcomes)] == [True, *[False] * 5]


def test_an_output_that_stays_is_a_fault_where_the_meaning_has_changed(dates: Checkpoint) -> None:
    kinds = [constant_change("slip", "3 march 2021", keeps_meaning=True)]
    kinds += [constant_change("swap", "3 march 2021", keeps_meaning=False)]
    damage = measure_damage(dates, ["3 March 2021"], GREEDY, counterfactuals=kinds)
    assert [(outcome.counterfactual, outcome.same, outcome.ignored) for outcome in damage.outcomes] == [
        ("swap", True, True),
        ("slip", True, False),
    ]
    assert [(summary.damage, summary.damage_interval, summary.same) for summary in damage.summaries] == [
        (0, None, 100)
    ] * 2


def test_a_reversal_of_a_mistyped_word_includes_the_mistake() -> None:
    reverse = loaded("reverse-gru")
    kind = COUNTERFACTUALS["missing-letter"]
    damage = measure_damage(reverse, ["unrolled", "level"], GREEDY, counterfactuals=[kind], seed=5)
    assert len(damage.outcomes) == 2
    for outcome in damage.outcomes:
        assert (outcome.before, outcome.after) == (outcome.source[::-1], outcome.change.text[::-1])
        assert 0 < outcome.damage < 100


def test_counterfactuals_that_are_too_long_are_left_out(dates: Checkpoint) -> None:
    kinds = [constant_change("long", "3 March 2021 " * 200, keeps_meaning=True)]
    damage = measure_damage(dates, ["3 March 2021"], GREEDY, counterfactuals=kinds)
    assert damage == Damages((), ())


def test_an_empty_list_of_texts_has_no_outcomes(dates: Checkpoint) -> None:
    assert measure_damage(dates, [], GREEDY) == Damages((), ())


@pytest.mark.parametrize("text", ["", "  ", "3 March 2021 " * 200])
def test_a_text_that_cannot_be_decoded_is_refused(dates: Checkpoint, text: str) -> None:
    with pytest.raises(DecodingError):
        measure_damage(dates, ["3 March 2021", text], GREEDY)


def test_pictures_have_no_words() -> None:
    with refused(DecodingError, "no_words_in_pictures", "shapes-captioner"):
        measure_damage(loaded("shapes-captioner"), ["x"], GREEDY)


def test_references_are_one_list_for_each_text(dates: Checkpoint) -> None:
    with pytest.raises(ValueError, match=r"texts.*references.*1.*2"):
        measure_damage(dates, ["3 March 2021"], GREEDY, references=[["a"], ["b"]])
