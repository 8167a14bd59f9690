"""Conversion of our Transformer to CTranslate2."""

from __future__ import annotations

import re
from typing import Any

from torch import nn

from models.networks.transformer.layers import DecoderLayer, EncoderLayer
from models.networks.transformer.model import TransformerModel


def converted(model: TransformerModel, bos_id: int, eos_id: int, unk_id: int) -> Any:
    """Return a `TransformerSpec` in which token i is called `str(i)` and no end token is added to sources."""
    from ctranslate2.specs import TransformerSpec, common_spec

    first: EncoderLayer = model.encoder[0]  # type: ignore[assignment]  # a ModuleList has no element type
    activation = re.sub("^silu$", "swish", first.feed_forward.activation.__name__)
    spec = TransformerSpec.from_config(
        (len(model.encoder), len(model.decoder)),
        first.self_attention.num_heads,
        pre_norm=first.residual_self.pre_norm,
        activation=getattr(common_spec.Activation, activation.upper()),
    )
    _part(spec.encoder, spec.encoder.embeddings[0], model, model.src_embedding, model.encoder_norm)
    _part(spec.decoder, spec.decoder.embeddings, model, model.tgt_embedding, model.decoder_norm)
    for into, layer in zip(spec.encoder.layer, model.encoder, strict=True):
        _layer(into, layer)
    for into, layer in zip(spec.decoder.layer, model.decoder, strict=True):
        _layer(into, layer)
        _linears(into.attention.linear, layer.cross_attention, "query", "key_value", "output")
        _norm(into.attention.layer_norm, layer.residual_cross.norm)
    _linear(spec.decoder.projection, model.output)
    tokens = [str(token) for token in range(model.vocab_size)]
    spec.register_source_vocabulary(tokens)
    spec.register_target_vocabulary(tokens)
    spec.config.bos_token = spec.config.decoder_start_token = str(bos_id)
    spec.config.eos_token, spec.config.unk_token = str(eos_id), str(unk_id)
    spec.config.add_source_eos = False
    spec.validate()
    spec.optimize()
    return spec


def _part(into: Any, table: Any, model: TransformerModel, embedding: nn.Embedding, norm: nn.Module) -> None:
    """Convert embedding, positions and last norm of the encoder or decoder."""
    table.weight = embedding.weight.detach().numpy()
    into.scale_embeddings = model.scale
    into.position_encodings.encodings = model.positions.numpy()
    if isinstance(norm, nn.LayerNorm):
        _norm(into.layer_norm, norm)


def _layer(into: Any, layer: EncoderLayer | DecoderLayer) -> None:
    _linears(into.self_attention.linear, layer.self_attention, "query_key_value", "output")
    _norm(into.self_attention.layer_norm, layer.residual_self.norm)
    _linears((into.ffn.linear_0, into.ffn.linear_1), layer.feed_forward, "expand", "contract")
    _norm(into.ffn.layer_norm, layer.residual_feed_forward.norm)


def _linears(into: Any, module: nn.Module, *names: str) -> None:
    for spec, name in zip(into, names, strict=True):
        _linear(spec, getattr(module, name))


def _linear(into: Any, linear: Any) -> None:
    """Convert a linear layer, packed or not."""
    into.weight, into.bias = linear.weight.detach().numpy(), linear.bias.detach().numpy()


def _norm(into: Any, norm: nn.LayerNorm) -> None:
    into.gamma, into.beta = norm.weight.detach().numpy(), norm.bias.detach().numpy()
