"""The Transformer against torch's own layers with the same weights, and its positions by hand."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from models.networks.architectures import build_model
from models.networks.attention import CrossAttention, FoldedSource, SelfAttention, causal_mask
from models.networks.transformer.config import ACTIVATION_TITLES, TransformerConfig
from models.networks.transformer.layers import DecoderLayer, EncoderLayer
from models.networks.transformer.model import TransformerModel, TransformerState, sinusoidal_positions
from tests.fakes.tiny_networks import NETWORKS, PAD, VOCAB_SIZE, assert_same, tiny_batch, tiny_model

D, HEADS, D_FF = 8, 2, 12
TORCH_ACTIVATIONS = {"relu": F.relu, "gelu": F.gelu, "swish": lambda x: x * torch.sigmoid(x)}


def tiny_config(activation: str, pre_norm: bool) -> TransformerConfig:
    return TransformerConfig(
        d_model=D, num_heads=HEADS, d_ff=D_FF, activation=activation, pre_norm=pre_norm, dropout=0.0
    )


def randomised(layer: nn.Module) -> nn.Module:
    torch.manual_seed(0)
    for parameter in layer.parameters():
        nn.init.normal_(parameter, std=0.5)
    return layer.double().eval()


def attention_weights(prefix: str, module: SelfAttention | CrossAttention) -> dict[str, Tensor]:
    ins = [module.query_key_value] if isinstance(module, SelfAttention) else [module.query, module.key_value]
    return {
        f"{prefix}.in_proj_weight": torch.cat([layer.weight for layer in ins]),
        f"{prefix}.in_proj_bias": torch.cat([layer.bias for layer in ins]),
        f"{prefix}.out_proj.weight": module.output.weight,
        f"{prefix}.out_proj.bias": module.output.bias,
    }


def torch_weights(layer: EncoderLayer | DecoderLayer) -> dict[str, Tensor]:
    """Our weights under torch's names."""
    weights = attention_weights("self_attn", layer.self_attention)
    if isinstance(layer, DecoderLayer):
        weights |= attention_weights("multihead_attn", layer.cross_attention)
    residuals = [layer.residual_self, layer.residual_feed_forward]
    if isinstance(layer, DecoderLayer):
        residuals.insert(1, layer.residual_cross)
    for number, residual in enumerate(residuals, start=1):
        weights |= {f"norm{number}.{name}": tensor for name, tensor in residual.norm.named_parameters()}
    for number, linear in enumerate((layer.feed_forward.expand, layer.feed_forward.contract), start=1):
        weights |= {f"linear{number}.{name}": tensor for name, tensor in linear.named_parameters()}
    return weights


@pytest.mark.parametrize("activation", ACTIVATION_TITLES)
@pytest.mark.parametrize("pre_norm", [True, False])
def test_an_encoder_layer_equals_that_of_torch(activation: str, pre_norm: bool) -> None:
    ours = randomised(EncoderLayer(tiny_config(activation, pre_norm)))
    kind = TORCH_ACTIVATIONS[activation]
    theirs = nn.TransformerEncoderLayer(D, HEADS, D_FF, 0.0, kind, batch_first=True, norm_first=pre_norm)
    theirs.double().load_state_dict(torch_weights(ours))
    x, mask = torch.randn(2, 5, D).double(), torch.tensor([[True] * 5, [True, True, True, False, False]])
    expected = theirs(x, src_key_padding_mask=~mask)
    assert_same(ours(x, mask[:, None, None])[0], expected)


@pytest.mark.parametrize("activation", ACTIVATION_TITLES)
@pytest.mark.parametrize("pre_norm", [True, False])
def test_a_decoder_layer_equals_that_of_torch(activation: str, pre_norm: bool) -> None:
    ours = randomised(DecoderLayer(tiny_config(activation, pre_norm)))
    kind = TORCH_ACTIVATIONS[activation]
    theirs = nn.TransformerDecoderLayer(D, HEADS, D_FF, 0.0, kind, batch_first=True, norm_first=pre_norm)
    theirs.double().load_state_dict(torch_weights(ours))
    x, memory = torch.randn(2, 4, D).double(), torch.randn(2, 5, D).double()
    mask, causal = torch.tensor([[True] * 5, [True, False, False, False, False]]), causal_mask(4, x.device)
    expected = theirs(x, memory, tgt_mask=~causal, memory_key_padding_mask=~mask)
    source = ours.cross_attention.project_memory(memory)
    assert_same(ours(x, causal, source, mask[:, None, None]), expected)


def test_positions_are_sines_then_cosines() -> None:
    positions = sinusoidal_positions(7, 6)
    for position in range(7):
        for i in range(3):
            angle = position / 10_000 ** (2 * i / 6)
            assert positions[position, i].item() == pytest.approx(math.sin(angle), abs=1e-6)
            assert positions[position, 3 + i].item() == pytest.approx(math.cos(angle), abs=1e-6)


def test_the_product_of_two_positions_depends_on_their_distance_alone() -> None:
    products = sinusoidal_positions(20, 8).double() @ sinusoidal_positions(20, 8).double().T
    for distance in (0, 1, 5):
        diagonal = products.diagonal(distance)
        torch.testing.assert_close(diagonal, diagonal[:1].expand_as(diagonal), rtol=1e-5, atol=1e-5)


def test_embeddings_are_scaled_and_given_their_position() -> None:
    model = build_model(TransformerConfig(d_model=8, num_heads=2, dropout=0.0), VOCAB_SIZE, PAD).eval()
    assert isinstance(model, TransformerModel)
    read: list[Tensor] = []
    model.encoder[0].register_forward_pre_hook(lambda module, arguments: read.append(arguments[0]))
    model.encode(torch.tensor([[5, 5]]), torch.ones(1, 2, dtype=torch.bool))
    expected = model.src_embedding.weight[5] * math.sqrt(8) + sinusoidal_positions(2, 8)
    torch.testing.assert_close(read[0][0], expected)


def test_the_cache_grows_by_one_and_the_source_is_projected_once() -> None:
    model, batch = tiny_model(NETWORKS["transformer-pre-relu"]), tiny_batch()
    state = model.initial_state(model.encode(batch.src, batch.src_mask))
    assert isinstance(state, TransformerState)
    assert state.length == 0
    after = model.step(batch.tgt_in[:, 0], state).state
    assert isinstance(after, TransformerState)
    assert (after.length, state.length) == (1, 0)
    assert after.source is state.source


@pytest.mark.parametrize("overrides", [False, True])
def test_one_sentence_alone_is_decoded_as_in_a_batch(overrides: bool) -> None:
    """A single source is folded and shared by all rows; in a batch it is not."""
    model, batch = tiny_model(NETWORKS["transformer-pre-relu"]), tiny_batch()
    source = batch.src[2:, : int(batch.src_mask[2].sum())]
    alone, together = (
        model.encode(src, torch.ones_like(src, dtype=torch.bool)) for src in (source, source.expand(2, -1))
    )
    rows = torch.tensor([0, 0])
    folded, plain = model.initial_state(alone).reorder(rows), model.initial_state(together)
    assert isinstance(folded, TransformerState)
    assert isinstance(plain, TransformerState)
    assert all(isinstance(layer, FoldedSource) for layer in folded.source)
    assert not any(isinstance(layer, FoldedSource) for layer in plain.source)
    override = torch.rand(2, 1, source.shape[1]).double() if overrides else None
    for tokens in (torch.tensor([4, 5]), torch.tensor([6, 7])):
        actual, expected = model.step(tokens, folded, override), model.step(tokens, plain, override)
        assert_same(actual.logits, expected.logits)
        assert_same(actual.cross_attention, expected.cross_attention)
        folded, plain = actual.state.reorder(rows.flip(0)), expected.state.reorder(rows.flip(0))


def test_a_long_source_is_not_folded() -> None:
    model = tiny_model(NETWORKS["transformer-pre-relu"])  # two heads of four
    for length, folds in ((4, True), (5, False)):
        src = torch.full((1, length), 5)
        state = model.initial_state(model.encode(src, torch.ones_like(src, dtype=torch.bool)))
        assert isinstance(state, TransformerState)
        assert isinstance(state.source[0], FoldedSource) == folds


def test_more_tokens_than_positions_are_refused_with_a_sentence() -> None:
    limited = TransformerConfig(
        d_model=8, num_heads=2, d_ff=8, num_layers=1, num_decoder_layers=1, max_positions=2
    )
    model = build_model(limited, VOCAB_SIZE, PAD).eval()
    assert model.max_positions == 2
    with pytest.raises(ValueError, match=r"\b2\b.*\b3\b"):
        model.encode(torch.tensor([[5, 6, 7]]), torch.ones(1, 3, dtype=torch.bool))
    state = model.initial_state(model.encode(torch.tensor([[5]]), torch.ones(1, 1, dtype=torch.bool)))
    for _ in range(2):
        state = model.step(torch.tensor([4]), state).state
    with pytest.raises(ValueError, match=r"\b2\b.*\b3\b"):
        model.step(torch.tensor([4]), state)


@pytest.mark.parametrize(
    ("share", "tie", "tables"), [(False, False, 3), (True, False, 2), (False, True, 2), (True, True, 1)]
)
def test_a_tied_table_counts_once(share: bool, tie: bool, tables: int) -> None:
    shape = {"d_model": 8, "num_heads": 2, "d_ff": 12, "num_layers": 1, "num_decoder_layers": 1}
    model = build_model(TransformerConfig(**shape, share_embeddings=share, tie_output=tie), VOCAB_SIZE, PAD)
    attention, feed_forward, norm = 4 * (8 * 8 + 8), 8 * 12 + 12 + 12 * 8 + 8, 2 * 8
    layers = 3 * attention + 2 * feed_forward + (2 + 3 + 2) * norm  # the last two at the ends of the stacks
    assert model.num_parameters() == layers + tables * VOCAB_SIZE * 8 + VOCAB_SIZE
