"""The reported states of units are the network's own, and the gates reproduce them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from models.inspection.question import InspectionError
from models.inspection.recurrence import run_encoder
from models.inspection.units import LayerSteps, UnitsOverTime, units_over_time
from models.networks.base import Seq2SeqModel
from models.networks.cells import CELLS
from models.networks.config import NetworkConfig
from models.networks.packed import can_pack, pack_linears
from models.networks.recurrent.config import RecurrentConfig
from models.networks.recurrent.model import RecurrentDecoder, RecurrentModel
from models.registry.registry import Registry
from tests.fakes.tiny_networks import (
    BOS,
    CAPTIONERS,
    NETWORKS,
    PAD,
    SAMPLE,
    SOURCES,
    TARGETS,
    each_network,
    tiny_batch,
    tiny_model,
    tiny_pictures,
)
from tests.refusals import refused

RECURRENT = {name: config for name, config in NETWORKS.items() if isinstance(config, RecurrentConfig)}
EXACT = 1e-6  # single precision: fused layers sum in another order
every_network = each_network(RECURRENT)
packable = pytest.mark.skipif(not can_pack(), reason="this processor has no kernels for packed weights")


def of_tiny(model: Seq2SeqModel) -> list[UnitsOverTime]:
    return units_over_time(model, SOURCES, TARGETS, bos_id=BOS, pad_id=PAD)


def own_states(model: RecurrentDecoder, source: tuple[int, ...], target: tuple[int, ...]) -> list[Tensor]:
    """The states by the network alone, one sentence and one step at a time: each part (T, L, D)."""
    with torch.no_grad():
        ids = torch.tensor([source])
        state = model.initial_state(model.encode(ids, torch.ones_like(ids, dtype=torch.bool)))
        result = []
        for token in (BOS, *target[:-1]):
            state = model.step(torch.tensor([token]), state).state  # type: ignore[assignment]
            result.append(torch.stack([part[0] for part in state.hidden]))
    return list(torch.stack(result, dim=1))


@every_network
def test_the_states_are_the_network_s_own(config: RecurrentConfig) -> None:
    """States in single precision, for a batch with padding, both directions and all layers."""
    model = tiny_model(config).float()
    assert isinstance(model, RecurrentModel)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(0.5)  # as large as those of a trained network
    batch = tiny_batch()
    with torch.no_grad():
        encoded = model.encode(batch.src, batch.src_mask)
    names = model.cell.state_names
    for row, units in enumerate(of_tiny(model)):
        memory = encoded.memory[row, : len(SOURCES[row])]
        assert units.source[-1].values["h"] == pytest.approx(memory.numpy(), abs=EXACT)
        for index, name in enumerate(names):
            for layer, steps in enumerate(units.source):
                forward, backward = np.split(steps.values[name], [steps.forward], axis=1)
                end = np.concatenate((forward[-1], backward[0]))
                assert end == pytest.approx(encoded.final[index][row, layer].numpy(), abs=EXACT)
        for index, expected in enumerate(own_states(model, SOURCES[row], TARGETS[row])):
            for layer, steps in enumerate(units.output):
                assert steps.values[names[index]] == pytest.approx(expected[:, layer].numpy(), abs=EXACT)


@every_network
def test_every_unit_of_every_layer_is_reported(config: RecurrentConfig) -> None:
    cell = CELLS[config.cell]
    for units, source, target in zip(of_tiny(tiny_model(config)), SOURCES, TARGETS, strict=True):
        assert len(units.source) == len(units.output) == config.num_layers
        for layers, steps in ((units.source, source), (units.output, target)):
            for layer in layers:
                assert tuple(layer.values) == (*cell.state_names, *cell.gate_names)
                assert {values.shape for values in layer.values.values()} == {(len(steps), config.d_model)}
        forward = config.d_model // 2 if config.bidirectional else config.d_model
        assert {layer.forward for layer in units.source} == {forward}
        assert not any(layer.reads_backward(config.d_model - 1) for layer in units.output)
        assert units.source[0].reads_backward(config.d_model - 1) == config.bidirectional


def previous_states(layer: LayerSteps, name: str, start: np.ndarray) -> np.ndarray:
    """The state of a forward unit before each step."""
    return np.concatenate((start[None], layer.values[name][:-1, : layer.forward]))


def test_the_gates_of_an_lstm_reproduce_its_states() -> None:
    """c' = f c + i tanh(..) and h' = o tanh(c'): what is let in lies between -1 and 1."""
    for units in of_tiny(tiny_model(RECURRENT["lstm-2-bi-concat-none"])):
        for layer in units.source:
            forget, let_in, out = (
                layer.values[f"{name} gate"][:, : layer.forward] for name in ("forget", "input", "output")
            )
            c, h = (layer.values[name][:, : layer.forward] for name in ("c", "h"))
            new = (c - forget * previous_states(layer, "c", np.zeros(layer.forward))) / let_in
            assert np.abs(new).max() <= 1 + 1e-9
            assert h == pytest.approx(out * np.tanh(c), abs=1e-9)


def test_the_gates_of_a_gru_reproduce_its_state() -> None:
    """h' = z h + (1 - z) n, n between -1 and 1; with the weights by hand."""
    model = tiny_model(RECURRENT["gru-2-uni-concat-scaled_dot"])
    assert isinstance(model, RecurrentModel)
    w_ih, w_hh, b_ih, b_hh = (
        weight.detach().numpy()
        for weight in model.encoder.all_weights[0]  # type: ignore[union-attr, index]
    )
    for row, units in enumerate(of_tiny(model)):
        layer = units.source[0]
        old = previous_states(layer, "h", np.zeros(layer.forward))
        vectors = model.embed_source(torch.tensor(SOURCES[row])).detach().numpy()
        ins, recurrent = vectors @ w_ih.T + b_ih, old @ w_hh.T + b_hh
        reset, update = layer.values["reset gate"], layer.values["update gate"]
        for index, gate in enumerate((reset, update)):
            part = slice(index * layer.forward, (index + 1) * layer.forward)
            assert gate == pytest.approx(1 / (1 + np.exp(-(ins + recurrent)[:, part])), abs=1e-9)
        new = np.tanh(ins[:, 2 * layer.forward :] + reset * recurrent[:, 2 * layer.forward :])
        assert layer.values["h"] == pytest.approx(update * old + (1 - update) * new, abs=1e-9)


@pytest.mark.parametrize("name", CELLS)
def test_gates_are_between_0_and_1(name: str) -> None:
    """A cell without named gates has only states."""
    cell = CELLS[name]
    assert (cell.gate_values is None) == (cell.gate_names == ())
    inputs, products = torch.randn(2, 5, cell.gates * 4, dtype=torch.float64).unbind()
    hidden = tuple(torch.randn(cell.states, 5, 4, dtype=torch.float64).unbind())
    values = cell.gate_values(inputs, products, hidden) if cell.gate_values else ()
    assert len(values) == len(cell.gate_names)
    for gate in values:
        assert gate.shape == (5, 4)
        assert bool(((gate > 0) & (gate < 1)).all())
    assert len(cell.state_names) == cell.states
    assert cell.state_names[0] == "h"


@packable
@each_network({name: config for name, config in SAMPLE.items() if isinstance(config, RecurrentConfig)})
@pytest.mark.parametrize("precision", ["fp16", "int8"])
def test_packed_weights_give_the_same_states(config: NetworkConfig, precision: str) -> None:
    """Weights of 8 bits round their inputs, so the states are compared with the packed network's own."""
    model, packed = (tiny_model(config).half().float() for _ in range(2))
    pack_linears(packed, precision)
    assert isinstance(packed, RecurrentDecoder)
    for source, target in zip(SOURCES, TARGETS, strict=True):
        (result,) = units_over_time(packed, [source], [target], bos_id=BOS, pad_id=PAD)
        for layer, steps in enumerate(result.output):
            for name, expected in zip(
                packed.cell.state_names, own_states(packed, source, target), strict=True
            ):
                assert steps.values[name] == pytest.approx(expected[:, layer].numpy(), abs=EXACT)
        if precision == "fp16":
            (plain,) = units_over_time(model, [source], [target], bos_id=BOS, pad_id=PAD)
            for ours, theirs in zip(result.output, plain.output, strict=True):
                for name, values in ours.values.items():
                    assert values == pytest.approx(theirs.values[name], abs=1e-4)


@each_network(CAPTIONERS)
def test_a_captioner_has_units_in_its_output_alone(config: NetworkConfig) -> None:
    model = tiny_model(config)
    assert isinstance(model, RecurrentDecoder)
    pictures = tiny_pictures(config, 3)  # type: ignore[arg-type]
    for row, units in enumerate(units_over_time(model, pictures, TARGETS, bos_id=BOS, pad_id=PAD)):
        assert units.source == ()
        (expected,) = own_states(model, pictures[row], TARGETS[row])
        assert units.output[0].values["h"] == pytest.approx(expected[:, 0].numpy(), abs=1e-9)


def test_the_recorded_encoder_equals_the_network_on_a_padded_batch() -> None:
    model = tiny_model(RECURRENT["lstm-1-bi-initial-general"])
    assert isinstance(model, RecurrentModel)
    batch = tiny_batch()
    with torch.no_grad():
        _, ours = run_encoder(model, model.embed_source(batch.src), batch.src_mask)
        expected = model.encode(batch.src, batch.src_mask)
    torch.testing.assert_close(ours.memory, expected.memory)
    torch.testing.assert_close(ours.final, expected.final)


def test_the_units_of_a_shipped_network_are_reported() -> None:
    """The recorded states have the widths of the network's layers."""
    checkpoint = Registry(Path(__file__).parents[4] / "checkpoints").load("reverse-lstm", torch.device("cpu"))
    tokenizer = checkpoint.tokenizer
    source, target = (tokenizer.encode(text).ids for text in ("abcdef", "fedcba"))
    (units,) = units_over_time(checkpoint.model, [source], [target], bos_id=tokenizer.bos_id, pad_id=0)
    gates = [name for name in units.source[0].values if name.endswith("gate")]
    assert len(gates) == 3
    assert units.source[0].values["c"].shape == (7, 32)
    assert units.output[0].values["h"].dtype == np.float64


def test_a_network_without_a_state_is_refused_with_a_sentence() -> None:
    with refused(InspectionError, "not_recurrent"):
        of_tiny(tiny_model(SAMPLE["transformer-post-gelu"]))
