"""The lens of the last layer gives the network's output, and earlier ones that of their own layer."""

from __future__ import annotations

import pytest
import torch

from models.inspection.lens import InspectionError, after_encoder_layer, read_out
from models.networks.base import EmbeddingModel
from models.networks.config import NetworkConfig
from models.networks.hugging_face import HuggingFaceModel
from models.networks.packed import can_pack, pack_linears
from models.networks.transformer.model import TransformerModel
from tests.fakes.hugging_face.networks import FAMILIES, Family, batch_of, each_family, in_double
from tests.fakes.tiny_networks import BOS, EOS, SAMPLE, each_network, tiny_model
from tests.refusals import refused

PRE_NORM = ("mbart", "mbart-50", "nllb", "pegasus")
SOURCE, OUTPUT = (5, 6, 7, 8, EOS), (12, 11, 10, EOS)
transformers = each_network({name: config for name, config in SAMPLE.items() if "transformer" in name})
recurrent = each_network({name: config for name, config in SAMPLE.items() if "transformer" not in name})


def own_log_probs(model: EmbeddingModel) -> torch.Tensor:
    """The network's log-probabilities while it reads `OUTPUT`, step by step: (T, V)."""
    with torch.no_grad():
        state = model.initial_state(model.encode(torch.tensor([SOURCE]), torch.ones(1, 5, dtype=torch.bool)))
        rows = []
        for token in (BOS, *OUTPUT[:-1]):
            output = model.step(torch.tensor([token]), state)
            rows.append(output.logits[0].log_softmax(dim=-1))
            state = output.state  # type: ignore[assignment]
    return torch.stack(rows)


@transformers
def test_the_last_layer_equals_the_network(config: NetworkConfig) -> None:
    model = tiny_model(config)
    assert isinstance(model, TransformerModel)
    expected = own_log_probs(model)
    for encoder, count in ((False, len(model.decoder)), (True, len(model.encoder))):
        layers = read_out(model, SOURCE, OUTPUT, BOS, encoder=encoder)
        assert len(layers) == count + 1
        assert all(len(row) == len(OUTPUT) for row in layers)
        for step, (reading, token) in enumerate(zip(layers[-1], OUTPUT, strict=True)):
            assert reading.log_prob == pytest.approx(float(expected[step, token]), abs=1e-6)
            assert reading.top[0] == int(expected[step].argmax())
            assert reading.rank == 1 + int((expected[step] > expected[step, token]).sum())
            assert list(reading.log_probs) == sorted(reading.log_probs, reverse=True)


@transformers
def test_the_lens_before_the_first_layer_reads_the_embeddings(config: NetworkConfig) -> None:
    """The first row reads the embedding with its position, through the decoder's last norm."""
    model = tiny_model(config)
    assert isinstance(model, TransformerModel)
    with torch.no_grad():
        placed = model.embed_target(torch.tensor([BOS])) * model.scale + model.positions[:1]
        expected = model.project(model.decoder_norm(placed)).log_softmax(dim=-1)
    first = read_out(model, SOURCE, OUTPUT, BOS, encoder=False)[0][0]
    assert first.log_prob == pytest.approx(float(expected[0, OUTPUT[0]]), abs=1e-6)


@transformers
def test_a_network_cut_off_after_its_last_layer_is_whole(config: NetworkConfig) -> None:
    model = tiny_model(config)
    assert isinstance(model, TransformerModel)
    source, mask = torch.tensor([SOURCE]), torch.ones(1, 5, dtype=torch.bool)
    with torch.no_grad():
        whole = model.encode(source, mask).memory
        for layer in range(len(model.encoder) + 1):
            cut = after_encoder_layer(model, layer)
            same = torch.allclose(cut.encode(source, mask).memory, whole, atol=1e-6)
            assert same == (layer == len(model.encoder))
            state = cut.initial_state(cut.encode(source, mask))
            output = cut.step(torch.tensor([BOS]), state)
            reading = read_out(model, SOURCE, OUTPUT, BOS, encoder=True)[layer][0]
            expected = float(output.logits[0].log_softmax(dim=-1)[OUTPUT[0]])
            assert reading.log_prob == pytest.approx(expected, abs=1e-6)


@recurrent
def test_the_lens_refuses_a_recurrent_network_with_a_reason(config: NetworkConfig) -> None:
    model = tiny_model(config)
    with refused(InspectionError, "no_decoder_layers"):
        read_out(model, SOURCE, OUTPUT, BOS, encoder=False)
    with refused(InspectionError, "no_encoder_layers"):
        read_out(model, SOURCE, OUTPUT, BOS, encoder=True)


@transformers
@pytest.mark.skipif(not can_pack(), reason="this processor has no kernels for packed weights")
def test_packed_weights_give_the_same_readings(config: NetworkConfig) -> None:
    plain, packed = (tiny_model(config).float() for _ in range(2))
    for one in (plain, packed):
        one.load_state_dict({name: value.half().float() for name, value in plain.state_dict().items()})
    pack_linears(packed)
    for encoder in (False, True):
        readings = (read_out(one, SOURCE, OUTPUT, BOS, encoder=encoder) for one in (plain, packed))
        for row, other in zip(*readings, strict=True):
            assert [item.log_prob for item in row] == pytest.approx(
                [item.log_prob for item in other], abs=1e-4
            )


@pytest.mark.slow
@each_family
def test_networks_of_the_library_are_read_out_by_their_own_norms_and_biases(family: Family) -> None:
    """The last layer is the answer of the library itself."""
    model, batch = HuggingFaceModel(in_double(family.make())), batch_of(family)
    row = int(batch.src_mask.sum(dim=1).argmax())
    source = batch.src[row][batch.src_mask[row]].tolist()
    target = batch.tgt_out[row][batch.tgt_mask[row]]
    first = int(batch.tgt_in[row, 0])
    with torch.no_grad():
        ids = torch.tensor([[first, *target[:-1].tolist()]])
        logits = model.library_model(input_ids=torch.tensor([source]), decoder_input_ids=ids).logits[0]
    expected = logits.log_softmax(dim=-1).gather(1, target.unsqueeze(1))[:, 0].tolist()
    for encoder in (False, True):
        layers = read_out(model, source, target.tolist(), first, encoder=encoder)
        assert len(layers) == 3  # before the first of two layers, and after each
        assert [reading.log_prob for reading in layers[-1]] == pytest.approx(expected, abs=1e-5)
        assert [reading.log_prob for reading in layers[1]] != pytest.approx(expected, abs=1e-2)


@pytest.mark.slow
@pytest.mark.parametrize("name", PRE_NORM)
def test_a_layer_that_adds_nothing_changes_no_reading(name: str) -> None:
    """The network is pre-norm, so a layer whose output weights are 0 passes on its input."""
    family = FAMILIES[name]
    model, batch = HuggingFaceModel(in_double(family.make())), batch_of(family)
    blocks = model.library_model.get_decoder().layers
    with torch.no_grad():
        for module in (blocks[1].self_attn.out_proj, blocks[1].encoder_attn.out_proj, blocks[1].fc2):
            module.weight.zero_()
            module.bias.zero_()
    row = int(batch.src_mask.sum(dim=1).argmax())
    source = batch.src[row][batch.src_mask[row]].tolist()
    target = batch.tgt_out[row][batch.tgt_mask[row]].tolist()
    layers = read_out(model, source, target, int(batch.tgt_in[row, 0]), encoder=False)
    assert [layer.log_prob for layer in layers[1]] == pytest.approx(
        [layer.log_prob for layer in layers[2]], abs=1e-9
    )
