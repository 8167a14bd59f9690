"""Attribution in networks of the transformers library, whose vectors some of them scale on the way in."""

from __future__ import annotations

import pytest
import torch

from models.inspection.attribution import Question, attribute
from models.inspection.methods import METHODS
from models.networks.hugging_face import ForeignModel
from tests.fakes.hugging_face_networks import FAMILIES, Family, batch_of, in_double

pytestmark = pytest.mark.slow

every_family = pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)


@every_family
def test_every_method_explains_what_the_library_computes(family: Family) -> None:
    """By vectors, where `forward` goes by ids: F is the logits' own, and so is that of a replaced token."""
    model, batch = ForeignModel(in_double(family.make())), batch_of(family)
    row = int(batch.src_mask.sum(dim=1).argmax())
    source = batch.src[row][batch.src_mask[row]]
    written = batch.tgt_in[row][batch.tgt_mask[row]]
    token = int(batch.tgt_out[row][batch.tgt_mask[row]][-1])
    other = int(source[1])

    def log_prob(ids: torch.Tensor) -> float:
        with torch.no_grad():
            encoded = model.encode(ids.unsqueeze(0), torch.ones(1, len(ids), dtype=torch.bool))
            state = model.initial_state(encoded)
            for each in written:
                output = model.step(each.unsqueeze(0), state)
                state = output.state  # type: ignore[assignment]
        return float(output.logits.log_softmax(dim=-1)[0, token])

    question = Question(tuple(source.tolist()), tuple(written.tolist()), token, replacement=other)
    value, found = attribute(model, question)
    assert found.keys() == METHODS.keys()
    assert value == pytest.approx(log_prob(source), abs=1e-6)
    without = source.clone()
    without[0] = other
    assert found["replaced"].source[0] == pytest.approx(value - log_prob(without), abs=1e-6)
    assert all(len(each.source) == len(source) for each in found.values())
    assert all(parameter.grad is None for parameter in model.parameters())
