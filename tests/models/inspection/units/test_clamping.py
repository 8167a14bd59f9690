"""A unit that is clamped at its own values changes nothing; at others it changes what reads it."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor

from models.decoding.decode import decode
from models.decoding.judge.rescore import rescore_ids
from models.decoding.options import DecodingOptions
from models.decoding.outputs import outputs
from models.inspection.question import InspectionError
from models.inspection.units import units_over_time
from models.inspection.wrapper import Clamp, clamp_units
from models.networks.base import Seq2SeqModel
from models.networks.config import NetworkConfig
from models.networks.packed import can_pack, pack_linears
from models.networks.recurrent.config import RecurrentConfig
from models.networks.recurrent.model import RecurrentDecoder
from models.registry.checkpoint import Checkpoint
from models.registry.registry import Registry
from tests.fakes.tiny_networks import (
    BOS,
    CAPTIONERS,
    PAD,
    SAMPLE,
    SOURCES,
    TARGETS,
    assert_same,
    each_network,
    tiny_batch,
    tiny_model,
    tiny_pictures,
)
from tests.refusals import Refusal, refused

RECURRENT = {name: config for name, config in SAMPLE.items() if isinstance(config, RecurrentConfig)}
every_network = each_network(RECURRENT)
GREEDY = DecodingOptions(strategy="greedy", max_length=24)


def own_values(model: Seq2SeqModel, source: tuple[int, ...], target: tuple[int, ...]) -> list[Clamp]:
    """Clamps that hold every unit of every layer at its own value at each step."""
    (units,) = units_over_time(model, [source], [target], bos_id=BOS, pad_id=PAD)
    return [
        Clamp(layer, unit, float(value), first=step, last=step)
        for layer, steps in enumerate(units.output)
        for step, row in enumerate(steps.values["h"])
        for unit, value in enumerate(row)
    ]


def stepwise(model: Seq2SeqModel, source: tuple[int, ...], target: tuple[int, ...]) -> Tensor:
    ids = torch.tensor([source])
    with torch.no_grad():
        state, logits = model.initial_state(model.encode(ids, torch.ones_like(ids, dtype=torch.bool))), []
        for token in (BOS, *target[:-1]):
            output = model.step(torch.tensor([token]), state)
            state = output.state
            logits.append(output.logits[0])
    return torch.stack(logits)


@every_network
def test_a_unit_held_at_its_own_values_changes_nothing(config: NetworkConfig) -> None:
    model = tiny_model(config)
    for source, target in zip(SOURCES, TARGETS, strict=True):
        clamped_model = clamp_units(model, own_values(model, source, target))
        assert_same(stepwise(clamped_model, source, target), stepwise(model, source, target))


@pytest.mark.skipif(not can_pack(), reason="this processor has no kernels for packed weights")
@every_network
def test_a_packed_network_with_units_held_at_their_own_values_is_bitwise_equal(config: NetworkConfig) -> None:
    """The result is equal to the last bit, since each product is the network's own."""
    model = tiny_model(config).float()
    pack_linears(model)
    for source, target in zip(SOURCES, TARGETS, strict=True):
        clamped_model = clamp_units(model, own_values(model, source, target))
        assert torch.equal(stepwise(clamped_model, source, target), stepwise(model, source, target))


@each_network(CAPTIONERS)
def test_a_captioner_s_units_can_be_held(config: NetworkConfig) -> None:
    model = tiny_model(config)
    (picture,) = tiny_pictures(config, 1)  # type: ignore[arg-type]
    clamped_model = clamp_units(model, own_values(model, picture, TARGETS[1]))
    assert_same(stepwise(clamped_model, picture, TARGETS[1]), stepwise(model, picture, TARGETS[1]))


@every_network
def test_a_clamped_unit_has_its_value_in_every_output(config: RecurrentConfig) -> None:
    """The value holds in later steps too; nothing changes before the first clamped step."""
    model = tiny_model(config)
    assert isinstance(model, RecurrentDecoder)
    layer = config.num_layers - 1
    clamped_model = clamp_units(model, [Clamp(layer, 2, 0.75, first=2)])
    free, changed = (stepwise(item, SOURCES[0], TARGETS[1]) for item in (model, clamped_model))
    assert_same(changed[:2], free[:2])
    assert not torch.allclose(changed[2], free[2])
    again = by_hand(model, layer, 2, 0.75, first=2)
    assert_same(changed, again)


def by_hand(model: RecurrentDecoder, layer: int, unit: int, value: float, first: int) -> Tensor:
    """The last layer's unit set in the state after each step, which the readout then sees."""
    ids = torch.tensor([SOURCES[0]])
    logits = []
    with torch.no_grad():
        state = model.initial_state(model.encode(ids, torch.ones_like(ids, dtype=torch.bool)))
        for step, token in enumerate((BOS, *TARGETS[1][:-1])):
            before, output = state, model.step(torch.tensor([token]), state)
            state = output.state  # type: ignore[assignment]
            if step >= first:
                state.hidden[0][:, layer, unit] = value
            hidden = state.hidden[0][:, layer].unsqueeze(1)
            logits.append(model.project(model.read_out(hidden, before)[0][0, 0]))
    return torch.stack(logits)


@every_network
def test_every_decoding_works_with_a_clamped_unit(config: NetworkConfig) -> None:
    """The decodings exchange, add and drop rows, and score a text."""
    model = tiny_model(config)
    clamped_model = clamp_units(model, [Clamp(0, 0, 0.5)])
    batch = tiny_batch()
    assert clamped_model(batch).shape == model(batch).shape
    state = clamped_model.initial_state(clamped_model.encode(batch.src, batch.src_mask))
    after = clamped_model.step(batch.tgt_in[:, 0], state).state
    later = clamped_model.step(batch.tgt_in[:, 1], after).state
    rows = torch.tensor([2, 0])
    expected = clamped_model.step(batch.tgt_in[rows, 2], later.reorder(rows)).logits
    resumed = after.reorder(rows).resume([after.newest(), later.newest()], torch.stack((rows, rows)))
    if model.attention_shape is None and not model.concat_context:  # type: ignore[union-attr]
        assert_same(clamped_model.step(batch.tgt_in[rows, 2], resumed).logits, expected)
    assert resumed.steps == 2  # type: ignore[attr-defined]
    scored = rescore_ids(clamped_model, SOURCES[0], TARGETS[1])
    assert_same(
        torch.tensor([token.log_prob for token in scored]),
        stepwise(clamped_model, SOURCES[0], TARGETS[1])
        .float()
        .log_softmax(dim=-1)
        .gather(1, torch.tensor(TARGETS[1])[:, None])[:, 0],
    )


@pytest.fixture(scope="module")
def reversing() -> Checkpoint:
    return Registry(Path(__file__).parents[4] / "checkpoints").load("reverse-gru", torch.device("cpu"))


@pytest.mark.parametrize("strategy", ["greedy", "beam", "diverse", "sampling", "exact"])
def test_every_strategy_decodes_with_a_clamped_unit(reversing: Checkpoint, strategy: str) -> None:
    """Without a clamped unit the outputs are those of the network."""
    options = DecodingOptions(strategy=strategy, max_length=12, beam_size=4, num_groups=2, num_samples=4)
    result = [
        decode(model, reversing.tokenizer, "abcd", options)
        for model in (reversing.model, clamp_units(reversing.model, []))
    ]
    assert [h.text for h in result[0].hypotheses] == [h.text for h in result[1].hypotheses]
    clamped_model = clamp_units(reversing.model, [Clamp(0, unit, 0.0) for unit in range(0, 128, 2)])
    other = decode(clamped_model, reversing.tokenizer, "abcd", options)
    assert other.hypotheses[0].log_prob != pytest.approx(result[0].hypotheses[0].log_prob, abs=1e-3)


@pytest.mark.slow
def test_a_unit_is_held_at_the_same_steps_of_a_batch(reversing: Checkpoint) -> None:
    """The clamped values make the network uncertain, so rows leave the first pass."""
    clamped_model = clamp_units(reversing.model, [Clamp(0, unit, 0.9, first=2) for unit in range(128)])
    texts = ["abcd", "dcba", "aabb", "badc", "cabd", "ddca", "bbca", "acbd", "dbac", "caab"]
    options = DecodingOptions("beam", max_length=12)
    alone = [outputs(clamped_model, reversing.tokenizer, [text], options)[0].tokens for text in texts]
    assert [output.tokens for output in outputs(clamped_model, reversing.tokenizer, texts, options)] == alone
    free = [output.tokens for output in outputs(reversing.model, reversing.tokenizer, texts, options)]
    assert free != alone


def test_the_network_is_unchanged_afterwards(reversing: Checkpoint) -> None:
    before = {name: value.clone() for name, value in reversing.model.state_dict().items()}
    expected = decode(reversing.model, reversing.tokenizer, "abcd", GREEDY)
    decode(clamp_units(reversing.model, [Clamp(0, 1, 1.0)]), reversing.tokenizer, "abcd", GREEDY)
    assert all(torch.equal(value, before[name]) for name, value in reversing.model.state_dict().items())
    assert not any(part._forward_hooks for part in reversing.model.modules())
    assert decode(reversing.model, reversing.tokenizer, "abcd", GREEDY) == expected


@pytest.mark.parametrize(
    ("clamp", "refusal"),
    [
        (Clamp(1, 0, 0.0), ("no_such_layer_of_decoder", 1, 2)),
        (Clamp(-1, 0, 0.0), ("no_such_layer_of_decoder", 1, 0)),
        (Clamp(0, 128, 0.0), ("no_such_unit_of_layer", 128, 129)),
        (Clamp(0, -1, 0.0), ("no_such_unit_of_layer", 128, 0)),
    ],
)
def test_an_invalid_clamp_is_refused(reversing: Checkpoint, clamp: Clamp, refusal: Refusal) -> None:
    with refused(InspectionError, *refusal):
        clamp_units(reversing.model, [clamp])
    with refused(InspectionError, "not_recurrent"):
        clamp_units(tiny_model(SAMPLE["transformer-post-gelu"]), [clamp])
