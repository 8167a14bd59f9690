"""States of networks of the transformers library that a depth-first search comes back to."""

from __future__ import annotations

import pytest
import torch

from models.networks.hugging_face import HuggingFaceModel
from tests.fakes.hugging_face.networks import Family, batch_of, each_family, in_double
from tests.fakes.tiny_networks import assert_same

pytestmark = pytest.mark.slow


@each_family
@torch.no_grad()
def test_a_state_is_restored_from_the_parts_added_by_each_step(family: Family) -> None:
    model, batch = HuggingFaceModel(in_double(family.make())), batch_of(family)
    start = model.initial_state(model.encode(batch.src, batch.src_mask)).reorder(torch.tensor([1]))
    branched, rows = torch.tensor([0, 0, 0, 0]), torch.tensor([3, 1, 1])
    first = model.step(torch.tensor([4]), start).state
    second = model.step(torch.tensor([5, 6, 7, 8]), first.reorder(branched)).state
    paths = torch.stack((branched[rows], rows))
    resumed = first.reorder(branched).resume([first.newest(), second.newest()], paths)
    reordered = second.reorder(rows, same_source=True)
    tokens = torch.tensor([6, 5, 4])
    expected = model.step(tokens, second.reorder(rows))
    for state in (resumed, reordered):
        actual = model.step(tokens, state)
        assert_same(actual.logits, expected.logits)
        assert actual.cross_attention is not None
        assert expected.cross_attention is not None
        assert_same(actual.cross_attention, expected.cross_attention)
