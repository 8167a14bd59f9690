"""Networks of the transformers library as `Seq2SeqModel`: Marian, T5, BART and their relatives.

The library's `generate` is not used. A function replaces the library's attention. It receives weights and
factors as arguments, so that the network keeps nothing of a call.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import fields
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from models.batch import Batch
from models.networks.attention import fit_override, overridden
from models.networks.base import DecoderState, EmbeddingModel, EncoderOutput, StepOutput
from models.networks.hugging_face_state import HuggingFaceState
from models.networks.transformer.layers import pass_bytes

if TYPE_CHECKING:  # an optional library, imported when one of its networks is used
    from transformers import PreTrainedModel

ATTENTION_NAME = "replaceable"  # the library's name of `replaceable_attention`
CROSS_ATTENTION = ("encoder_attn", "EncDecAttention", "cross_attn")  # attributes of its layers
SELF_ATTENTION = ("self_attn", "SelfAttention")
# Attributes of an encoder or decoder that ends with a norm.
LAST_NORMS = ("layer_norm", "final_layer_norm", "norm")
OTHER_LAST_NORMS = {"bigbird_pegasus": ("layernorm_embedding",)}  # elsewhere a norm of embeddings


class HuggingFaceModel(EmbeddingModel):
    """An encoder-decoder of the transformers library whose attention can be read and replaced.

    Changes the attention implementation of `library_model` to one that computes the same as "eager". Raises
    ValueError for a network whose cross-attention cannot be read and replaced, or with an unknown output
    layer.
    """

    def __init__(self, library_model: PreTrainedModel, never_ids: Sequence[int] = ()) -> None:
        super().__init__()
        self.never_ids = tuple(never_ids)
        _register()
        library_model.set_attn_implementation(ATTENTION_NAME)
        self.library_model = cast("Any", library_model)
        self.eval()
        self.max_positions = getattr(library_model.config, "max_position_embeddings", None)
        self._cross = _modules_named(self.library_model.get_decoder(), CROSS_ATTENTION)
        self._encoder_attention = _modules_named(self.library_model.get_encoder(), SELF_ATTENTION)
        self._probe()

    def _probe(self) -> None:
        """Take one step to learn the vocabulary size and the shape of attention. Raises ValueError."""
        name = type(self.library_model).__name__
        device = next(self.parameters()).device
        ids = torch.zeros((1, 1), dtype=torch.int64, device=device)
        with torch.no_grad():
            state = self.initial_state(self.encode(ids, torch.ones_like(ids, dtype=torch.bool)))
            output = self.step(ids[0], state)
            expected = self.library_model(input_ids=ids, decoder_input_ids=ids).logits[:, 0]
        weights = output.cross_attention
        if weights is None or len(self._cross) != weights.shape[1]:
            raise ValueError(f"library_model must have cross-attention in every decoder layer; got a {name}")
        if not torch.allclose(output.logits, expected, rtol=1e-3, atol=1e-3):
            raise ValueError(f"library_model must have an output layer that is known here; got a {name}")
        self.vocab_size, self.attention_shape = expected.shape[1], (weights.shape[1], weights.shape[2])
        record: dict[nn.Module, tuple[Tensor, Tensor]] = {}
        with torch.no_grad():
            zeroed_attention = self.step(ids[0], state, torch.zeros((), device=device)).cross_attention
            self.encode_vectors(self.embed_source(ids), torch.ones_like(ids, dtype=torch.bool), record=record)
        if not record.keys() >= set(self._encoder_attention):  # BigBird, for example, can attend sparsely
            self._encoder_attention = ()
        if zeroed_attention is None or zeroed_attention.any():
            raise ValueError(f"library_model must have attention that can be replaced; got a {name}")

    @property
    def attentions(self) -> Mapping[str, tuple[nn.Module, ...]]:
        """The modules of "encoder" and "decoder", which are self-attention, and "cross", by layer.

        `replaceable_attention` identifies attentions by these modules. An encoder with another kind of
        attention has none.
        """
        return {
            "encoder": self._encoder_attention,
            "decoder": _modules_named(self.library_model.get_decoder(), SELF_ATTENTION),
            "cross": self._cross,
        }

    @property
    def source_vocab_size(self) -> int:
        """The number of tokens that can be read. A Marian with two vocabularies writes other tokens."""
        return int(self.library_model.get_encoder().get_input_embeddings().weight.shape[0])

    def embed_source(self, src: Tensor) -> Tensor:
        encoder = self.library_model.get_encoder()
        vectors: Tensor = encoder.get_input_embeddings()(src)
        # Marian and Pegasus scale embeddings in their encoder, and any input of their decoder.
        return vectors * getattr(encoder, "embed_scale", 1.0)

    def embed_target(self, tokens: Tensor) -> Tensor:
        vectors: Tensor = self.library_model.get_decoder().get_input_embeddings()(tokens)
        return vectors

    def encode(self, src: Tensor, src_mask: Tensor) -> EncoderOutput:
        """Encode ids instead of vectors, since some networks look for padding in the ids."""
        return self._encode(src_mask, input_ids=src)

    def encode_vectors(self, vectors: Tensor, src_mask: Tensor, **attention: Any) -> EncoderOutput:
        """The source's states. For `attention` see `decode_vectors`."""
        return self._encode(src_mask, inputs_embeds=vectors, **attention)

    def _encode(self, src_mask: Tensor, **source: Any) -> EncoderOutput:
        """Self-attention is returned unless training."""
        output = self.library_model.get_encoder()(
            **source, attention_mask=src_mask.long(), output_attentions=not self.training
        )
        weights = None if self.training else torch.stack(output.attentions, dim=1)
        return EncoderOutput(output.last_hidden_state, src_mask, self_attention=weights)

    def initial_state(self, encoded: EncoderOutput) -> HuggingFaceState:
        """The first step projects the source's keys and values."""
        return HuggingFaceState(encoded.memory, encoded.mask)

    def step(self, tokens: Tensor, state: DecoderState, override: Tensor | None = None) -> StepOutput:
        assert isinstance(state, HuggingFaceState)
        output = self._decode(
            state,
            input_ids=tokens.unsqueeze(1),
            **{cache_name(): state.cache()},
            use_cache=True,
            output_attentions=True,
            replaced=self._override_weights(override, state, len(tokens)),
        )
        after, features = state.after(output[cache_name()]), output.last_hidden_state[:, -1]
        cross = torch.stack([weights[:, :, -1] for weights in output.cross_attentions], dim=1)
        self_attentions = tuple(weights[:, :, -1] for weights in output.attentions)
        return StepOutput(self.project(features), after, features, cross, self_attentions)

    def _override_weights(
        self, override: Tensor | None, state: HuggingFaceState, rows: int
    ) -> Mapping[nn.Module, Tensor]:
        """The weights (R, H, S) of each cross-attention."""
        if override is None:
            return {}
        assert self.attention_shape is not None
        layers, heads = self.attention_shape
        fitted = fit_override(override, (rows, layers, heads, state.memory.shape[1]), state.memory)
        return dict(zip(self._cross, fitted.unbind(1), strict=True))

    def features(self, batch: Batch) -> Tensor:
        state = self.initial_state(self.encode(batch.src, batch.src_mask))
        # An all-ones mask: T5Gemma would otherwise skip target tokens with the id of padding.
        target = {"input_ids": batch.tgt_in, "attention_mask": torch.ones_like(batch.tgt_in)}
        features: Tensor = self._decode(state, **target, use_cache=False).last_hidden_state
        return features

    def pass_bytes(self, source: int, target: int) -> int:
        """The bytes of a pass, if the encoder has as many layers as the decoder."""
        assert self.attention_shape is not None
        layers, heads = self.attention_shape
        width = self.library_model.get_decoder().get_input_embeddings().embedding_dim
        return pass_bytes(2 * layers, heads, width, source, target)

    def decode_vectors(self, vectors: Tensor, encoded: EncoderOutput, **attention: Any) -> Tensor:
        """Return the decoder's features.

        attention: `factors` and `record` of `replaceable_attention`, by the modules of `attentions`.
        """
        state = self.initial_state(encoded)
        output = self._decode(state, inputs_embeds=vectors, use_cache=False, **attention)
        features: Tensor = output.last_hidden_state
        return features

    def encoder_layers(self, vectors: Tensor, src_mask: Tensor) -> list[EncoderOutput]:
        encoder = self.library_model.get_encoder()
        output = encoder(inputs_embeds=vectors, attention_mask=src_mask.long(), output_hidden_states=True)
        return [EncoderOutput(memory, src_mask) for memory in _layers(encoder, output)]

    def decoder_layers(self, vectors: Tensor, encoded: EncoderOutput) -> list[Tensor]:
        output = self._decode(
            self.initial_state(encoded), inputs_embeds=vectors, use_cache=False, output_hidden_states=True
        )
        return _layers(self.library_model.get_decoder(), output)

    def project(self, features: Tensor) -> Tensor:
        config = self.library_model.config
        if getattr(config, "scale_decoder_outputs", False):
            features = features * config.d_model**-0.5
        logits: Tensor = self.library_model.get_output_embeddings()(features)
        bias = getattr(self.library_model, "final_logits_bias", None)
        cap = getattr(self.library_model.get_decoder().config, "final_logit_softcapping", None)
        return _cap(logits if bias is None else logits + bias[0], cap)

    def _decode(self, state: HuggingFaceState, **target: Any) -> Any:
        return self.library_model.get_decoder()(
            encoder_hidden_states=state.memory, encoder_attention_mask=state.mask.long(), **target
        )


@lru_cache(maxsize=1)
def cache_name() -> str:
    """The library's name of the cache that its decoders take and return; it changed in version 5.24."""
    from transformers.modeling_outputs import BaseModelOutputWithPastAndCrossAttentions as Output

    names = {field.name for field in fields(Output)}
    return "cache" if "cache" in names else "past_key_values"


def _layers(stack: nn.Module, output: Any) -> list[Tensor]:
    """The hidden states of an encoder or decoder, each normalised as the last one is.

    The library applies the final norm, if there is one, to the last state only.
    """
    names = OTHER_LAST_NORMS.get(cast("Any", stack).config.model_type, LAST_NORMS)
    norm = next((getattr(stack, name) for name in names if hasattr(stack, name)), nn.Identity())
    return [*(norm(states) for states in output.hidden_states[:-1]), output.last_hidden_state]


def replaceable_attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float | None = None,
    dropout: float = 0.0,
    position_bias: Tensor | None = None,
    softcap: float | None = None,
    replaced: Mapping[nn.Module, Tensor] | None = None,
    factors: Mapping[nn.Module, Tensor] | None = None,
    record: MutableMapping[nn.Module, tuple[Tensor, Tensor]] | None = None,
    **options: Any,
) -> tuple[Tensor, Tensor]:
    """The library's "eager" attention, with the weights (R, H, S) of the modules in `replaced`.

    query (R, H, T, D/H), key and value (R, H, S, D/H) -> output (R, T, H, D/H), weights (R, H, T, S).
    Heads may share keys and values, as in T5Gemma. The weights of a module in `factors` are multiplied by
    these, broadcastable to (R, H, T, S). `record` receives the weights before the factors and the values.
    """
    sharing = query.shape[1] // key.shape[1]
    if sharing > 1:
        key, value = (part.repeat_interleave(sharing, dim=1) for part in (key, value))
    scores = query @ key.transpose(2, 3) * (query.shape[-1] ** -0.5 if scaling is None else scaling)
    scores = _cap(scores, softcap)
    if position_bias is not None:
        scores = scores + position_bias
    if attention_mask is not None:
        scores = scores + attention_mask
    weights = scores.softmax(dim=-1)
    if replaced and module in replaced:
        weights = overridden(weights, replaced[module].unsqueeze(2))
    if record is not None:
        record[module] = (weights, value)
    applied = F.dropout(weights, dropout, module.training)
    if factors and module in factors:
        applied = applied * factors[module]
    return (applied @ value).transpose(1, 2).contiguous(), weights


def _cap(scores: Tensor, cap: float | None) -> Tensor:
    """Limit scores smoothly to the range from -cap to cap."""
    return scores if cap is None else cap * torch.tanh(scores / cap)


def _modules_named(stack: nn.Module, names: Sequence[str]) -> tuple[nn.Module, ...]:
    """The modules of an encoder or decoder that have one of these names, first layer first."""
    return tuple(module for name, module in stack.named_modules() if name.rpartition(".")[2] in names)


def _register() -> None:
    """Register `replaceable_attention` with the library; a second call changes nothing."""
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.masking_utils import eager_mask

    AttentionInterface.register(ATTENTION_NAME, replaceable_attention)
    AttentionMaskInterface.register(ATTENTION_NAME, eager_mask)
