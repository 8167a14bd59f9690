"""Every cell and every architecture is trained, becomes a checkpoint with a card, and decodes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from models.decoding.decode import decode
from models.decoding.options import DecodingOptions
from models.networks.architectures import ARCHITECTURES
from models.networks.cells import CELLS
from models.networks.config import NetworkConfig
from models.networks.packed import can_pack, is_packed, pack_linears
from models.networks.recurrent.config import RecurrentConfig
from models.networks.recurrent.layers import UnrolledCells
from models.registry.registry import Registry
from models.training.events import RunFinished
from tests.fakes.tiny_networks import tiny_config
from tests.fakes.training.small_run import CONFIG, CPU, run

# Networks that read texts; `test_captioning.py` tests those that read pictures.
NETWORKS: dict[str, NetworkConfig] = {
    **{name: tiny_config(kind) for name, kind in ARCHITECTURES.items() if not kind.reads_pictures},
    **{name: RecurrentConfig(cell=name, d_embed=8, d_model=8, d_attention=8) for name in CELLS},
}


@pytest.mark.slow
@pytest.mark.parametrize("network", NETWORKS.values(), ids=NETWORKS)
def test_every_network_is_trained_and_becomes_a_checkpoint(network: NetworkConfig, tmp_path: Path) -> None:
    data = replace(CONFIG.data, max_pieces=8, options={"longest": 6})
    events = run(replace(CONFIG, network=network, data=data, epochs=1, max_length=8), tmp_path)
    assert isinstance(events[-1], RunFinished)
    registry = Registry(tmp_path)
    card, checkpoint = registry.card("best"), registry.load("best", CPU)
    assert (card.architecture, card.parameters) == (network.description(), checkpoint.model.num_parameters())
    request = DecodingOptions("greedy", max_length=7)
    expected = decode(checkpoint.model, checkpoint.tokenizer, "abc", request)
    pack_linears(checkpoint.model)
    assert is_packed(checkpoint.model) == can_pack()
    if isinstance(network, RecurrentConfig) and can_pack():
        assert any(isinstance(module, UnrolledCells) for module in checkpoint.model.modules())
    packed = decode(checkpoint.model, checkpoint.tokenizer, "abc", request)
    assert packed.hypotheses[0].token_ids == expected.hypotheses[0].token_ids
