"""Captured steps: what they return is what the steps themselves return, to the last bit."""

from __future__ import annotations

import copy
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from models.decoding.record.recorder import Recorder
from models.decoding.search.conditions import Constraints, OutputTokens
from models.decoding.search.loop import search
from models.decoding.strategies import BeamSearch
from models.decoding.trace import DecodingStep
from models.networks import captured, packed
from models.networks.base import DecoderState, Seq2SeqModel, StepOutput
from models.networks.captured import CapturedSteps, capture, take_step
from models.networks.config import NetworkConfig
from models.networks.packed import can_pack, pack_linears
from tests.fakes.tiny_networks import BOS, EOS, SAMPLE, VOCAB_SIZE, each, tiny_batch, tiny_model

some_networks = each(SAMPLE)
where_possible = pytest.mark.skipif(not can_pack(), reason="this processor has no kernels for packed weights")


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first step of a kind is captured."""
    monkeypatch.setattr(captured, "PAYS_AFTER", 1)


def ready_to_decode(config: NetworkConfig) -> Seq2SeqModel:
    """As a server holds it, whether or not this processor has kernels for packed weights."""
    model = tiny_model(config).float().eval()
    pack_linears(model)
    model.requires_grad_(False)
    model.captured = CapturedSteps()
    return model


def of_one_sentence(model: Seq2SeqModel) -> DecoderState:
    src = tiny_batch().src[2:, :3]
    return model.initial_state(model.encode(src, torch.ones_like(src, dtype=torch.bool)))


def of_a_batch(model: Seq2SeqModel) -> DecoderState:
    batch = tiny_batch()
    return model.initial_state(model.encode(batch.src, batch.src_mask))


def taken(
    model: Seq2SeqModel,
    state: DecoderState,
    rows: int,
    step: Callable[[Seq2SeqModel, Tensor, DecoderState], StepOutput],
) -> list[StepOutput]:
    """Five steps of a beam whose rows change places."""
    outputs = []
    for position in range(5):
        tokens = (torch.arange(rows) + position) % VOCAB_SIZE
        outputs.append(step(model, tokens, state))
        places = torch.arange(rows).flip(0) // 2 * 2 if position % 2 else torch.arange(rows)
        state = outputs[-1].state.reorder(places, same_source=True)
    return outputs


def assert_equal(actual: StepOutput, expected: StepOutput) -> None:
    for name in ("logits", "hidden", "cross_attention", "self_attention"):
        one, other = getattr(actual, name), getattr(expected, name)
        assert (one is None and other is None) or torch.equal(one, other), name


@some_networks
@pytest.mark.parametrize("begin", [of_one_sentence, of_a_batch])
@torch.inference_mode()
def test_a_captured_step_is_the_step(
    config: NetworkConfig, begin: Callable[[Seq2SeqModel], DecoderState]
) -> None:
    """It was captured with other numbers of rows and tokens."""
    model = ready_to_decode(config)
    start = begin(model)
    sentences = 1 if begin is of_one_sentence else 3
    several = torch.arange(sentences).repeat_interleave(4)
    many = torch.arange(sentences).repeat_interleave(2)
    assert model.captured is not None
    taken(model, start.reorder(many, together=2), len(many), model.captured.step)
    programs = dict(model.captured._programs)
    assert programs
    assert None not in programs.values()
    state = start.reorder(several, together=4)
    actual = taken(model, state, len(several), model.captured.step)
    expected = taken(model, state, len(several), lambda model, tokens, state: model.step(tokens, state))
    for one, other in zip(actual, expected, strict=True):
        assert_equal(one, other)
    if torch.get_num_threads() == 1:  # with several, steps of twelve rows are not captured
        assert model.captured._programs == programs


def decoded(model: Seq2SeqModel) -> tuple[DecodingStep, ...]:
    src = tiny_batch().src[2:, :3]
    encoded = model.encode(src, torch.ones_like(src, dtype=torch.bool))
    strategy = BeamSearch(3)
    steps = search(model, encoded, strategy, OutputTokens(BOS, EOS), Constraints(8), torch.Generator())
    return Recorder(str, str, strategy).record(steps).steps


@pytest.mark.slow
@some_networks
def test_a_trace_does_not_tell_whether_steps_were_captured(
    config: NetworkConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(captured, "PAYS_AFTER", 4)  # amid the search
    model = ready_to_decode(config)
    model.captured, captures = None, model.captured
    expected = decoded(model)
    model.captured = captures
    assert decoded(model) == expected
    assert captures is not None
    assert captures._programs
    assert decoded(model) == expected


@torch.inference_mode()
def test_steps_are_captured_only_once_it_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(captured, "PAYS_AFTER", 4)
    model = ready_to_decode(SAMPLE["gru-1-bi-initial-additive"])
    assert model.captured is not None
    tokens, state = torch.tensor([4]), of_one_sentence(model)
    for taken_before in range(6):
        assert bool(model.captured._programs) == (taken_before >= 4)
        model.captured.step(model, tokens, state)


@torch.inference_mode()
def test_what_comes_while_another_one_captures_goes_without() -> None:
    model = ready_to_decode(SAMPLE["transformer-post-gelu"])
    assert model.captured is not None
    tokens, state = torch.tensor([4]), of_one_sentence(model)
    with model.captured._capturing:
        output = model.captured.step(model, tokens, state)
    assert not model.captured._programs
    assert_equal(model.captured.step(model, tokens, state), output)
    assert model.captured._programs


@torch.inference_mode()
def test_a_target_that_is_too_long_is_refused_in_the_step_s_own_words() -> None:
    model = ready_to_decode(SAMPLE["transformer-post-gelu"])
    assert model.captured is not None
    assert model.max_positions is not None
    tokens, state = torch.tensor([4]), of_one_sentence(model)
    for _ in range(model.max_positions):
        state = model.captured.step(model, tokens, state).state
    with pytest.raises(ValueError, match=r"16.*17"):
        model.captured.step(model, tokens, state)


@torch.inference_mode()
def test_where_torch_cannot_capture_steps_are_taken_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(torch.jit, "trace")
    model = ready_to_decode(SAMPLE["transformer-post-gelu"])
    tokens, state = torch.tensor([4]), of_one_sentence(model)
    assert capture(model, tokens, state) is None
    for _ in range(2):
        assert_equal(take_step(model, tokens, state, None), model.step(tokens, state))


@where_possible
@pytest.mark.filterwarnings("ignore:torch.quantize")
@torch.inference_mode()
def test_weights_of_8_bits_cannot_be_captured_and_decode_all_the_same() -> None:
    model = tiny_model(SAMPLE["transformer-post-gelu"]).float().eval()
    pack_linears(model, "int8")
    tokens, state = torch.tensor([4]), of_one_sentence(model)
    for _ in range(2):
        assert_equal(take_step(model, tokens, state, None), model.step(tokens, state))
    assert model.captured is not None
    assert list(model.captured._programs.values()) == [None]


@pytest.mark.slow
@where_possible
@torch.inference_mode()
def test_layers_packed_for_several_threads_are_captured_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their work is shared by threads in the output layer, which is no part of a program."""
    monkeypatch.setattr(packed, "ONE_THREAD_WORK", 1)  # whatever the layer
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        model = tiny_model(SAMPLE["transformer-post-gelu"]).float().eval()
        pack_linears(model)
        tokens, state = torch.tensor([4]), of_one_sentence(model)
        actual, expected = take_step(model, tokens, state, None), model.step(tokens, state)
    finally:
        torch.set_num_threads(threads)
    assert model.captured is not None
    assert None not in model.captured._programs.values()
    torch.testing.assert_close(actual.logits, expected.logits)


@torch.inference_mode()
def test_an_override_is_no_part_of_what_is_captured() -> None:
    model = ready_to_decode(SAMPLE["transformer-post-gelu"])
    tokens, state = torch.tensor([4]), of_one_sentence(model)
    plain = take_step(model, tokens, state, None)
    given = take_step(model, tokens, state, torch.tensor([1.0, 0.0, 0.0]))
    assert plain.cross_attention is not None
    assert given.cross_attention is not None
    assert given.cross_attention[..., 0].eq(1).all()
    assert not plain.cross_attention[..., 0].eq(1).any()


@torch.inference_mode()
def test_of_a_copied_network_nothing_is_captured() -> None:
    """Or it would answer with the weights of the other one."""
    model = ready_to_decode(SAMPLE["transformer-post-gelu"])
    tokens = torch.tensor([4])
    take_step(model, tokens, of_one_sentence(model), None)
    twin = copy.deepcopy(model)
    assert twin.captured is not None
    assert twin.captured is not model.captured
    assert not twin.captured._programs
