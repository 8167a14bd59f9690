"""The lab of one-hot rows and embeddings, compared with counts by hand and the network's own table."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from demo.labs.lookup.lab import LAB, NEAREST, PADDING
from demo.labs.lookup.reading import MAX_TOKENS, PREFERRED
from demo.learn.lab_answers import on_lab
from demo.widgets.answers.content import Content, Controls
from models.networks.recurrent.model import RecurrentModel
from tests.demo.labs.cases import shipped
from tests.demo.labs.small_network import checkpoint, small_networks
from tests.demo.labs.test_every_lab import ask
from tests.messages import says

TEXT = "perro"  # p e r r o and the end token: 6 tokens, 5 of them different


def content_of(**options: Any) -> Content:
    return LAB.compute(Controls(options={"text": TEXT, **options}, networks=small_networks()))


def facts(**options: Any) -> dict[str, Any]:
    return dict(content_of(**options).facts)


def table(side: str) -> torch.Tensor:
    model = checkpoint().model
    assert isinstance(model, RecurrentModel)
    layer = model.src_embedding if side == "source" else model.tgt_embedding
    return layer.weight.detach()


def test_lookup_equals_the_one_hot_product_and_both_costs_are_counted() -> None:
    lab_facts = facts()
    rows = len(table("target"))
    assert (lab_facts["tokens"], lab_facts["distinct"], lab_facts["vocabulary"], lab_facts["dimensions"]) == (
        6,
        5,
        rows,
        8,
    )
    assert lab_facts["difference"] == 0
    assert lab_facts["multiplications"] == (6 + PADDING) * rows * 8
    assert lab_facts["copied"] == (6 + PADDING) * 8
    assert "largest difference is 0." in content_of().sentences[0]


def test_the_one_hot_picture_has_a_column_for_each_id_that_occurs() -> None:
    (heatmap,) = ask("lookup", text=TEXT)["charts"][0]["data"]
    tokenizer = checkpoint().tokenizer
    assert heatmap["z"] == [
        [1, 0, 0, 0, 0, 0],
        [0, 1, 0, 0, 0, 0],
        [0, 0, 1, 0, 0, 0],
        [0, 0, 1, 0, 0, 0],
        [0, 0, 0, 1, 0, 0],
        [0, 0, 0, 0, 1, 0],
        *[[0, 0, 0, 0, 0, 1]] * PADDING,
    ]
    ids = ask("lookup", text=TEXT)["charts"][0]["layout"]["xaxis"]["ticktext"]
    assert ids == [*(str(tokenizer.token_id(letter)) for letter in "pero"), "3", "0"]


@pytest.mark.parametrize("side", ["source", "target"])
def test_a_row_learns_as_often_as_its_token_occurs(side: str) -> None:
    (bars,) = ask("lookup", text=TEXT, table=side)["charts"][1]["data"]
    lengths = [float(table(side)[checkpoint().tokenizer.token_id(letter)].norm()) for letter in "pero"]
    expected = [lengths[0], lengths[1], 2 * lengths[2], lengths[3], float(table(side)[3].norm()), 0]
    assert bars["y"] == pytest.approx(expected, abs=1e-4)
    assert bars["text"] == ["1×", "1×", "2×", "1×", "1×", f"{PADDING}×"]
    assert facts(table=side)["rows_with_gradient"] == 5


def test_padding_is_zero_and_has_neither_direction_nor_gradient() -> None:
    lab_facts = facts(about="pad")
    assert (lab_facts["pad_length"], lab_facts["pad_gradient"], lab_facts["length"]) == (0, 0, 0)
    assert "nearest" not in lab_facts
    sentences = content_of(about="pad").sentences
    assert "is 0 still" in sentences[3]
    assert "no token is near to it" in sentences[4]


def test_padding_is_described_only_if_its_neighbours_are_requested() -> None:
    assert "padding_idx" in " ".join(content_of(about="pad").sentences)
    assert "padding_idx" not in " ".join(content_of().sentences)


def test_neighbours_are_those_by_cosine() -> None:
    rows = table("target").double()
    r = checkpoint().tokenizer.token_id("r")
    assert r is not None
    cosines = torch.nn.functional.cosine_similarity(rows, rows[r].unsqueeze(0))
    cosines[[0, 1, 2, 3, r]] = -2
    best = cosines.topk(NEAREST)
    lab_facts, answer = facts(about="3"), ask("lookup", text=TEXT, about="3")
    assert lab_facts["similarity"] == pytest.approx(float(best.values[0]))
    labels = [checkpoint().tokenizer.token(int(index)).replace(" ", "␣") for index in best.indices]
    assert [row[0] for row in answer["table"]["rows"][:NEAREST]] == labels
    assert lab_facts["nearest"] == labels[0]
    cosine_of = {letter: float(cosines[checkpoint().tokenizer.token_id(letter)]) for letter in "peo"}
    assert lab_facts["text_nearest"] == max(cosine_of, key=lambda letter: cosine_of[letter])
    assert lab_facts["text_rank"] == 1 + int((cosines > max(cosine_of.values()) + 1e-9).sum())


def test_a_click_selects_a_neighbour() -> None:
    answer = ask("lookup", text=TEXT)
    keys = [key for trace in answer["charts"][2]["data"] for _, _, key in trace["customdata"]]
    (near, *_) = [key for key in keys if key.startswith("near:")]
    then = ask("lookup", text=TEXT, about=near)
    assert then["controls"][-1]["value"] == near
    assert then["table"]["head"][0] != answer["table"]["head"][0]
    assert ask("lookup", text=TEXT, about="near:99999999999")["controls"][-1]["value"] == "1"


def test_a_text_that_cannot_be_looked_up_is_refused() -> None:
    assert says(ask("lookup", text="  ")["refused"], "text_to_look_up_missing")
    too_long = ask("lookup", text="r" * MAX_TOKENS)["refused"]
    assert says(too_long, "text_too_long_to_look_up", limit=MAX_TOKENS)
    assert says(on_lab({"lab": "lookup"})["refused"], "no_table_to_show")


@pytest.mark.full
def test_every_shipped_checkpoint_has_a_text_of_its_own_kind() -> None:
    names = [name for name, _ in shipped().configs()]
    assert PREFERRED in names
    for name in names:
        lab_facts = LAB.compute(Controls(options={"checkpoint": name}, networks=shipped())).facts
        assert lab_facts["difference"] == 0
        assert 2 < float(lab_facts["rows_with_gradient"]) == lab_facts["distinct"]


@pytest.mark.slow
def test_a_table_shared_with_the_output_layer_has_a_nonzero_padding_row() -> None:
    tied = LAB.compute(Controls(options={"about": "pad"}, networks=shipped()))
    untied = LAB.compute(Controls(options={"checkpoint": "reverse-gru"}, networks=shipped()))
    assert float(tied.facts["pad_length"]) > 0.1
    assert tied.facts["pad_gradient"] == untied.facts["pad_length"] == 0
    assert "is not 0 all the same" in tied.sentences[3]
