"""The states that are kept are those that the network has when it reads and writes a sentence alone."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import torch

from models.batch import Batch
from models.corpus.generated.all_tasks import generate
from models.inspection.neighbours.states import (
    CONTEXT_STATES,
    DECODER_STATES,
    SOURCE_STATES,
    divide,
    examples,
    first_examples,
    states,
    unroll,
)
from models.networks.config import NetworkConfig
from models.registry.checkpoint import Checkpoint
from models.registry.registry import Registry
from tests.fakes.tiny_networks import (
    BOS,
    CAPTIONERS,
    PAD,
    SAMPLE,
    TARGETS,
    assert_same,
    each_network,
    tiny_batch,
    tiny_model,
    tiny_sources,
)

CHECKPOINTS = Path(__file__).parents[4] / "checkpoints"


def load(name: str, device: str = "cpu") -> Checkpoint:
    return Registry(CHECKPOINTS).load(name, torch.device(device))


@each_network(SAMPLE | CAPTIONERS)
def test_a_sentence_has_the_same_states_in_a_batch(config: NetworkConfig, device: str) -> None:
    model, batch = tiny_model(config, device), tiny_batch(device, config)
    together = unroll(model, batch)
    with torch.inference_mode():
        assert_same(together.features[batch.tgt_mask], model.features(batch)[batch.tgt_mask])
    assert (together.context is None) == (model.attention_shape is None)
    for row, (source, target) in enumerate(zip(tiny_sources(config), TARGETS, strict=True)):
        single = Batch.from_ids([source], [target], bos_id=BOS, pad_id=PAD).to(torch.device(device))
        alone, steps, read = unroll(model, single), len(target), int(together.mask[row].sum())
        assert_same(together.features[row, :steps], alone.features[0])
        assert_same(together.memory[row, :read], alone.memory[0])
        if together.context is not None:
            assert alone.context is not None
            assert_same(together.context[row, :steps], alone.context[0])
            with torch.inference_mode():
                first = model.step(
                    single.tgt_in[:, 0], model.initial_state(model.encode(single.src, single.src_mask))
                )
            assert first.cross_attention is not None
            assert_same(first.cross_attention[0].mean(dim=(0, 1)) @ alone.memory[0], alone.context[0, 0])


@pytest.mark.parametrize("name", ["reverse-gru", "dates-transformer", "reverse-lstm", "shapes-captioner"])
def test_every_token_has_its_states_once(name: str, device: str) -> None:
    checkpoint = load(name, device)
    pairs = generate(checkpoint.config.task, 30, random.Random(0))
    all_examples = tuple(examples(checkpoint, pairs))
    part = states(checkpoint, all_examples)
    assert part.pairs == pairs
    assert (CONTEXT_STATES in part.tables) == (checkpoint.model.attention_shape is not None)
    for kind, table in part.tables.items():
        sizes = [example.read if kind == SOURCE_STATES else len(example.target) for example in all_examples]
        expected = [(pair, index) for pair, size in enumerate(sizes) for index in range(size)]
        assert sorted(zip(table.pairs.tolist(), table.places.tolist(), strict=True)) == expected
        squares = table.vectors.double().square().sum(dim=1)
        torch.testing.assert_close(table.squares.double(), squares, rtol=1e-6, atol=0)
    table = part.tables[DECODER_STATES]
    for token, pair, position in zip(table.tokens, table.pairs, table.places, strict=True):
        assert all_examples[int(pair)].target[int(position)] == int(token)


def test_each_state_is_stored_with_the_next_token() -> None:
    """A trained network predicts a state's token from the state."""
    checkpoint = load("reverse-gru")
    part = states(checkpoint, tuple(examples(checkpoint, generate("reversal", 40, random.Random(1)))))
    table = part.tables[DECODER_STATES]
    with torch.inference_mode():
        predicted = checkpoint.model.project(table.vectors.float()).argmax(dim=-1)
    assert (predicted == table.tokens).float().mean() > 0.98


def test_parts_hold_every_sentence_once_and_in_order() -> None:
    checkpoint = load("reverse-gru")
    all_examples = tuple(examples(checkpoint, generate("reversal", 50, random.Random(2))))
    parts = list(divide(all_examples, max_steps=40))
    assert [one for part in parts for one in part] == list(all_examples)
    assert len(parts) > 5
    assert all(sum(example.read for example in part) <= 40 for part in parts)
    selected = tuple(first_examples(all_examples, 100))
    assert selected == all_examples[: len(selected)]
    assert 80 < sum(len(example.target) for example in selected) <= 100


def test_pairs_that_do_not_fit_the_network_are_left_out() -> None:
    text = load("reverse-gru")
    pairs = [("abc", "cba"), ("a" * 600, "a"), ("ab", "b" * 300), ("de", "ed")]
    assert [example.pair for example in examples(text, pairs)] == [pairs[0], pairs[3]]
    pictures = load("shapes-captioner")
    (picture,) = generate("shapes", 1, random.Random(0))
    assert [example.pair for example in examples(pictures, [("no picture", "a"), picture])] == [picture]
