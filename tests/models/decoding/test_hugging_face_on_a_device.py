"""Networks of the transformers library decode on an accelerator as on the CPU."""

from __future__ import annotations

import pytest
import torch

from models.decoding.search.loop import search
from models.decoding.search.step import SearchConditions
from models.decoding.strategies.beam_search import BeamSearch
from models.networks.hugging_face import HuggingFaceModel
from tests.fakes.hugging_face.networks import FAMILIES, Family, batch_of

pytestmark = pytest.mark.gpu


def result(family: Family, device: str) -> list[list[int]]:
    model, batch = (
        HuggingFaceModel(family.make()).to(device).eval(),
        batch_of(family).to(torch.device(device)),
    )
    assert isinstance(model, HuggingFaceModel)
    with torch.inference_mode():
        *_, last = search(
            model,
            model.encode(batch.src, batch.src_mask),
            BeamSearch(3),
            SearchConditions(
                family.start, family.end, max_length=8, forced=family.first, opening=len(family.first)
            ),
            torch.Generator().manual_seed(0),
        )
    return [list(output.tokens) for pool in last.pools for output in pool.sequences]


@pytest.mark.parametrize("name", FAMILIES)
def test_beam_search_finds_the_same_on_every_device(name: str, device: str) -> None:
    expected = result(FAMILIES[name], "cpu")
    assert expected
    assert result(FAMILIES[name], device) == expected
