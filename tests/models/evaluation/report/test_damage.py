"""The effect of changed sources on a real checkpoint, and outputs that stay the same."""

from __future__ import annotations

from functools import partial
from itertools import chain
from pathlib import Path
from random import Random

import pytest
import torch

from models.decoding.limits import DecodingError
from models.decoding.options import DecodingOptions
from models.decoding.outputs import translate
from models.evaluation.counterfactuals import COUNTERFACTUALS
from models.evaluation.counterfactuals.counterfactual import Counterfactual, apply_edits
from models.evaluation.report.damage import changed_outputs, effect_of
from models.evaluation.report.evaluation_report import ChangedOutput
from models.evaluation.segments import Segment
from models.metrics.sentence import sentence_utility
from models.registry.checkpoint import Checkpoint
from models.registry.registry import Registry

ROOT = Path(__file__).parents[4]
GREEDY = DecodingOptions("greedy", max_length=32)
DATES = ("3 March 2021", "Sunday, July 20th, 1969", "9th of November 1989", "3 March 2021")
REFERENCES = (("2021-03-03",), ("1969-07-20", "1969-7-20"), ("1989-11-09",), ("2021-03-03",))
SEGMENTS = [Segment(*item) for item in zip(DATES, REFERENCES, range(1, 5), strict=True)]
FIRST = SEGMENTS[:1]


def loaded(name: str) -> Checkpoint:
    return Registry(ROOT / "checkpoints").load(name, torch.device("cpu"))


@pytest.fixture(scope="module")
def dates() -> Checkpoint:
    return loaded("dates-transformer")


@pytest.fixture(scope="module")
def outputs(dates: Checkpoint) -> dict[str, list[ChangedOutput]]:
    return changed_outputs(dates, SEGMENTS, GREEDY)


def replacement(text: str, _: Random, *, words: str) -> str | None:
    return apply_edits(text, [(0, len(text), words)])


def constant_change(name: str, words: str, *, keeps_meaning: bool) -> Counterfactual:
    """A generator that turns every text into one."""
    return Counterfactual(name, 0, name, f"{name}.", partial(replacement, words=words), keeps_meaning)


def output(damage: float, *, ignored: bool = False) -> ChangedOutput:
    return ChangedOutput("a", "b", "output", "output" if ignored else "other", damage, ignored)


@pytest.mark.slow
def test_outputs_are_those_of_a_decoding_of_each(
    dates: Checkpoint, outputs: dict[str, list[ChangedOutput]]
) -> None:
    every = list(chain.from_iterable(outputs.values()))
    assert len(every) > 30
    sources = [*(item.source for item in every), *(item.changed for item in every)]
    decoded = [*(item.before for item in every), *(item.after for item in every)]
    assert decoded == translate(dates.model, dates.tokenizer, sources, GREEDY)


def test_changes_are_those_of_the_generators(outputs: dict[str, list[ChangedOutput]]) -> None:
    assert list(outputs) == [name for name in COUNTERFACTUALS if name in outputs]
    for name, group in outputs.items():
        changed = [(text, COUNTERFACTUALS[name].apply(text, 0)) for text in DATES]
        assert [(item.source, item.changed) for item in group] == [pair for pair in changed if pair[1]]


def test_damage_is_a_loss_of_sacrebleus_chrf(outputs: dict[str, list[ChangedOutput]]) -> None:
    for item in chain.from_iterable(outputs.values()):
        before, after = (
            max(
                sentence_utility(text, reference, "chrf")
                for reference in REFERENCES[DATES.index(item.source)]
            )
            for text in (item.before, item.after)
        )
        assert item.damage == pytest.approx(before - after)


def test_a_date_changes_with_its_number(outputs: dict[str, list[ChangedOutput]]) -> None:
    numbers = outputs["number-changed"]
    assert len(numbers) == len(DATES)
    assert not any(number.before == number.after or number.ignored for number in numbers)
    assert all(number.damage > 0 for number in numbers)


def test_the_same_text_twice_has_the_same_outputs(outputs: dict[str, list[ChangedOutput]]) -> None:
    assert DATES[0] == DATES[3]
    for group in outputs.values():
        twice = [item for item in group if item.source == DATES[0]]
        assert twice == twice[:1] * 2


def test_an_effect_is_the_mean_of_its_outputs(outputs: dict[str, list[ChangedOutput]]) -> None:
    for name, group in outputs.items():
        effect = effect_of(COUNTERFACTUALS[name], group)
        assert effect.changed == len(group)
        assert effect.damage == pytest.approx(sum(item.damage for item in group) / len(group), abs=1e-5)
        unchanged = sum(item.before == item.after for item in group)
        assert effect.same == pytest.approx(100 * unchanged / len(group))
        assert effect.same_interval[0] - 1e-9 <= effect.same <= effect.same_interval[1] + 1e-9
        if effect.damage_interval:
            low, high = effect.damage_interval
            assert min(item.damage for item in group) - 1e-5 <= low <= effect.damage <= high
            assert high <= max(item.damage for item in group) + 1e-5


def test_ignored_changes_come_first_and_then_the_worst() -> None:
    kind = COUNTERFACTUALS["number-changed"]
    better, mild, bad, ignored, noticed = (
        output(-5),
        output(1),
        output(60),
        output(0, ignored=True),
        output(70.004),
    )
    assert effect_of(kind, [better, mild, ignored, noticed, bad]).worst == (ignored, output(70.0), bad)


def test_an_output_that_stays_is_a_fault_where_the_meaning_has_changed(dates: Checkpoint) -> None:
    kinds = [constant_change("slip", "3 march 2021", keeps_meaning=True)]
    kinds += [constant_change("swap", "3 march 2021", keeps_meaning=False)]
    outputs = changed_outputs(dates, FIRST, GREEDY, kinds)
    assert [(name, item.ignored) for name, (item,) in outputs.items()] == [("slip", False), ("swap", True)]
    effects = [effect_of(kind, outputs[kind.name]) for kind in kinds]
    assert [(effect.damage, effect.damage_interval, effect.same) for effect in effects] == [
        (0, None, 100)
    ] * 2


def test_a_reversal_of_a_mistyped_word_includes_the_mistake() -> None:
    segments = [Segment("unrolled", ("dellornu",), 1), Segment("level", ("level",), 2)]
    kind = COUNTERFACTUALS["missing-letter"]
    (group,) = changed_outputs(loaded("reverse-gru"), segments, GREEDY, [kind]).values()
    assert len(group) == 2
    for item in group:
        assert (item.before, item.after) == (item.source[::-1], item.changed[::-1])
        assert 0 < item.damage < 100


def test_counterfactuals_that_are_too_long_are_left_out(dates: Checkpoint) -> None:
    kinds = [constant_change("long", "3 March 2021 " * 200, keeps_meaning=True)]
    assert changed_outputs(dates, FIRST, GREEDY, kinds) == {}


def test_an_empty_list_of_texts_has_no_outputs(dates: Checkpoint) -> None:
    assert changed_outputs(dates, [], GREEDY) == {}


@pytest.mark.parametrize("text", ["", "  ", "3 March 2021 " * 200])
def test_a_text_that_cannot_be_decoded_is_refused(dates: Checkpoint, text: str) -> None:
    with pytest.raises(DecodingError):
        changed_outputs(dates, [*FIRST, Segment(text, ("2021-03-03",), 2)], GREEDY)
