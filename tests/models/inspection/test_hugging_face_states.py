"""States, parts and embeddings of networks of the transformers library."""

from __future__ import annotations

import pytest
import torch

from models.inspection.embeddings import SHARED_TABLE, SOURCE_TABLE, TARGET_TABLE, tables
from models.inspection.neighbours.states import unroll
from models.networks.hugging_face import HuggingFaceModel
from models.tokenization.tokenizer import Tokenizer
from tests.fakes.hugging_face.networks import Family, batch_of, each_family, in_double
from tests.fakes.tiny_networks import assert_same

pytestmark = pytest.mark.slow


@each_family
def test_stepwise_states_equal_those_of_one_pass_of_the_library(family: Family) -> None:
    model, batch = HuggingFaceModel(in_double(family.make())), batch_of(family)
    unrolled = unroll(model, batch)
    with torch.inference_mode():
        assert_same(unrolled.features[batch.tgt_mask], model.features(batch)[batch.tgt_mask])
    assert unrolled.context is not None
    lowest, highest = (
        unrolled.memory.amin(dim=1),
        unrolled.memory.amax(dim=1),
    )  # a context is a mean of states
    assert ((lowest - 1e-9 <= unrolled.context[:, 0]) & (unrolled.context[:, 0] <= highest + 1e-9)).all()


@each_family
def test_a_shared_table_is_found_if_one_side_scales_its_rows(family: Family) -> None:
    model = HuggingFaceModel(in_double(family.make()))
    tokenizer = Tokenizer.train(["abcdefghijklmnopqrstuvwxyz"], "character", 30)
    result = tables(model, tokenizer)
    encoder, decoder = (
        part.get_input_embeddings().weight
        for part in (model.library_model.get_encoder(), model.library_model.get_decoder())
    )
    assert set(result) == ({SHARED_TABLE} if torch.equal(encoder, decoder) else {SOURCE_TABLE, TARGET_TABLE})
