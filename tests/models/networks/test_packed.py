"""Packed linear layers: the same products, faster, for decoding alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from models.networks import packed
from models.networks.config import NetworkConfig
from models.networks.packed import (
    MAX_ONE_THREAD_PRODUCTS,
    PRECISIONS,
    ByteLinear,
    HalfLinear,
    PackedLinear,
    can_pack,
    memory_bytes,
    pack_linears,
)
from models.networks.recurrent.layers import UnrolledCells
from models.networks.recurrent.model import RecurrentModel
from tests.fakes.tiny_networks import SAMPLE, tiny_batch, tiny_model

some_networks = pytest.mark.parametrize("config", SAMPLE.values(), ids=SAMPLE)
where_possible = pytest.mark.skipif(not can_pack(), reason="this processor has no kernels for packed weights")


@pytest.fixture(params=[1, 2])
def threads(request: pytest.FixtureRequest) -> Iterator[int]:
    """Set the threads of torch while the test runs."""
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield request.param
    torch.set_num_threads(before)


def stepwise(model: nn.Module) -> Tensor:
    """Logits by single steps, which take other ways through a network than `forward` does."""
    batch, logits = tiny_batch(), []
    state = model.initial_state(model.encode(batch.src, batch.src_mask))
    for tokens in batch.tgt_in.unbind(1):
        output = model.step(tokens, state)
        state = output.state
        logits.append(output.logits)
    return torch.stack(logits, dim=1)


@some_networks
@torch.inference_mode()
def test_a_checkpoint_decodes_the_same_when_packed(config: NetworkConfig) -> None:
    """The weights are rounded to half precision before, so packing does not change them."""
    model, batch = tiny_model(config).half().float(), tiny_batch()
    expected = model(batch)
    pack_linears(model)
    for logits in (model(batch), stepwise(model)):
        torch.testing.assert_close(logits, expected, rtol=1e-4, atol=1e-5)


@some_networks
def test_every_linear_layer_is_packed_if_the_processor_supports_it(config: NetworkConfig) -> None:
    model = tiny_model(config).float()
    pack_linears(model)
    plain = any(isinstance(module, nn.Linear) for module in model.modules())
    assert plain != can_pack()
    if isinstance(model, RecurrentModel):
        assert isinstance(model.decoder, UnrolledCells) == can_pack()
        assert not isinstance(model.encoder, UnrolledCells)  # unrolled cells read no packed sequences


@where_possible
@pytest.mark.parametrize("has_bias", [True, False])
@pytest.mark.parametrize("rows", [1, 64])
def test_half_precision_rounds_the_weights_alone(has_bias: bool, rows: int, threads: int) -> None:
    """Both kernels are tested: one for little work, the other for much work and several threads."""
    torch.manual_seed(0)
    weight, x = torch.randn(300, 256), torch.randn(rows, 2, 128).flatten(1)
    assert (x.numel() * len(weight) > MAX_ONE_THREAD_PRODUCTS) == (rows == 64)
    bias = torch.randn(300) if has_bias else None
    expected = F.linear(x, weight.half().float(), bias)
    layer = HalfLinear(weight, bias)
    torch.testing.assert_close(layer(x), expected, rtol=1e-5, atol=1e-4)
    torch.testing.assert_close(layer(x.view(1, rows, 256))[0], expected, rtol=1e-5, atol=1e-4)


@where_possible
@pytest.mark.filterwarnings("ignore:torch.quantize")  # `pack_linears` keeps it quiet
def test_eight_bits_are_near_but_not_the_same() -> None:
    torch.manual_seed(0)
    weight, bias, x = torch.randn(300, 256), torch.randn(300), torch.randn(8, 256)
    expected = F.linear(x, weight, bias)
    error = (ByteLinear(weight, bias)(x) - expected).norm() / expected.norm()
    assert 1e-4 < error < 0.03


@where_possible
@pytest.mark.filterwarnings("ignore:torch.quantize")
@pytest.mark.parametrize(("precision", "tolerance"), [("fp16", 0.0), ("int8", 0.02)])
def test_packed_weights_can_be_read_again(precision: str, tolerance: float) -> None:
    torch.manual_seed(0)
    weight, bias = torch.randn(300, 256), torch.randn(300)
    layer = PRECISIONS[precision](weight, bias)
    before = memory_bytes(layer)
    torch.testing.assert_close(layer.weight, weight.half().float(), rtol=0, atol=tolerance)
    assert layer.weight is layer.weight
    assert torch.equal(layer.bias, bias)
    assert memory_bytes(layer) == before + weight.nbytes


@where_possible
@some_networks
@torch.inference_mode()
def test_a_whole_network_in_eight_bits_stays_near(config: NetworkConfig) -> None:
    model = tiny_model(config).half().float()
    expected = stepwise(model)
    pack_linears(model, "int8")
    error = (stepwise(model) - expected).norm() / expected.norm()
    assert 0 < error < 0.1


@pytest.mark.parametrize("precision", PRECISIONS)
def test_nothing_is_packed_without_the_kernel(precision: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "can_pack", lambda: False)
    model, batch = tiny_model(SAMPLE["gru-1-bi-initial-additive"]).float(), tiny_batch()
    expected = model(batch)
    pack_linears(model, precision)
    assert not any(isinstance(module, PackedLinear | UnrolledCells) for module in model.modules())
    assert torch.equal(model(batch), expected)


@where_possible
def test_a_torch_without_the_kernel_cannot_pack(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(torch, "fbgemm_linear_fp16_weight_fp32_activation")
    assert not can_pack()


def test_another_precision_is_refused_with_a_sentence() -> None:
    with pytest.raises(ValueError, match=r"precision.*'fp8'"):
        pack_linears(nn.Sequential(nn.Linear(2, 2)), "fp8")


@where_possible
@pytest.mark.parametrize("precision", PRECISIONS)
def test_packed_layers_take_less_memory_with_one_thread(precision: str, threads: int) -> None:
    """Half precision for several threads takes as much as before: it holds the weights twice."""
    layer = nn.Sequential(nn.Linear(64, 32, bias=False))
    assert memory_bytes(layer) == 4 * 64 * 32
    pack_linears(layer, precision)
    item = 1 if precision == "int8" else 2 * threads
    assert memory_bytes(layer) == item * 64 * 32
