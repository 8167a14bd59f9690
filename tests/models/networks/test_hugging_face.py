"""Networks of the transformers library: they obey what ours obey, and compute what the library does."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from models.batch import Batch
from models.hub.listing.model_files import SEQ2SEQ
from models.networks.base import StepOutput
from models.networks.hugging_face import HuggingFaceModel
from models.networks.hugging_face_state import HuggingFaceState
from tests.fakes.hugging_face.networks import (
    FAMILIES,
    SOURCES,
    TARGETS,
    VOCAB,
    Family,
    batch_of,
    each_family,
    in_double,
    tiny_of,
)
from tests.fakes.tiny_networks import assert_same

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _without_gradients() -> Iterator[None]:
    with torch.no_grad():
        yield


def ours(family: Family) -> HuggingFaceModel:
    return HuggingFaceModel(in_double(family.make()))


def start(model: HuggingFaceModel, batch: Batch) -> HuggingFaceState:
    return model.initial_state(model.encode(batch.src, batch.src_mask))


def steps(model: HuggingFaceModel, batch: Batch) -> Iterator[StepOutput]:
    state: Any = start(model, batch)
    for tokens in batch.tgt_in.unbind(1):
        output = model.step(tokens, state)
        state = output.state
        yield output


def second_step(family: Family, model: HuggingFaceModel, override: Tensor | None = None) -> StepOutput:
    batch = batch_of(family)
    state = model.step(batch.tgt_in[:, 0], start(model, batch)).state
    return model.step(batch.tgt_in[:, 1], state, override)


def attention_of(output: StepOutput) -> Tensor:
    assert output.cross_attention is not None
    return output.cross_attention


def other_tokens(family: Family, tokens: Tensor) -> Tensor:
    """Other tokens in all positions, none of them special."""
    return 3 + (tokens - 2) % 20


@each_family
def test_logits_and_attention_are_those_of_the_library_s_eager_network(family: Family) -> None:
    theirs, batch = in_double(family.make()), batch_of(family)
    model = HuggingFaceModel(copy.deepcopy(theirs))
    assert theirs.config._attn_implementation == "eager"
    expected = theirs(
        input_ids=batch.src,
        attention_mask=batch.src_mask.long(),
        decoder_input_ids=batch.tgt_in,
        decoder_attention_mask=torch.ones_like(batch.tgt_in),
        output_attentions=True,
    )
    same = partial(assert_same, double=family.rounding)
    same(model(batch), expected.logits)
    encoded = model.encode(batch.src, batch.src_mask)
    assert encoded.self_attention is not None
    same(encoded.memory, expected.encoder_last_hidden_state)
    same(encoded.self_attention, torch.stack(expected.encoder_attentions, dim=1))
    for position, output in enumerate(steps(model, batch)):
        same(output.logits, expected.logits[:, position])
        cross = [layer[:, :, position] for layer in expected.cross_attentions]
        same(attention_of(output), torch.stack(cross, dim=1))
        self_attention = [layer[:, :, position, : position + 1] for layer in expected.decoder_attentions]
        assert output.self_attention is not None
        same(output.self_attention, torch.stack(self_attention, dim=1))


@each_family
def test_the_output_layer_reads_the_hidden_state_that_a_step_returns(family: Family) -> None:
    model, batch = ours(family), batch_of(family)
    for position, output in enumerate(steps(model, batch)):
        assert_same(model.project(output.hidden), output.logits)
        assert_same(output.hidden, model.features(batch)[:, position])


@each_family
def test_reorder_commutes_with_step(family: Family) -> None:
    model, batch = ours(family), batch_of(family)
    rows = torch.tensor([2, 0, 0, 1, 2])
    for state in (start(model, batch), model.step(batch.tgt_in[:, 0], start(model, batch)).state):
        tokens, later = batch.tgt_in[:, 1], batch.tgt_out[:, 1]
        output, moved = model.step(tokens, state), model.step(tokens[rows], state.reorder(rows))
        assert_same(moved.logits, output.logits[rows])
        assert_same(attention_of(moved), attention_of(output)[rows])
        after, moved_after = model.step(later, output.state), model.step(later[rows], moved.state)
        assert_same(moved_after.logits, after.logits[rows])


@each_family
def test_reordering_within_sentences_does_not_copy_the_source(family: Family) -> None:
    model, batch = ours(family), batch_of(family)
    first = torch.tensor([4, 5, 6, 7, 8, 9])
    state = model.step(first, start(model, batch).reorder(torch.tensor([0, 0, 1, 1, 2, 2]))).state
    assert isinstance(state, HuggingFaceState)
    rows = torch.tensor([1, 0, 3, 3, 4, 4])
    full, quick = state.reorder(rows), state.reorder(rows, same_source=True)
    assert quick.memory is state.memory
    assert quick.source is state.source
    assert_same(model.step(first, quick).logits, model.step(first, full).logits)


@each_family
def test_using_a_state_does_not_change_the_state(family: Family) -> None:
    model, batch = ours(family), batch_of(family)
    state = model.step(batch.tgt_in[:, 0], start(model, batch)).state
    before = model.step(batch.tgt_in[:, 1], state).logits
    model.step(other_tokens(family, batch.tgt_in[:, 1]), state.reorder(torch.tensor([2, 2, 0])))
    model.step(batch.tgt_in[:, 1], state, torch.ones(batch.src.shape[1]) / 6)
    assert torch.equal(model.step(batch.tgt_in[:, 1], state).logits, before)


@each_family
def test_rows_come_first_in_every_tensor_of_a_state(family: Family) -> None:
    model, batch = ours(family), batch_of(family)
    state = model.step(batch.tgt_in[:, 0], start(model, batch)).state
    assert isinstance(state, HuggingFaceState)
    pairs = [*state.target, *state.source]
    assert len(pairs) == 4 * model.attention_shape[0]  # type: ignore[index]
    for tensor in (state.memory, state.mask, *pairs):
        assert tensor.shape[0] == len(SOURCES)
        assert len(SOURCES) not in tensor.shape[1:]


@each_family
def test_padding_is_neutral(family: Family) -> None:
    model, batch = ours(family), batch_of(family)
    wider = Batch(
        F.pad(batch.src, (0, 2), value=family.pad),
        F.pad(batch.src_mask, (0, 2)),
        *(F.pad(ids, (0, 2), value=family.pad) for ids in (batch.tgt_in, batch.tgt_out, batch.tgt_mask)),
    )
    assert_same(model(wider)[:, : batch.tgt_in.shape[1]], model(batch))
    # The mask alone says what is padding, not the token under it.
    filled = replace(batch, src=torch.where(batch.src_mask, batch.src, other_tokens(family, batch.src)))
    assert_same(model(filled), model(batch))


@each_family
def test_a_batch_is_its_single_pairs(family: Family) -> None:
    model, batch = ours(family), batch_of(family)
    logits = model(batch)
    for row, (source, target) in enumerate(zip(SOURCES, TARGETS, strict=True)):
        ids = (*source, family.end), (*target, family.end)
        single = Batch.from_ids([ids[0]], [ids[1]], bos_id=family.start, pad_id=family.pad)
        assert_same(logits[row, : len(ids[1])], model(single)[0])


@each_family
def test_attention_is_a_distribution_over_the_source(family: Family) -> None:
    model, batch = ours(family), batch_of(family)
    assert model.attention_shape == (2, 4)
    assert model.vocab_size == VOCAB
    for output in steps(model, batch):
        weights = attention_of(output)
        assert weights.shape == (len(SOURCES), 2, 4, batch.src.shape[1])
        assert_same(weights.sum(dim=-1), torch.ones_like(weights[..., 0]))
        mask = batch.src_mask[:, None, None].expand_as(weights)
        assert bool((weights[mask] > 0).all())
        assert bool((weights[~mask] == 0).all())


@each_family
def test_replaced_attention_is_used_and_returned_and_changes_the_output(family: Family) -> None:
    model = ours(family)
    plain = second_step(family, model)
    first = F.one_hot(torch.tensor(0), attention_of(plain).shape[-1]).to(attention_of(plain))
    replaced = second_step(family, model, first)
    assert torch.equal(attention_of(replaced), first.expand_as(attention_of(plain)))
    assert bool(((replaced.logits - plain.logits).abs().amax(dim=-1) > 1e-6).all())
    assert_same(second_step(family, model, attention_of(plain)).logits, plain.logits)
    assert torch.equal(second_step(family, model, torch.tensor(torch.nan)).logits, plain.logits)


@each_family
def test_one_head_of_one_layer_and_one_row_is_replaced_alone(family: Family) -> None:
    model = ours(family)
    plain = second_step(family, model)
    override = torch.full_like(attention_of(plain), torch.nan)
    override[0, 1, 2] = F.one_hot(torch.tensor(1), attention_of(plain).shape[-1]).to(override)
    replaced = second_step(family, model, override)
    assert torch.equal(attention_of(replaced)[0, 1, 2], override[0, 1, 2])
    others = override.isnan()
    assert_same(attention_of(replaced)[others], attention_of(plain)[others])
    assert not torch.allclose(replaced.logits[0], plain.logits[0])
    assert_same(replaced.logits[1:], plain.logits[1:])


def test_a_wrong_shape_is_refused_with_a_sentence() -> None:
    with pytest.raises(ValueError, match=r"override.*\(3, 2, 4, 6\).*\(4,\)"):
        second_step(FAMILIES["marian"], ours(FAMILIES["marian"]), torch.ones(4))


def test_visitors_at_once_do_not_see_each_other_s_attention() -> None:
    family = FAMILIES["bart"]
    model = ours(family)
    overrides = [None, *torch.eye(6, dtype=torch.float64)]
    expected = [second_step(family, model, override) for override in overrides]

    def ask(number: int) -> bool:
        with torch.no_grad():
            output = second_step(family, model, overrides[number % len(overrides)])
        alone = expected[number % len(overrides)]
        return torch.equal(output.logits, alone.logits) and torch.equal(
            attention_of(output), attention_of(alone)
        )

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(ask, range(84)))


@each_family
def test_the_decoder_reads_every_earlier_token_and_no_later_one(family: Family) -> None:
    model, batch = ours(family), batch_of(family)
    logits = model(batch)
    for position in range(batch.tgt_in.shape[1]):
        tgt_in = batch.tgt_in.clone()
        tgt_in[:, position:] = other_tokens(family, tgt_in[:, position:])
        changed = model(replace(batch, tgt_in=tgt_in)) - logits
        assert_same(changed[:, :position], torch.zeros_like(changed[:, :position]))
        alive = batch.tgt_mask[:, position]
        assert bool((changed[alive, position].abs().amax(dim=-1) > 1e-6).all())
    unread = model(replace(batch, src=other_tokens(family, batch.src))) - logits
    assert bool((unread.abs().amax(dim=(1, 2)) > 1e-6).all())


@pytest.mark.parametrize("model_type", sorted(SEQ2SEQ))
def test_attention_can_be_replaced_in_every_family_of_the_hub(model_type: str) -> None:
    model, batch = HuggingFaceModel(tiny_of(model_type).double()), batch_of(FAMILIES["bart"])
    plain = model.step(batch.tgt_in[:, 0], start(model, batch))
    assert attention_of(plain).shape == (len(SOURCES), 2, 4, batch.src.shape[1])
    override = F.one_hot(torch.tensor(1), batch.src.shape[1]).double()
    edited = model.step(batch.tgt_in[:, 0], start(model, batch), override)
    assert torch.equal(attention_of(edited), override.expand_as(attention_of(plain)))
    assert not torch.equal(edited.logits, plain.logits)


@pytest.mark.parametrize("model_type", ["led", "longt5", "mvp"])
def test_attention_that_cannot_be_replaced_is_refused(model_type: str) -> None:
    with pytest.raises(ValueError, match="attention"):
        HuggingFaceModel(tiny_of(model_type))


def test_an_unknown_output_layer_is_refused() -> None:
    theirs = FAMILIES["bart"].make()
    plain = theirs.forward

    def forward(*args: Any, **options: Any) -> Any:
        output = plain(*args, **options)
        output.logits = output.logits.tanh()
        return output

    theirs.forward = forward  # type: ignore[method-assign]
    with pytest.raises(ValueError, match="BartFor"):
        HuggingFaceModel(theirs)
