"""Causes on evidence written by hand, and on faults planted in a shipped checkpoint."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import pytest

from models.decoding.outputs import Output
from models.evaluation.segments import Segment, segments_of_pairs
from models.evaluation.systems import OutputScores, SystemResult
from models.evaluation.triage.causes import CAUSES, repeated_run
from models.evaluation.triage.evidence import OutputEvidence
from models.evaluation.triage.triage import diagnose, triage
from tests.models.evaluation.triage.planted_faults import diagnosed, faultless, planted

PLAIN = OutputEvidence(
    index=0,
    segment=Segment("El gato duerme.", ("The cat sleeps.",), 1),
    output="A dog runs away.",
    chrf=12.0,
    scores=OutputScores(-4.0, -4.0, 6, True, (), -9.0, -9.0, 5),
    output_gain=3.0,
    reference_gain=2.0,
    copied=10.0,
    usual_source_gain=4.0,
    wider=None,
    wider_chrf=0.0,
    unseen=(),
    language="en",
    source_language="es",
)


def cause(evidence: OutputEvidence) -> str:
    return diagnose(evidence).cause.name


def test_the_model_is_at_fault_if_nothing_else_is() -> None:
    result = diagnose(PLAIN)
    assert result.cause.name == "model"
    assert "−4.00" in result.evidence
    assert "−9.00" in result.evidence


def test_a_reference_that_was_not_translated_is_doubtful() -> None:
    assert cause(replace(PLAIN, copied=95.0)) == "reference"
    assert cause(replace(PLAIN, copied=95.0, source_language="en")) == "model"  # a task within a language
    chinese = Segment("猫在睡觉和吃东西。", ("猫在睡觉和吃东西吗",), 1)
    assert cause(replace(PLAIN, segment=chinese)) == "reference"
    assert cause(replace(PLAIN, reference_gain=0.1)) == "reference"
    assert cause(replace(PLAIN, reference_gain=0.1, better_sources=0.2)) == "reference"
    assert cause(replace(PLAIN, reference_gain=0.1, better_sources=0.1)) == "model"  # no other source fits
    assert cause(replace(PLAIN, reference_gain=0.1, output_gain=0.05)) == "reliance"  # nothing is explained


def test_a_reference_is_not_doubted_for_a_source_that_cannot_be_read_nor_for_being_free() -> None:
    unread = replace(PLAIN, reference_gain=0.1, scores=replace(PLAIN.scores, unknown=("☃",)))
    assert cause(unread) == "unknown"
    assert cause(replace(PLAIN, reference_gain=0.9)) == "model"  # 4 nats are usual


def test_repetition_and_a_cut_are_diagnosed() -> None:
    assert cause(replace(PLAIN, output="the cat the cat the cat sleeps")) == "repetition"
    assert cause(replace(PLAIN, scores=replace(PLAIN.scores, ended=False))) == "repetition"
    assert repeated_run("a b a b a b", "en") == "a b"
    assert repeated_run("no no no", "en") == "no"
    assert repeated_run("a b a b c a b", "en") == ""


def test_unknown_and_unseen_words_are_named() -> None:
    result = diagnose(replace(PLAIN, scores=replace(PLAIN.scores, unknown=("☃",))))
    assert (result.cause.name, "☃" in result.evidence) == ("unknown", True)
    unseen = diagnose(replace(PLAIN, unseen=("brunclote",)))
    assert (unseen.cause.name, "brunclote" in unseen.evidence) == ("unseen", True)


def test_a_search_error_needs_a_higher_score() -> None:
    higher = replace(PLAIN.scores, reference_score=-3.0, reference_log_prob=-3.0)
    assert cause(replace(PLAIN, scores=higher)) == "search"
    assert diagnose(replace(PLAIN, scores=higher)).evidence.endswith("the search missed the reference.")
    constrained = diagnose(replace(PLAIN, scores=higher, constrained=True))
    assert constrained.evidence.endswith("the search missed the reference, or a constraint forbade it.")
    better = Output("The cat sleeps!", (1, 2), -3.5, -3.5, ended=True)
    assert cause(replace(PLAIN, wider=better, wider_chrf=80.0)) == "search"
    assert cause(replace(PLAIN, wider=better, wider_chrf=14.0)) == "model"  # likelier, and no better


def test_length_bias_is_a_matter_of_tokens() -> None:
    short = replace(PLAIN.scores, tokens=3, reference_tokens=9)  # -1.33 a token against -1
    assert cause(replace(PLAIN, scores=short)) == "length"
    long = replace(PLAIN.scores, log_prob=-12.0, score=-1.0, tokens=12, reference_score=-1.8)
    assert cause(replace(PLAIN, scores=long)) == "length"


def test_reliance_needs_another_source() -> None:
    alone = replace(PLAIN, output_gain=math.nan, reference_gain=math.nan, usual_source_gain=math.nan)
    assert cause(alone) == "model"
    assert cause(replace(PLAIN, output_gain=0.5)) == "reliance"


def test_every_cause_has_its_own_title_and_remedy() -> None:
    assert len({cause.name for cause in CAUSES}) == len(CAUSES) >= 8
    assert len({str(cause.remedy) for cause in CAUSES}) == len(CAUSES)


def test_outputs_made_elsewhere_have_no_cause() -> None:
    with pytest.raises(ValueError, match="theirs"):
        triage(SystemResult("theirs", ("x",), segments_of_pairs([("uno", "one")]), "en"))


@pytest.mark.full
def test_nine_in_ten_planted_faults_are_diagnosed() -> None:
    hits: Counter[str] = Counter()
    totals: Counter[str] = Counter()
    for item in planted(*faultless()):
        for diagnosis in diagnosed(item):
            totals[item.cause] += 1
            hits[item.cause] += diagnosis.cause.name == item.cause
    assert set(totals) == {cause.name for cause in CAUSES}
    assert hits.total() >= 0.9 * totals.total()
    assert min(totals[name] for name in totals if name != "length") >= 10
