"""Transformer encoder-decoder with a key-value cache as its decoder state."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn

from models.networks.attention import Dropout, FoldedSource, KeyValue, Past, causal_mask, fit_override
from models.networks.base import (
    DecoderState,
    EmbeddingModel,
    EncoderOutput,
    StepOutput,
    join_rows,
    newest,
    select_rows,
)
from models.networks.transformer.config import TransformerConfig
from models.networks.transformer.layers import DecoderLayer, EncoderLayer, pass_bytes


@dataclass(frozen=True)
class TransformerState(DecoderState):
    """Keys and values of every layer: of the target so far, and of the source."""

    target: tuple[Past, ...]  # L of (R', H, 2, T, D/H); R' rows are stored
    # L pairs of (B, H, S, D/H), each read by R / B consecutive rows; or one folded source for all rows
    source: tuple[KeyValue | FoldedSource, ...]
    source_length: int  # S
    mask: Tensor | None  # (B, S) bool; None if no source is padded
    # (R,), the stored row that each row continues; None: row i continues stored row i. Reordering sets only
    # this index; the next step copies keys and values when it adds its own.
    rows: Tensor | None = None

    @property
    def length(self) -> int:
        """The number of target tokens read so far."""
        return self.target[0].shape[3]

    def with_target(self, target: tuple[Past, ...]) -> TransformerState:
        """Return the state of the same source with another target."""
        return TransformerState(target, self.source, self.source_length, self.mask)

    def reorder(self, rows: Tensor, same_source: bool = False, rows_per_source: int = 1) -> TransformerState:
        before = rows if self.rows is None else self.rows.index_select(0, rows)
        if same_source:
            return self._with_sources(self.target, before, self._sources_for_first(len(rows)))
        return self._with_sources(self.target, before, rows[::rows_per_source] // self._rows_per_source)

    def newest(self) -> Tensor:
        latest = newest(self.target)
        return latest if self.rows is None else latest.index_select(1, self.rows)

    def resume(self, newest: Sequence[Tensor], rows: Tensor) -> TransformerState:
        return self._with_sources(join_rows(newest, rows), None, self._sources_for_first(rows.shape[1]))

    @property
    def _num_rows(self) -> int:
        """The number of rows, R."""
        return len(self.target[0]) if self.rows is None else len(self.rows)

    @property
    def _num_sources(self) -> int:
        """The number of sources, B."""
        layer = self.source[0]
        return 1 if isinstance(layer, FoldedSource) else len(layer[0])

    @property
    def _rows_per_source(self) -> int:
        """Rows that read each source, R / B."""
        return self._num_rows // self._num_sources

    def _sources_for_first(self, rows: int) -> Tensor | None:
        """The source of each of the first rows; None if they share sources as the rows of this state do."""
        if rows == self._num_rows or self._num_sources == 1:
            return None
        return torch.arange(rows, device=self.target[0].device) // self._rows_per_source

    def _with_sources(
        self, target: tuple[Past, ...], rows: Tensor | None, sources: Tensor | None
    ) -> TransformerState:
        """Return the state of these rows of a target, which read these sources (B',), or all sources."""
        source, mask = self.source, self.mask
        if sources is not None:
            source = tuple(
                layer if isinstance(layer, FoldedSource) else cast("KeyValue", select_rows(layer, sources))
                for layer in source
            )
            mask = None if mask is None else mask.index_select(0, sources)
        return TransformerState(target, source, self.source_length, mask, rows)


class TransformerModel(EmbeddingModel):
    """The Transformer (Vaswani et al. 2017), pre-norm by default, with sinusoidal positions."""

    capturable = True
    attention_shape: tuple[int, int]
    positions: Tensor  # (max_positions, D)

    def __init__(self, config: TransformerConfig, vocab_size: int, pad_id: int) -> None:
        super().__init__()
        d_model = config.d_model
        self.vocab_size, self.max_positions = vocab_size, config.max_positions
        self.attention_shape = (config.num_decoder_layers, config.num_heads)
        self.tgt_embedding = nn.Embedding(vocab_size, d_model, padding_idx=pad_id)
        self.src_embedding = (
            self.tgt_embedding
            if config.share_embeddings
            else nn.Embedding(vocab_size, d_model, padding_idx=pad_id)
        )
        self.scale = math.sqrt(d_model)
        positions = sinusoidal_positions(config.max_positions, d_model)
        self.register_buffer("positions", positions, persistent=False)
        self.encoder = nn.ModuleList(EncoderLayer(config) for _ in range(config.num_layers))
        self.decoder = nn.ModuleList(DecoderLayer(config) for _ in range(config.num_decoder_layers))
        # A post-norm network normalises in each block; a pre-norm network normalises once at its end.
        self.encoder_norm = nn.LayerNorm(d_model) if config.pre_norm else nn.Identity()
        self.decoder_norm = nn.LayerNorm(d_model) if config.pre_norm else nn.Identity()
        self.output = nn.Linear(d_model, vocab_size)
        self.dropout = Dropout(config.dropout)
        self._initialise(pad_id)
        if config.tie_output:
            self.output.weight = self.tgt_embedding.weight

    @property
    def repeated_layers(self) -> Iterable[nn.Module]:
        return (*self.encoder, *self.decoder)

    @property
    def _decoder_layers(self) -> Iterable[DecoderLayer]:
        # `nn.ModuleList` does not know the types of its modules.
        return cast("Iterable[DecoderLayer]", self.decoder)

    def _initialise(self, pad_id: int) -> None:
        for name, parameter in self.named_parameters():
            if "embedding" in name:
                nn.init.normal_(parameter, std=parameter.shape[1] ** -0.5)
                nn.init.zeros_(parameter.data[pad_id])
            elif parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)
            elif name.endswith("bias"):
                nn.init.zeros_(parameter)

    def embed_source(self, src: Tensor) -> Tensor:
        """Embed source tokens, not scaled."""
        return _vectors(self.src_embedding, src)

    def embed_target(self, tokens: Tensor) -> Tensor:
        """Embed target tokens, not scaled."""
        return _vectors(self.tgt_embedding, tokens)

    def at_positions(self, vectors: Tensor, start: int, count: int) -> Tensor:
        """Add the positions from `start` on. vectors (..., count, D), or (R, D): one vector of each row."""
        if start + count > len(self.positions):
            raise ValueError(f"this network reads at most {len(self.positions)} tokens; got {start + count}")
        embedded = torch.add(self.positions.narrow(0, start, count), vectors, alpha=self.scale)
        return self.dropout(embedded) if self.training else embedded

    def encode_vectors(self, vectors: Tensor, src_mask: Tensor) -> EncoderOutput:
        """Encode the source, and return self-attention unless training."""
        x = self.at_positions(vectors, 0, vectors.shape[1])
        weights = []
        for layer in self.encoder:
            x, layer_weights = layer(x, src_mask[:, None, None])
            weights.append(layer_weights)
        attention = None if self.training else torch.stack(weights, dim=1)
        return EncoderOutput(self.encoder_norm(x), src_mask, self_attention=attention)

    def initial_state(self, encoded: EncoderOutput) -> TransformerState:
        """Project the source's keys and values, once for all steps."""
        attentions = [layer.cross_attention for layer in self._decoder_layers]
        memory, mask = encoded.memory, None if bool(encoded.mask.all()) else encoded.mask
        rows, length, width = memory.shape
        layers, heads = self.attention_shape
        source: tuple[KeyValue | FoldedSource, ...]
        # The folded keys and values of a long source are larger than the weights that they save.
        if rows == 1 and mask is None and heads * length <= width:
            source = tuple(attention.fold(memory[0]) for attention in attentions)
        else:
            source = tuple(attention.project_memory(memory) for attention in attentions)
        empty = memory.new_empty(rows, heads, 2, 0, width // heads)
        return TransformerState((empty,) * layers, source, length, mask)

    def step(self, tokens: Tensor, state: DecoderState, override: Tensor | None = None) -> StepOutput:
        assert isinstance(state, TransformerState)
        overrides = self._overrides(override, state, len(tokens))
        x = self.at_positions(self.embed_target(tokens), state.length, 1)
        mask = None if state.mask is None else state.mask[:, None, None]
        outputs = []
        layers = zip(self._decoder_layers, state.target, state.source, overrides, strict=True)
        for layer, past, source, layer_override in layers:
            outputs.append(layer.step(x, past, state.rows, source, mask, layer_override))
            x = outputs[-1].x
        features = self.decoder_norm(x)
        after = state.with_target(tuple([output.target for output in outputs]))
        cross = torch.stack([output.cross_attention for output in outputs], dim=1)
        self_attentions = tuple([output.self_attention for output in outputs])
        return StepOutput(self.project(features), after, features, cross, self_attentions)

    def _overrides(
        self, override: Tensor | None, state: TransformerState, rows: int
    ) -> Sequence[Tensor | None]:
        """The override (R, H, S) of each layer, or None."""
        layers, heads = self.attention_shape
        if override is None:
            return [None] * layers
        shape = (rows, layers, heads, state.source_length)
        return fit_override(override, shape, state.target[0]).unbind(1)

    def pass_bytes(self, source: int, target: int) -> int:
        layers, heads = len(self.encoder) + len(self.decoder), self.attention_shape[1]
        return pass_bytes(layers, heads, self.positions.shape[1], source, target)

    def decode_vectors(self, vectors: Tensor, encoded: EncoderOutput) -> Tensor:
        *_, last = self._decoder_states(vectors, encoded)
        normalised: Tensor = self.decoder_norm(last)
        return normalised

    def encoder_layers(self, vectors: Tensor, src_mask: Tensor) -> list[EncoderOutput]:
        states = [self.at_positions(vectors, 0, vectors.shape[1])]
        for layer in self.encoder:
            states.append(layer(states[-1], src_mask[:, None, None])[0])
        return [EncoderOutput(self.encoder_norm(x), src_mask) for x in states]

    def decoder_layers(self, vectors: Tensor, encoded: EncoderOutput) -> list[Tensor]:
        return [self.decoder_norm(x) for x in self._decoder_states(vectors, encoded)]

    def _decoder_states(self, vectors: Tensor, encoded: EncoderOutput) -> Iterator[Tensor]:
        """The states (B, T, D) before the first layer and after each layer, not normalised."""
        x = self.at_positions(vectors, 0, vectors.shape[1])
        causal, mask = causal_mask(x.shape[1], x.device), encoded.mask[:, None, None]
        yield x
        for layer in self._decoder_layers:
            x = layer(x, causal, layer.cross_attention.project_memory(encoded.memory), mask)
            yield x

    def project(self, features: Tensor) -> Tensor:
        logits: Tensor = self.output(features)
        return logits


def _vectors(embedding: nn.Embedding, tokens: Tensor) -> Tensor:
    # The function avoids the call of the module, which costs more than the lookup for a single row.
    return torch.embedding(embedding.weight, tokens, cast("int", embedding.padding_idx))


def sinusoidal_positions(length: int, d_model: int) -> Tensor:
    """(length, D): sines in the first half, cosines in the second (Vaswani et al. 2017, section 3.5).

    The paper interleaves them; halves are a permutation of the same features and what Marian uses.
    """
    rates = torch.exp(torch.arange(0, d_model, 2, device="cpu") * (-math.log(10_000.0) / d_model))
    angles = torch.arange(length, device="cpu").unsqueeze(1) * rates
    return torch.cat((angles.sin(), angles.cos()), dim=1)
