"""Laws of every network that is trained under bf16 autocast."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from models import device as devices
from models.batch import Batch
from models.device import training_autocast
from models.networks.architectures import ARCHITECTURES
from models.networks.base import Seq2SeqModel
from models.networks.cells import CELLS
from models.networks.config import NetworkConfig
from models.networks.recurrent.config import RecurrentConfig
from models.training.loop import objective
from models.training.loop.objective import Objective
from models.training.recipe.sections import OptimizerConfig
from tests.fakes.tiny_networks import (
    BOS,
    CAPTIONERS,
    PAD,
    SAMPLE,
    TARGETS,
    learns_by_heart,
    overfitting,
    tiny_batch,
    tiny_model,
    tiny_sources,
)
from tests.grids import named

pytestmark = pytest.mark.slow

SOME = SAMPLE | CAPTIONERS
some_networks = pytest.mark.parametrize("config", named(SOME, [*SOME][::4]))


@pytest.fixture(autouse=True)
def bf16(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processors that only emulate bf16 compute the same, in more time.

    oneDNN refuses an LSTM in bf16 on processors without the instructions, and PyTorch's kernels compute it.
    """
    for module in (devices, objective):
        monkeypatch.setattr(module, "gains_from_bf16", lambda device: True)
    if not torch.ops.mkldnn._is_mkldnn_bf16_supported():
        monkeypatch.setattr(torch.backends.mkldnn, "enabled", False)


def tiny(config: NetworkConfig, device: str) -> tuple[Seq2SeqModel, Batch]:
    """Weights in single precision, as a run has them."""
    return tiny_model(config).float().to(device), tiny_batch(device, config)


def autocast(model: Seq2SeqModel, batch: Batch) -> Tensor:
    with training_autocast(batch.src.device, enabled=True):
        return model(batch).float()


def steps(model: Seq2SeqModel, batch: Batch) -> Iterator[Tensor]:
    with training_autocast(batch.src.device, enabled=True):
        state = model.initial_state(model.encode(batch.src, batch.src_mask))
        for tokens in batch.tgt_in.unbind(1):
            output = model.step(tokens, state)
            state = output.state
            yield output.logits.float()


def assert_near(actual: Tensor, expected: Tensor) -> None:
    """Assert equality up to the rounding of bf16 over a few layers."""
    assert actual.isfinite().all()
    assert (actual - expected).norm() < 0.03 * expected.norm()


@some_networks
@torch.no_grad()
def test_autocast_is_near_single_precision(config: NetworkConfig, device: str) -> None:
    model, batch = tiny(config, device)
    rounded, exact = autocast(model.train(), batch), model(batch)
    assert_near(rounded, exact)
    assert not torch.equal(rounded, exact)


@some_networks
@torch.no_grad()
def test_stepwise_logits_are_near_the_teacher_forced_ones(config: NetworkConfig, device: str) -> None:
    model, batch = tiny(config, device)
    assert_near(torch.stack(list(steps(model, batch)), dim=1), autocast(model, batch))


@some_networks
@torch.no_grad()
def test_padding_is_neutral(config: NetworkConfig, device: str) -> None:
    model, batch = tiny(config, device)
    more = 0 if config.reads_pictures else 2  # all pictures are of one size
    wider = Batch(
        *(F.pad(ids, (0, more), value=PAD) for ids in (batch.src, batch.src_mask)),
        *(F.pad(ids, (0, 2), value=PAD) for ids in (batch.tgt_in, batch.tgt_out, batch.tgt_mask)),
    )
    assert_near(autocast(model.train(), wider)[:, : batch.tgt_in.shape[1]], autocast(model, batch))


@some_networks
@torch.no_grad()
def test_a_batch_is_near_its_single_pairs(config: NetworkConfig, device: str) -> None:
    model, batch = tiny(config, device)
    logits = autocast(model.train(), batch)
    for row, (source, target) in enumerate(zip(tiny_sources(config), TARGETS, strict=True)):
        single = Batch.from_ids([source], [target], bos_id=BOS, pad_id=PAD).to(torch.device(device))
        assert_near(autocast(model, single)[0], logits[row, : len(target)])


@some_networks
def test_every_parameter_gets_nearly_the_gradient_of_single_precision(
    config: NetworkConfig, device: str
) -> None:
    model, batch = tiny(config, device)
    exact, rounded = (gradients(model, batch, bf16) for bf16 in (False, True))
    assert exact.keys() == rounded.keys() == {name for name, _ in model.named_parameters()}
    directions = [torch.cat([item.flatten() for item in result.values()]) for result in (exact, rounded)]
    assert F.cosine_similarity(*directions, dim=0) > 0.99


def gradients(model: Seq2SeqModel, batch: Batch, bf16: bool) -> dict[str, Tensor]:
    """The gradients of the training loss, for each parameter that has one."""
    model.train().zero_grad()
    Objective(model, OptimizerConfig(bf16=bf16))(batch).backward()
    result = {name: weight.grad for name, weight in model.named_parameters()}
    return {name: grad.clone() for name, grad in result.items() if grad is not None and grad.any()}


@some_networks
def test_a_tiny_model_overfits_eight_pairs(config: NetworkConfig, device: str) -> None:
    model, batch = overfitting(config, device)
    loss = Objective(model, replace(OptimizerConfig(), bf16=True))
    assert learns_by_heart(model, batch, lambda: loss(batch) / batch.tgt_mask.sum())


def test_every_cell_and_architecture_is_tested_in_bf16() -> None:
    assert {config.architecture for config in SOME.values()} == ARCHITECTURES.keys()
    assert {config.cell for config in SOME.values() if isinstance(config, RecurrentConfig)} == CELLS.keys()
