"""Recurrent decoder, and the encoder-decoder of recurrent cells, with or without attention."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from models.batch import Batch, FixedBatch
from models.networks.attention import AlignmentScore, Dropout, fit_override, masked_softmax, overridden
from models.networks.base import DecoderState, EmbeddingModel, EncoderOutput, StepOutput
from models.networks.cells import CELLS
from models.networks.recurrent.config import RecurrentConfig
from models.networks.recurrent.layers import masked_pass, recurrent_layers


@dataclass(frozen=True)
class RecurrentState(DecoderState):
    """The cells' state, and the source for attention."""

    hidden: tuple[Tensor, ...]  # the cell's tensors, such as h and c of an LSTM: each (R, L, D)
    memory: Tensor  # (R, S, D)
    mask: Tensor  # (R, S) bool
    keys: Tensor | None  # (R, S, A), the memory as the alignment score reads it
    context: Tensor | None  # (R, D), fed to every step when the context is concatenated

    def reorder(self, rows: Tensor, same_source: bool = False, rows_per_source: int = 1) -> RecurrentState:
        hidden = tuple(tensor.index_select(0, rows) for tensor in self.hidden)
        if same_source:
            return self._with_hidden(hidden)
        source = (self.memory, self.mask, self.keys, self.context)
        parts = (part if part is None else part.index_select(0, rows) for part in source)
        return RecurrentState(hidden, *parts)  # type: ignore[arg-type]

    def newest(self) -> tuple[Tensor, ...]:
        """The cells' state, without the source."""
        return self.hidden

    def resume(self, newest: Sequence[tuple[Tensor, ...]], rows: Tensor) -> RecurrentState:
        return self._with_hidden(tuple(tensor.index_select(0, rows[-1]) for tensor in newest[-1]))

    def _with_hidden(self, hidden: tuple[Tensor, ...]) -> RecurrentState:
        source, rows = (self.memory, self.mask, self.keys, self.context), len(hidden[0])
        if rows < len(self.memory):
            source = tuple(part if part is None else part[:rows] for part in source)  # type: ignore[assignment]
        return RecurrentState(hidden, *source)


class RecurrentDecoder(EmbeddingModel):
    """The decoder of a network; a subclass adds the encoder.

    The encoder's final state of each layer initialises the decoder's. With `context="concat"` the last
    layer's is also concatenated to every decoder input (Cho et al. 2014). With attention, the state
    after the cell queries the source, and state and context vector together make the feature that
    predicts the next token (Luong et al. 2015, section 3).
    """

    def __init__(self, config: RecurrentConfig, vocab_size: int, pad_id: int) -> None:
        """Ignore the parts of the configuration that describe an encoder."""
        super().__init__()
        d_embed, d_model, self.num_layers = config.d_embed, config.d_model, config.num_layers
        self.vocab_size, self.d_model = vocab_size, d_model
        self.tgt_embedding = nn.Embedding(vocab_size, d_embed, padding_idx=pad_id)
        self.concat_context = config.context == "concat"
        decoder_input = d_embed + d_model if self.concat_context else d_embed
        self.cell = CELLS[config.cell]
        self.decoder = recurrent_layers(
            self.cell, decoder_input, d_model, self.num_layers, dropout=config.dropout
        )
        attends = config.attention != "none"
        self.attention = AlignmentScore(config.attention, d_model, config.d_attention) if attends else None
        self.attention_shape = (1, 1) if attends else None
        # A tied output layer reads vectors of the embedding's width; attention adds the context vector.
        needs_readout = attends or (config.tie_output and d_model != d_embed)
        self.readout = nn.Linear(2 * d_model if attends else d_model, d_embed) if needs_readout else None
        self.output = nn.Linear(d_embed if needs_readout else d_model, vocab_size)
        self.dropout = Dropout(config.dropout)
        if config.tie_output:
            self.output.weight = self.tgt_embedding.weight

    def _initialise(self, pad_id: int) -> None:
        """Draw random weights for all layers of the subclass."""
        for name, parameter in self.named_parameters():
            if "embedding" in name:
                # Small enough for a tied output layer to start near the uniform distribution.
                nn.init.normal_(parameter, std=parameter.shape[1] ** -0.5)
                nn.init.zeros_(parameter.data[pad_id])
            elif "weight_hh" in name:
                for gate in parameter.data.split(parameter.shape[1]):
                    nn.init.orthogonal_(gate)
            elif parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)
            else:
                nn.init.zeros_(parameter)

    def initial_state(self, encoded: EncoderOutput) -> RecurrentState:
        keys = None if self.attention is None else self.attention.keys(encoded.memory)
        context = encoded.final[0][:, -1] if self.concat_context else None
        return RecurrentState(encoded.final, encoded.memory, encoded.mask, keys, context)

    def step(self, tokens: Tensor, state: DecoderState, override: Tensor | None = None) -> StepOutput:
        assert isinstance(state, RecurrentState)
        inputs = self.cell_inputs(self.embed_target(tokens.unsqueeze(1)), state)
        return self.step_output(*self._run(inputs, state), state, override)

    def step_output(
        self, outputs: Tensor, hidden: tuple[Tensor, ...], state: RecurrentState, override: Tensor | None
    ) -> StepOutput:
        """The part of a step after the cells: outputs (R, 1, D), hidden: their new state, each (R, L, D).

        Raises ValueError for an `override` that `step` cannot take.
        """
        if override is not None:
            if state.keys is None:
                raise ValueError("override must be None: this network has no attention to replace")
            shape = (len(outputs), 1, 1, state.memory.shape[1])
            override = fit_override(override, shape, state.memory)[:, 0]
        features, weights = self.read_out(outputs, state, override)
        after = RecurrentState(hidden, state.memory, state.mask, state.keys, state.context)
        attention = None if weights is None else weights.unsqueeze(1)  # (R, 1, S) -> (R, 1, 1, S)
        return StepOutput(self.project(features[:, 0]), after, features[:, 0], attention)

    def embed_target(self, tokens: Tensor) -> Tensor:
        vectors: Tensor = self.tgt_embedding(tokens)
        return vectors

    def decode_vectors(self, vectors: Tensor, encoded: EncoderOutput) -> Tensor:
        """Decode all target positions in one call of each layer."""
        state = self.initial_state(encoded)
        outputs, _ = self._run(self.cell_inputs(vectors, state), state)
        return self.read_out(outputs, state)[0]

    def last_feature(self, vectors: Tensor, encoded: EncoderOutput) -> Tensor:
        """The feature of the last position, for which attention is computed once."""
        state = self.initial_state(encoded)
        outputs, _ = self._run(self.cell_inputs(vectors, state), state)
        return self.read_out(outputs[:, -1:], state)[0][:, 0]

    def pass_bytes(self, source: int, target: int) -> int:
        """The bytes of a pass; additive attention holds two vectors for each pair of tokens."""
        pair = 0 if self.attention is None else self.attention.floats_per_pair
        token = 24 * self.d_model * self.num_layers
        return 4 * (pair * source * target + token * (source + target))

    def project(self, features: Tensor) -> Tensor:
        logits: Tensor = self.output(features)
        return logits

    def cell_inputs(self, vectors: Tensor, state: RecurrentState) -> Tensor:
        """The inputs of the first layer's cells: vectors (R, T, E), with the context (R, T, E + D)."""
        inputs: Tensor = self.dropout(vectors)
        if state.context is None:
            return inputs
        repeated = state.context.unsqueeze(1).expand(-1, vectors.shape[1], -1)
        return torch.cat((inputs, repeated), dim=-1)

    def _run(self, inputs: Tensor, state: RecurrentState) -> tuple[Tensor, tuple[Tensor, ...]]:
        """Run the cells: inputs (R, T, E) -> outputs of the last layer (R, T, D), their new state."""
        before = tuple(tensor.transpose(0, 1).contiguous() for tensor in state.hidden)
        outputs, after = self.decoder(inputs, before if len(before) > 1 else before[0])
        states = after if isinstance(after, tuple) else (after,)
        return outputs, tuple(tensor.transpose(0, 1) for tensor in states)

    def read_out(
        self, outputs: Tensor, state: RecurrentState, override: Tensor | None = None
    ) -> tuple[Tensor, Tensor | None]:
        """Apply attention and readout: outputs (R, T, D) -> features, attention (R, T, S)."""
        if self.attention is None or state.keys is None:
            features: Tensor = self.dropout(outputs if self.readout is None else self.readout(outputs).tanh())
            return features, None
        model_weights = masked_softmax(self.attention(outputs, state.keys), state.mask.unsqueeze(1))
        weights = overridden(model_weights, override)
        mixed = torch.cat((outputs, weights @ state.memory), dim=-1)
        assert self.readout is not None
        features = self.dropout(self.readout(mixed).tanh())
        return features, weights


class RecurrentModel(RecurrentDecoder):
    """Encoder and decoder of stacked cells (Cho et al. 2014; Sutskever et al. 2014).

    A bidirectional encoder gives each direction half of `d_model`, so that source and decoder states have
    the same width.
    """

    capturable = True

    def __init__(self, config: RecurrentConfig, vocab_size: int, pad_id: int) -> None:
        super().__init__(config, vocab_size, pad_id)
        self.src_embedding = (
            self.tgt_embedding
            if config.share_embeddings
            else nn.Embedding(vocab_size, config.d_embed, padding_idx=pad_id)
        )
        self.encoder = recurrent_layers(
            self.cell,
            config.d_embed,
            config.d_model // 2 if config.bidirectional else config.d_model,
            config.num_layers,
            bidirectional=config.bidirectional,
            dropout=config.dropout,
        )
        self._initialise(pad_id)

    def embed_source(self, src: Tensor) -> Tensor:
        vectors: Tensor = self.src_embedding(src)
        return vectors

    def features(self, batch: Batch) -> Tensor:
        if not isinstance(batch, FixedBatch):
            return super().features(batch)
        embedded = self.dropout(self.embed_source(batch.src))
        memory, final = masked_pass(self.encoder, self.cell, embedded, batch.src_mask)
        encoded = EncoderOutput(memory, batch.src_mask, tuple(map(self._join_directions, final)))
        return self.decode_vectors(self.embed_target(batch.tgt_in), encoded)

    def encode_vectors(self, vectors: Tensor, src_mask: Tensor) -> EncoderOutput:
        """Encode packed sequences, so that a backward direction never reads padding."""
        embedded = self.dropout(vectors)
        lengths = src_mask.sum(dim=1).cpu()
        packed = pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
        outputs, final = self.encoder(packed)
        memory, _ = pad_packed_sequence(outputs, batch_first=True, total_length=vectors.shape[1])
        states = final if isinstance(final, tuple) else (final,)
        return EncoderOutput(memory, src_mask, tuple(self._join_directions(state) for state in states))

    def _join_directions(self, state: Tensor) -> Tensor:
        """Join the directions of each layer: (L * directions, B, D / directions) -> (B, L, D)."""
        batch = state.shape[1]
        return state.view(self.num_layers, -1, batch, state.shape[2]).permute(2, 0, 1, 3).flatten(2)
