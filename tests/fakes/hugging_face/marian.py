"""Marian's weights in our Transformer, for comparisons with Hugging Face's `generate`."""

from __future__ import annotations

import torch
from transformers import MarianConfig, MarianMTModel

from models.networks.architectures import build_model
from models.networks.transformer.config import TransformerConfig
from models.networks.transformer.model import TransformerModel

PAD, EOS = 0, 1  # the start token is padding, as in every Marian


def random_marian(
    vocab_size: int = 40, width: int = 32, layers: int = 2, scale: float = 1.0
) -> MarianMTModel:
    """Return a Marian with random weights; `scale` sharpens its otherwise nearly flat distribution."""
    config = MarianConfig(
        vocab_size=vocab_size,
        d_model=width,
        encoder_layers=layers,
        decoder_layers=layers,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=4 * width,
        decoder_ffn_dim=4 * width,
        activation_function="swish",
        max_position_embeddings=128,
        scale_embedding=True,
        pad_token_id=PAD,
        eos_token_id=EOS,
        decoder_start_token_id=PAD,
        forced_eos_token_id=None,
        bos_token_id=None,
        share_encoder_decoder_embeddings=True,
        tie_word_embeddings=True,
        attn_implementation="eager",
    )
    model = MarianMTModel(config).eval()
    with torch.no_grad():
        model.model.shared.weight.normal_(std=scale * width**-0.5)
        model.final_logits_bias.normal_(std=0.5 * scale)
    model.generation_config.forced_eos_token_id = None
    model.generation_config.bad_words_ids = None
    return model


def as_ours(theirs: MarianMTModel) -> TransformerModel:
    """Return a post-norm `TransformerModel` that computes the same function."""
    config = theirs.config
    ours = build_model(
        TransformerConfig(
            d_model=config.d_model,
            num_heads=config.encoder_attention_heads,
            d_ff=config.encoder_ffn_dim,
            num_layers=config.encoder_layers,
            num_decoder_layers=config.decoder_layers,
            activation=config.activation_function,
            pre_norm=False,
            dropout=0.0,
            max_positions=config.max_position_embeddings,
        ),
        config.vocab_size,
        PAD,
    )
    source = theirs.state_dict()
    state = {
        "tgt_embedding.weight": source["model.shared.weight"],
        "src_embedding.weight": source["model.shared.weight"],
        "output.weight": source["model.shared.weight"],
        "output.bias": source["final_logits_bias"][0],
    }
    for side, layers in (("encoder", config.encoder_layers), ("decoder", config.decoder_layers)):
        for layer in range(layers):
            state |= _layer(source, f"model.{side}.layers.{layer}.", f"{side}.{layer}.", side == "decoder")
    ours.load_state_dict(state)
    assert isinstance(ours, TransformerModel)
    return ours.eval()


def _layer(source: dict[str, torch.Tensor], theirs: str, ours: str, decoder: bool) -> dict[str, torch.Tensor]:
    state = {}
    attentions = {"self_attn": "self_attention"} | ({"encoder_attn": "cross_attention"} if decoder else {})
    norms = {"self_attn_layer_norm": "residual_self", "final_layer_norm": "residual_feed_forward"}
    norms |= {"encoder_attn_layer_norm": "residual_cross"} if decoder else {}
    for kind in ("weight", "bias"):
        for their_name, our_name in attentions.items():
            prefix = f"{theirs}{their_name}."
            query, key, value = (source[f"{prefix}{letter}_proj.{kind}"] for letter in "qkv")
            if our_name == "self_attention":
                state[f"{ours}{our_name}.query_key_value.{kind}"] = torch.cat((query, key, value))
            else:
                state[f"{ours}{our_name}.query.{kind}"] = query
                state[f"{ours}{our_name}.key_value.{kind}"] = torch.cat((key, value))
            state[f"{ours}{our_name}.output.{kind}"] = source[f"{prefix}out_proj.{kind}"]
        state[f"{ours}feed_forward.expand.{kind}"] = source[f"{theirs}fc1.{kind}"]
        state[f"{ours}feed_forward.contract.{kind}"] = source[f"{theirs}fc2.{kind}"]
        for their_name, our_name in norms.items():
            state[f"{ours}{our_name}.norm.{kind}"] = source[f"{theirs}{their_name}.{kind}"]
    return state
