"""A head over many sentences, as the page shows it."""

from __future__ import annotations

import pytest

from demo.service.context import AppContext
from demo.service.evaluation.test_sets import example_pairs
from models.inspection.dossier.ablation import HeadIndex
from models.inspection.dossier.loss import both_outputs, losses
from models.inspection.neighbours.available_states import generated_pairs
from tests.demo.inspect.view_requests import ask, decoded
from tests.messages import says

REVERSE = "reverse-gru"


@pytest.mark.slow
def test_losses_of_a_head_are_the_differences_of_two_decodings(context: AppContext) -> None:
    answer = ask(context, "dossier", decoded(context, REVERSE), 0)
    checkpoint = context.checkpoint(REVERSE)
    outputs = both_outputs(checkpoint, HeadIndex(0, 0), generated_pairs(checkpoint)[:60])
    (exact, *_) = losses(checkpoint, outputs)
    assert f"exact match falls by {exact.lost:.1f} points" in answer["sentences"][0]
    assert f"{exact.low:.1f} to {exact.high:.1f}" in answer["sentences"][0]
    assert exact.lost > 50  # a reversal depends on its one head
    rows = {row[0]: row[1:] for row in answer["table"]["rows"]}
    mirrored, diagonal = (
        float(rows[f"weight on the {name}"][0].rstrip("%")) for name in ("mirrored diagonal", "diagonal")
    )
    assert mirrored > 80 > diagonal


@pytest.mark.slow
def test_the_current_sentence_is_drawn_beside_all_sentences(context: AppContext) -> None:
    (chart,) = ask(context, "dossier", decoded(context, REVERSE), 0)["charts"]
    names = [bars["name"] for bars in chart["data"]]
    assert names == ["all sentences", "the current sentence", "even attention"]
    for bars in chart["data"]:
        assert sum(bars["y"]) == pytest.approx(1, abs=1e-3)


@pytest.mark.slow
def test_typed_sentences_with_references_have_a_bleu_score(context: AppContext) -> None:
    trace = decoded(context, "spa-eng-transformer")
    typed = ask(
        context, "dossier", trace, 0, head="2.3", lines="Tengo hambre.\tI'm hungry.\nNo sé.\tI don't know."
    )
    assert "of 2 outputs" in typed["sentences"][0]
    assert any("BLEU" in row[0] for row in typed["table"]["rows"])
    assert typed["controls"][0]["value"] == "2.3"


@pytest.mark.slow
def test_a_translator_is_judged_on_enough_sentences_with_references(context: AppContext) -> None:
    for name in ("spa-eng-transformer", "eng-cmn-transformer"):
        answer = ask(context, "dossier", decoded(context, name), 0)
        pairs = example_pairs(context.config(name))
        assert len(pairs) > 40
        assert f"of {len(pairs)} outputs" in answer["sentences"][0]


def test_the_view_of_heads_needs_attention(context: AppContext) -> None:
    answer = ask(context, "dossier", decoded(context, "reverse-lstm"), 0)
    assert says(answer["refused"], "no_attention_heads")
