"""A network of the transformers library as a `Seq2SeqModel`: those of Marian, T5, BART and their relatives.

The library's `generate` has no part in it. Attention is replaced by a function to which weights and factors
are handed down with the call, so that nothing is left on the network.
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
from models.networks.foreign_state import ForeignState
from models.networks.transformer.layers import pass_bytes

if TYPE_CHECKING:  # an optional library, imported when one of its networks is used
    from transformers import PreTrainedModel

ATTENTION = "replaceable"  # what the library knows `replaceable_attention` by
CROSS_ATTENTION = ("encoder_attn", "EncDecAttention", "cross_attn")  # what its layers call theirs
SELF_ATTENTION = ("self_attn", "SelfAttention")
LAST_NORMS = (
    "layer_norm",
    "final_layer_norm",
    "norm",
)  # what a half calls the norm at its end, if it has one
OTHER_LAST_NORMS = {"bigbird_pegasus": ("layernorm_embedding",)}  # elsewhere that of the embeddings


class ForeignModel(EmbeddingModel):
    """An encoder-decoder of the transformers library whose weights and attention are in plain sight.

    Changes the attention implementation of `theirs`, to one that computes what "eager" does. Raises
    ValueError for a network whose cross-attention cannot be seen and replaced, or with an output layer that
    is not known here.
    """

    def __init__(self, theirs: PreTrainedModel, never_ids: Sequence[int] = ()) -> None:
        super().__init__()
        self.never_ids = tuple(never_ids)
        _register()
        theirs.set_attn_implementation(ATTENTION)
        self.theirs = cast("Any", theirs)
        self.eval()
        self.max_positions = getattr(theirs.config, "max_position_embeddings", None)
        self._cross = _named(self.theirs.get_decoder(), CROSS_ATTENTION)
        self._encoder_own = _named(self.theirs.get_encoder(), SELF_ATTENTION)
        self._try()

    def _try(self) -> None:
        """Take one step, which tells the vocabulary and the shape of attention. Raises ValueError."""
        name = type(self.theirs).__name__
        device = next(self.parameters()).device
        ids = torch.zeros((1, 1), dtype=torch.int64, device=device)
        with torch.no_grad():
            state = self.initial_state(self.encode(ids, torch.ones_like(ids, dtype=torch.bool)))
            output = self.step(ids[0], state)
            expected = self.theirs(input_ids=ids, decoder_input_ids=ids).logits[:, 0]
        weights = output.cross_attention
        if weights is None or len(self._cross) != weights.shape[1]:
            raise ValueError(f"theirs must have cross-attention in every layer of its decoder; got a {name}")
        if not torch.allclose(output.logits, expected, rtol=1e-3, atol=1e-3):
            raise ValueError(f"theirs must have an output layer that is known here; got a {name}")
        self.vocab_size, self.attention_shape = expected.shape[1], (weights.shape[1], weights.shape[2])
        seen: dict[nn.Module, tuple[Tensor, Tensor]] = {}
        with torch.no_grad():
            nowhere = self.step(ids[0], state, torch.zeros((), device=device)).cross_attention
            self.encode_vectors(self.embed_source(ids), torch.ones_like(ids, dtype=torch.bool), seen=seen)
        if not seen.keys() >= set(self._encoder_own):  # as of BigBird, which can attend sparsely
            self._encoder_own = ()
        if nowhere is None or nowhere.any():
            raise ValueError(f"theirs must have attention that can be replaced; got a {name}")

    @property
    def attentions(self) -> Mapping[str, tuple[nn.Module, ...]]:
        """The modules of "encoder" and "decoder", which are self-attention, and "cross", by layer.

        They are called by what `replaceable_attention` is told about them. None of an encoder that attends
        in a way of its own.
        """
        return {
            "encoder": self._encoder_own,
            "decoder": _named(self.theirs.get_decoder(), SELF_ATTENTION),
            "cross": self._cross,
        }

    @property
    def source_vocab_size(self) -> int:
        """How many tokens can be read; not those that can be written where a Marian has two vocabularies."""
        return int(self.theirs.get_encoder().get_input_embeddings().weight.shape[0])

    def embed_source(self, src: Tensor) -> Tensor:
        """See `EmbeddingModel.embed_source`."""
        encoder = self.theirs.get_encoder()
        vectors: Tensor = encoder.get_input_embeddings()(src)
        # Marian and Pegasus scale what their encoder looks up itself, and whatever their decoder is given.
        return vectors * getattr(encoder, "embed_scale", 1.0)

    def embed_target(self, tokens: Tensor) -> Tensor:
        """See `EmbeddingModel.embed_target`."""
        vectors: Tensor = self.theirs.get_decoder().get_input_embeddings()(tokens)
        return vectors

    def encode(self, src: Tensor, src_mask: Tensor) -> EncoderOutput:
        """See `Seq2SeqModel.encode`. By ids, among which some networks look for padding."""
        return self._encode(src_mask, input_ids=src)

    def encode_vectors(self, vectors: Tensor, src_mask: Tensor, **told: Any) -> EncoderOutput:
        """See `EmbeddingModel.encode_vectors`; for `told` see `decode_vectors`."""
        return self._encode(src_mask, inputs_embeds=vectors, **told)

    def _encode(self, src_mask: Tensor, **source: Any) -> EncoderOutput:
        """Self-attention is returned unless training."""
        output = self.theirs.get_encoder()(
            **source, attention_mask=src_mask.long(), output_attentions=not self.training
        )
        weights = None if self.training else torch.stack(output.attentions, dim=1)
        return EncoderOutput(output.last_hidden_state, src_mask, self_attention=weights)

    def initial_state(self, encoded: EncoderOutput) -> ForeignState:
        """See `Seq2SeqModel.initial_state`: the first step projects the source's keys and values."""
        return ForeignState(encoded.memory, encoded.mask)

    def step(self, tokens: Tensor, state: DecoderState, override: Tensor | None = None) -> StepOutput:
        """See `Seq2SeqModel.step`."""
        assert isinstance(state, ForeignState)
        output = self._decode(
            state,
            input_ids=tokens.unsqueeze(1),
            **{cache_name(): state.cache()},
            use_cache=True,
            output_attentions=True,
            replaced=self._replaced(override, state, len(tokens)),
        )
        after, features = state.after(output[cache_name()]), output.last_hidden_state[:, -1]
        cross = torch.stack([weights[:, :, -1] for weights in output.cross_attentions], dim=1)
        own = tuple(weights[:, :, -1] for weights in output.attentions)
        return StepOutput(self.project(features), after, features, cross, own)

    def _replaced(
        self, override: Tensor | None, state: ForeignState, rows: int
    ) -> Mapping[nn.Module, Tensor]:
        """For each cross-attention its weights (R, H, S)."""
        if override is None:
            return {}
        assert self.attention_shape is not None
        layers, heads = self.attention_shape
        given = fit_override(override, (rows, layers, heads, state.memory.shape[1]), state.memory)
        return dict(zip(self._cross, given.unbind(1), strict=True))

    def features(self, batch: Batch) -> Tensor:
        """See `Seq2SeqModel.features`."""
        state = self.initial_state(self.encode(batch.src, batch.src_mask))
        # All of a target is read, as step by step: T5Gemma would skip what has the id of padding.
        given = {"input_ids": batch.tgt_in, "attention_mask": torch.ones_like(batch.tgt_in)}
        features: Tensor = self._decode(state, **given, use_cache=False).last_hidden_state
        return features

    def pass_bytes(self, source: int, target: int) -> int:
        """See `Seq2SeqModel.pass_bytes`; the encoder is taken to have as many layers as the decoder."""
        assert self.attention_shape is not None
        layers, heads = self.attention_shape
        width = self.theirs.get_decoder().get_input_embeddings().embedding_dim
        return pass_bytes(2 * layers, heads, width, source, target)

    def decode_vectors(self, vectors: Tensor, encoded: EncoderOutput, **told: Any) -> Tensor:
        """See `EmbeddingModel.decode_vectors`.

        told: `factors` and `seen`, as `replaceable_attention` takes them, by the modules of `attentions`.
        """
        state = self.initial_state(encoded)
        output = self._decode(state, inputs_embeds=vectors, use_cache=False, **told)
        features: Tensor = output.last_hidden_state
        return features

    def encoder_layers(self, vectors: Tensor, src_mask: Tensor) -> list[EncoderOutput]:
        """See `EmbeddingModel.encoder_layers`."""
        encoder = self.theirs.get_encoder()
        output = encoder(inputs_embeds=vectors, attention_mask=src_mask.long(), output_hidden_states=True)
        return [EncoderOutput(memory, src_mask) for memory in _layers(encoder, output)]

    def decoder_layers(self, vectors: Tensor, encoded: EncoderOutput) -> list[Tensor]:
        """See `EmbeddingModel.decoder_layers`."""
        output = self._decode(
            self.initial_state(encoded), inputs_embeds=vectors, use_cache=False, output_hidden_states=True
        )
        return _layers(self.theirs.get_decoder(), output)

    def project(self, features: Tensor) -> Tensor:
        """See `Seq2SeqModel.project`."""
        config = self.theirs.config
        if getattr(config, "scale_decoder_outputs", False):
            features = features * config.d_model**-0.5
        logits: Tensor = self.theirs.get_output_embeddings()(features)
        bias = getattr(self.theirs, "final_logits_bias", None)
        cap = getattr(self.theirs.get_decoder().config, "final_logit_softcapping", None)
        return _capped(logits if bias is None else logits + bias[0], cap)

    def _decode(self, state: ForeignState, **target: Any) -> Any:
        return self.theirs.get_decoder()(
            encoder_hidden_states=state.memory,
            encoder_attention_mask=state.mask.long(),
            **target,
        )


@lru_cache(maxsize=1)
def cache_name() -> str:
    """What the library calls the cache that its decoders take and return: another name since version 5.24."""
    from transformers.modeling_outputs import BaseModelOutputWithPastAndCrossAttentions as Output

    known = {field.name for field in fields(Output)}
    return "cache" if "cache" in known else "past_key_values"


def _layers(half: nn.Module, output: Any) -> list[Tensor]:
    """Hidden states of an encoder or decoder as its last layer's reader would get them.

    The library normalises the last one alone, where a half ends with a norm of its own.
    """
    names = OTHER_LAST_NORMS.get(cast("Any", half).config.model_type, LAST_NORMS)
    norm = next((getattr(half, name) for name in names if hasattr(half, name)), nn.Identity())
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
    seen: MutableMapping[nn.Module, tuple[Tensor, Tensor]] | None = None,
    **options: Any,
) -> tuple[Tensor, Tensor]:
    """The library's "eager" attention, but for modules whose weights (R, H, S) are given in `replaced`.

    query (R, H, T, D/H), key and value (R, H, S, D/H) -> output (R, T, H, D/H), weights (R, H, T, S).
    Heads that share keys and values, as T5Gemma's, are given one of each for all.
    Of a module in `factors` the values are mixed by its weights times these, broadcastable to (R, H, T, S).
    What each module mixes, weights before their factors and values, is written into `seen`.
    """
    sharing = query.shape[1] // key.shape[1]
    if sharing > 1:
        key, value = (part.repeat_interleave(sharing, dim=1) for part in (key, value))
    scores = query @ key.transpose(2, 3) * (query.shape[-1] ** -0.5 if scaling is None else scaling)
    scores = _capped(scores, softcap)
    if position_bias is not None:
        scores = scores + position_bias
    if attention_mask is not None:
        scores = scores + attention_mask
    weights = scores.softmax(dim=-1)
    if replaced and module in replaced:
        weights = overridden(weights, replaced[module].unsqueeze(2))
    if seen is not None:
        seen[module] = (weights, value)
    kept = F.dropout(weights, dropout, module.training)
    if factors and module in factors:
        kept = kept * factors[module]
    return (kept @ value).transpose(1, 2).contiguous(), weights


def _capped(scores: Tensor, cap: float | None) -> Tensor:
    """Scores drawn smoothly into the range from -cap to cap."""
    return scores if cap is None else cap * torch.tanh(scores / cap)


def _named(stack: nn.Module, names: Sequence[str]) -> tuple[nn.Module, ...]:
    """The modules within an encoder or a decoder that its layers call so, first layer first."""
    return tuple(module for name, module in stack.named_modules() if name.rpartition(".")[2] in names)


def _register() -> None:
    """Make `replaceable_attention` known to the library; doing so again changes nothing."""
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.masking_utils import eager_mask

    AttentionInterface.register(ATTENTION, replaceable_attention)
    AttentionMaskInterface.register(ATTENTION, eager_mask)
