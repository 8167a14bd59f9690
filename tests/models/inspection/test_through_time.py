"""The gradient of a state equals the change of the output when the state is moved a little."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import pytest
import torch
from torch import Tensor, nn

from models.inspection.question import ExplainedPrediction, InspectionError, Question
from models.inspection.recurrence import ThroughTime, clip_norms, state_gradients, through_time
from models.networks.cells.cell import Cell, Hidden
from models.networks.config import NetworkConfig
from models.networks.packed import can_pack, pack_linears
from models.networks.recurrent.config import RecurrentConfig
from models.networks.recurrent.layers import LoopedLayers, UnrolledCells
from models.networks.recurrent.model import RecurrentDecoder, RecurrentModel
from tests.fakes.tiny_networks import BOS, CAPTIONERS, EOS, SAMPLE, each_network, tiny_model, tiny_pictures
from tests.refusals import refused

SOURCE, PREFIX, TOKEN = (5, 6, 7, 8, EOS), (BOS, 12, 11, 9), 10
QUESTION = Question(SOURCE, PREFIX, TOKEN)
RECURRENT = {name: config for name, config in SAMPLE.items() if isinstance(config, RecurrentConfig)}
every_network = each_network(RECURRENT)


class NudgedStep:
    """The step of a cell that counts its calls and moves h in one of them."""

    def __init__(self, cell: Cell, call: int, shift: Tensor) -> None:
        self._step, self._call, self._by, self._calls = cell.step, call, shift, 0

    def __call__(self, inputs: Tensor, products: Tensor, before: Hidden) -> Hidden:
        h, *others = self._step(inputs, products, before)
        self._calls += 1
        return (h + self._by if self._calls - 1 == self._call else h, *others)


def linear(weight: Tensor, bias: Tensor | None) -> nn.Linear:
    layer = nn.Linear(weight.shape[1], weight.shape[0])
    layer.weight.data, layer.bias.data = weight, bias  # type: ignore[assignment]
    return layer


def with_nudge(config: RecurrentConfig, side: str, call: int, shift: Tensor) -> float:
    """F of a network with one moved state, computed without `models.inspection`."""
    model = tiny_model(config)
    assert isinstance(model, RecurrentModel)
    cell = replace(model.cell, step=NudgedStep(model.cell, call, shift), fused="")
    if side == "output":
        model.decoder = UnrolledCells(cell, model.decoder.all_weights, linear)  # type: ignore[arg-type]
    else:
        width, layers = config.d_model // (2 if config.bidirectional else 1), config.num_layers
        looped = LoopedLayers(
            cell, config.d_embed, width, layers, bidirectional=config.bidirectional, dropout=0.0
        )
        looped.double().load_state_dict(model.encoder.state_dict())
        model.encoder = looped.eval()
    return ExplainedPrediction(model, QUESTION).value


def assert_slope(config: RecurrentConfig, side: str, call: int, slope: Tensor) -> None:
    torch.manual_seed(call)
    direction = torch.randn_like(slope)
    ahead, behind = (with_nudge(config, side, call, sign * 1e-5 * direction) for sign in (1, -1))
    difference = (ahead - behind) / 2e-5
    assert float((slope * direction).sum()) == pytest.approx(difference, rel=1e-5, abs=1e-8)


@pytest.mark.slow
@every_network
def test_gradients_through_time_are_finite_differences(config: RecurrentConfig) -> None:
    """The gradients of every step, layer and direction, in double precision."""
    read, decoder = state_gradients(ExplainedPrediction(tiny_model(config), QUESTION))
    for layer, (slopes,) in enumerate(decoder):
        for step, (slope, *_) in enumerate(slopes.states):
            # Unrolled, the layers take turns at each step.
            assert_slope(config, "output", step * config.num_layers + layer, slope)
    places = [(index, slopes) for index, slopes in enumerate(side for layer in read for side in layer)]
    for position, slopes in places:
        backward = config.bidirectional and position % 2
        for step, (slope, *_) in enumerate(slopes.states):
            turn = len(SOURCE) - 1 - step if backward else step
            assert_slope(config, "source", position * len(SOURCE) + turn, slope)


def test_an_lstm_passes_the_gradient_of_its_cell_through_the_forget_gate() -> None:
    """dF/dc_t = dF/dh_t o_t (1 - tanh(c_t)^2) + dF/dc_(t+1) f_(t+1), h counted by itself."""
    model = tiny_model(RECURRENT["lstm-1-bi-initial-general"])
    assert isinstance(model, RecurrentModel)
    _, ((slopes,),) = state_gradients(ExplainedPrediction(model, QUESTION))
    gates, c = slopes.record.gates(model.cell), slopes.record.part(1)[0]
    later = torch.zeros_like(c[0])
    for step in reversed(range(len(PREFIX))):
        by_h, by_c = slopes.states[step]
        expected = by_h * gates["output gate"][0, step] * (1 - c[step].tanh().square()) + later
        torch.testing.assert_close(by_c, expected)
        later = by_c * gates["forget gate"][0, step]


@every_network
def test_the_gradient_of_the_weights_equals_that_of_autograd(config: RecurrentConfig) -> None:
    model = tiny_model(config)
    assert isinstance(model, RecurrentModel)
    prediction = ExplainedPrediction(model, QUESTION)
    expected = torch.autograd.grad(
        prediction.value_of_vectors(*prediction.vectors).sum(),
        [*model.encoder.parameters(), *model.decoder.parameters()],
        allow_unused=True,
    )
    whole = math.sqrt(sum(float(gradient.square().sum()) for gradient in expected if gradient is not None))
    assert through_time(prediction).weights == pytest.approx(whole, rel=1e-9)


@every_network
def test_there_is_a_norm_for_every_step(config: RecurrentConfig) -> None:
    model = tiny_model(config)
    result = through_time(ExplainedPrediction(model, QUESTION))
    assert len(result.source) == len(result.output) == config.num_layers
    assert {len(layer) for layer in result.source} == {2 if config.bidirectional else 1}
    for norms in (*result.output, *(side for layer in result.source for side in layer)):
        assert tuple(norms) == model.cell.state_names  # type: ignore[union-attr]
    assert {len(values) for norms in result.output for values in norms.values()} == {len(PREFIX)}
    sides = [side for layer in result.source for side in layer]
    assert {len(values) for norms in sides for values in norms.values()} == {len(SOURCE)}
    vectors = state_gradients(ExplainedPrediction(model, QUESTION))[1][0][0].states
    assert result.output[0]["h"] == pytest.approx([float(parts[0].norm()) for parts in vectors])
    assert all(parameter.grad is None for parameter in model.parameters())


@each_network(CAPTIONERS)
def test_a_captioner_has_norms_of_the_output_alone(config: NetworkConfig) -> None:
    (picture,) = tiny_pictures(config, 1)  # type: ignore[arg-type]
    norms = through_time(ExplainedPrediction(tiny_model(config), replace(QUESTION, source=picture)))
    assert norms.source == ()
    assert len(norms.output[0]["h"]) == len(PREFIX)


@pytest.mark.skipif(not can_pack(), reason="this processor has no kernels for packed weights")
@every_network
def test_packed_weights_give_the_same_and_8_bit_weights_are_refused(config: NetworkConfig) -> None:
    model, packed, rounded = (tiny_model(config).half().float().requires_grad_(False) for _ in range(3))
    pack_linears(packed)
    with torch.inference_mode():  # decodings come before questions
        packed.encode(torch.tensor([SOURCE]), torch.ones(1, len(SOURCE), dtype=torch.bool))
    plain, same = (through_time(ExplainedPrediction(network, QUESTION)) for network in (model, packed))
    for ours, theirs in zip(norms_of(same), norms_of(plain), strict=True):
        assert ours == pytest.approx(theirs, rel=1e-3, abs=1e-5)
    assert same.weights == pytest.approx(plain.weights, rel=1e-3)
    pack_linears(rounded, "int8")
    with refused(InspectionError, "no_gradients"):
        through_time(ExplainedPrediction(rounded, QUESTION))


def norms_of(gradients: ThroughTime) -> list[tuple[float, ...]]:
    sides = (*gradients.output, *(side for layer in gradients.source for side in layer))
    return [values for norms in sides for values in norms.values()]


def test_the_gradient_of_a_plain_rnn_decays() -> None:
    """Each step back multiplies by the slope of tanh, at most 1, and by weights that shrink here."""
    config = RecurrentConfig(
        cell="rnn",
        d_embed=6,
        d_model=8,
        num_layers=1,
        bidirectional=False,
        context="initial",
        attention="none",
        d_attention=5,
    )
    model = tiny_model(config)
    assert isinstance(model, RecurrentDecoder)
    largest = 0.7
    with torch.no_grad():
        for layers in (model.decoder, model.encoder):  # type: ignore[attr-defined]
            nn.init.orthogonal_(layers.weight_hh_l0, gain=largest)
    long = replace(QUESTION, source=(*SOURCE[:-1], 9, 4, 10, EOS), prefix=(BOS, *range(4, 12)))
    norms = through_time(ExplainedPrediction(model, long))
    chain = (*norms.source[0][0]["h"], *norms.output[0]["h"])
    # The last state of the source is the one before the first step of the output.
    assert all(earlier <= largest * later * (1 + 1e-9) for earlier, later in pairwise(chain))
    assert chain[0] < 1e-2 * chain[-1]


def test_clipping_cuts_what_is_above_the_threshold() -> None:
    """Clipping equals torch's on a whole gradient."""
    assert clip_norms((0.0, 0.5, 2.0), 1.0) == (0.0, 0.5, 1.0)
    assert clip_norms((3.0,), 0.0) == (0.0,)
    with pytest.raises(ValueError, match="threshold"):
        clip_norms((1.0,), -1.0)
    for size in (0.1, 7.0):
        weight = nn.Parameter(torch.ones(4, dtype=torch.float64))
        weight.grad = torch.full_like(weight, size)
        before = float(nn.utils.clip_grad_norm_([weight], 1.0))
        assert clip_norms((before,), 1.0)[0] == pytest.approx(float(weight.grad.norm()), rel=1e-5)


def test_a_network_without_a_state_is_refused_with_a_sentence() -> None:
    with refused(InspectionError, "not_recurrent"):
        through_time(ExplainedPrediction(tiny_model(SAMPLE["transformer-post-gelu"]), QUESTION))
