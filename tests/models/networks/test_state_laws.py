"""Laws of the decoder states of every network: they are values, whose rows a search reorders."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

import torch
from torch import Tensor

from models.networks.base import DecoderState, StepOutput
from models.networks.config import NetworkConfig
from tests.fakes.tiny_networks import (
    CAPTIONERS,
    NETWORKS,
    SOURCES,
    assert_same,
    each_network,
    other,
    start,
    tiny_batch,
    tiny_model,
)

every_network = each_network(NETWORKS | CAPTIONERS)


def tensors(value: object) -> Iterator[Tensor]:
    """Every tensor of a state, at any depth."""
    if isinstance(value, DecoderState):
        value = tuple(getattr(value, item.name) for item in fields(value))  # type: ignore[arg-type]
    if isinstance(value, tuple):
        for part in value:
            yield from tensors(part)
    if isinstance(value, Tensor):
        yield value


def assert_alike(actual: StepOutput, expected: StepOutput) -> None:
    """Compare the next-token scores and the attention of two steps."""
    assert_same(actual.logits, expected.logits)
    if actual.cross_attention is not None and expected.cross_attention is not None:
        assert_same(actual.cross_attention, expected.cross_attention)


@every_network
def test_reorder_commutes_with_step(config: NetworkConfig, device: str) -> None:
    model, batch = tiny_model(config, device), tiny_batch(device, config)
    state = model.step(batch.tgt_in[:, 0], start(model, batch)).state
    rows = torch.tensor([2, 0, 0, 1, 2], device=device)
    tokens, later = batch.tgt_in[:, 1], batch.tgt_out[:, 1]
    output, moved = model.step(tokens, state), model.step(tokens[rows], state.reorder(rows))
    assert_same(moved.logits, output.logits[rows])
    if output.cross_attention is not None and moved.cross_attention is not None:
        assert_same(moved.cross_attention, output.cross_attention[rows])
    after, moved_after = model.step(later, output.state), model.step(later[rows], moved.state)
    assert_same(moved_after.logits, after.logits[rows])


@every_network
def test_reordering_within_sentences_gives_the_same_without_copying_the_source(
    config: NetworkConfig, device: str
) -> None:
    model, batch = tiny_model(config, device), tiny_batch(device, config)
    beams = torch.tensor([0, 0, 1, 1, 2, 2], device=device)  # two for each sentence
    first = torch.tensor([4, 5, 6, 7, 8, 9], device=device)
    state = model.step(first, start(model, batch).reorder(beams)).state
    rows = torch.tensor([1, 0, 3, 3, 4, 4], device=device)
    full, quick = (state.reorder(rows, same_source=same_source) for same_source in (False, True))
    for _ in range(2):
        expected, actual = model.step(first, full), model.step(first, quick)
        assert_same(actual.logits, expected.logits)
        full, quick = expected.state, actual.state


@every_network
def test_rows_that_read_the_same_source_may_share_one_copy(config: NetworkConfig, device: str) -> None:
    model, batch = tiny_model(config, device), tiny_batch(device, config)
    beams = torch.tensor([0, 0, 1, 1, 2, 2], device=device)
    first = torch.tensor([4, 5, 6, 7, 8, 9], device=device)
    rows = torch.tensor([5, 5, 4, 1, 0, 1], device=device)  # one sentence is done, the others change places
    full, quick = (start(model, batch).reorder(beams, rows_per_source=item) for item in (1, 2))
    for moved, rows_per_source in ((torch.arange(6, device=device), 2), (rows, 3), (rows[:4] // 2, 1)):
        tokens = first[: len(moved)]
        full, quick = full.reorder(moved), quick.reorder(moved, rows_per_source=rows_per_source)
        expected, actual = model.step(tokens, full), model.step(tokens, quick)
        assert_alike(actual, expected)
        full, quick = expected.state, actual.state


@every_network
def test_a_shrinking_batch_may_keep_its_source(config: NetworkConfig, device: str) -> None:
    model, batch = tiny_model(config, device), tiny_batch(device, config)
    state = model.step(batch.tgt_in[:, 0], start(model, batch)).state
    rows = torch.tensor([0, 1], device=device)
    full, quick = (state.reorder(rows, same_source=same_source) for same_source in (False, True))
    for position in (1, 2):
        expected, actual = (model.step(batch.tgt_in[:2, position], item) for item in (full, quick))
        assert_same(actual.logits, expected.logits)
        full, quick = expected.state, actual.state


@every_network
def test_a_state_is_restored_from_the_parts_added_by_each_step(config: NetworkConfig, device: str) -> None:
    model, batch = tiny_model(config, device), tiny_batch(device, config)
    first = start(model, batch).reorder(torch.tensor([1], device=device))
    moves = [torch.tensor(rows, device=device) for rows in ([0, 0, 0, 0], [3, 1, 1], [2, 0, 1, 1, 0])]
    words = [torch.tensor(tokens, device=device) for tokens in ([4], [5, 6, 7, 8], [9, 10, 11])]
    state, wide, added = first, None, []
    paths = torch.zeros(0, 1, dtype=torch.int64, device=device)
    for tokens, rows in zip(words, moves, strict=True):
        after = model.step(tokens, state).state
        added.append(after.newest())
        wide = after.reorder(rows.new_zeros(5)) if wide is None else wide
        rows_before = torch.arange(len(tokens), device=device).unsqueeze(0)
        paths = torch.cat((paths, rows_before)).index_select(1, rows)
        state = after.reorder(rows)
    assert wide is not None
    resumed = wide.resumed(added, paths)
    for tokens in ([4, 5, 6, 7, 8], [12, 11, 10, 9, 8]):
        now = torch.tensor(tokens, device=device)
        expected, actual = model.step(now, state), model.step(now, resumed)
        assert_alike(actual, expected)
        state, resumed = expected.state, actual.state


@every_network
def test_using_a_state_does_not_change_the_state(config: NetworkConfig, device: str) -> None:
    """Stepping from a state or reordering it does not change its later uses."""
    model, batch = tiny_model(config, device), tiny_batch(device, config)
    state = model.step(batch.tgt_in[:, 0], start(model, batch)).state
    before = model.step(batch.tgt_in[:, 1], state).logits
    model.step(other(batch.tgt_in[:, 1]), state.reorder(torch.tensor([2, 2, 0], device=device)))
    assert torch.equal(model.step(batch.tgt_in[:, 1], state).logits, before)


@every_network
def test_rows_come_first_in_every_tensor_of_a_state(config: NetworkConfig, device: str) -> None:
    model, batch = tiny_model(config, device), tiny_batch(device, config)
    state = model.step(batch.tgt_in[:, 0], start(model, batch)).state
    assert list(tensors(state))
    for tensor in tensors(state):
        assert tensor.shape[0] == len(SOURCES)
        assert len(SOURCES) not in tensor.shape[1:]
