"""Metrics against figures that stand in the literature and in sacrebleu's own interface."""

from __future__ import annotations

import pytest
import sacrebleu

from models.metrics.bootstrap import measure

OUTPUTS = ["the cat sat on the mat today", "he is very calm", "good morning to you all"]
REFERENCES = [
    ["the cat sat on the mat"],
    ["he is calm", "he is very calm"],
    ["good morning to everyone", "hi"],
]


def test_a_single_reference_agrees_with_sacrebleu() -> None:
    first = [choices[0] for choices in REFERENCES]
    metrics = measure(OUTPUTS, [[reference] for reference in first])
    assert metrics.bleu == pytest.approx(sacrebleu.corpus_bleu(OUTPUTS, [first]).score)
    assert metrics.chrf == pytest.approx(sacrebleu.corpus_chrf(OUTPUTS, [first]).score)


def test_more_references_do_not_lower_the_score_and_are_in_the_signature() -> None:
    one, several = measure(OUTPUTS, [[r[0]] for r in REFERENCES]), measure(OUTPUTS, REFERENCES)
    assert several.bleu > one.bleu
    assert several.exact_match == pytest.approx(100 / 3)
    assert "nrefs:1|" in one.bleu_signature
    assert "nrefs:var|" in several.bleu_signature


def test_chinese_is_cut_into_characters() -> None:
    outputs, references = ["我喜欢吃苹果。"], [["我很喜欢吃苹果。"]]
    assert measure(outputs, references).bleu == pytest.approx(0.0, abs=0.01)
    assert measure(outputs, references, "zh").bleu == pytest.approx(72.90, abs=0.01)


@pytest.mark.parametrize(
    ("outputs", "references", "name"),
    [([], [], "outputs"), (["a"], [["a"], ["b"]], "outputs"), (["a"], [[]], "reference")],
)
def test_unequal_lists_are_refused(outputs: list[str], references: list[list[str]], name: str) -> None:
    with pytest.raises(ValueError, match=name):
        measure(outputs, references)
