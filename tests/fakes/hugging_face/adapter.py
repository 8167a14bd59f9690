"""An adapter that makes any Hugging Face encoder-decoder a `Seq2SeqModel`, for comparisons of searches.

Each pair holds the same network twice, for the library's search and for ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from transformers import MarianMTModel, PreTrainedModel, T5Config, T5ForConditionalGeneration
from transformers.cache_utils import EncoderDecoderCache
from transformers.modeling_outputs import BaseModelOutput

from models.batch import Batch
from models.decoding.search.beam import FinishedSequence
from models.decoding.search.constraints import Constraint
from models.decoding.search.loop import search
from models.decoding.search.step import SearchConditions, SearchStep
from models.decoding.search.strategy import DecodingStrategy
from models.networks.base import DecoderState, EncoderOutput, Seq2SeqModel, StepOutput
from models.networks.hugging_face import cache_name
from tests.fakes.hugging_face.marian import EOS, PAD, as_ours, random_marian

VOCAB = 24
LENGTHS = (7, 4, 6, 2)  # tokens of each source sentence

Layer = tuple[Tensor, ...]  # keys and values of the target, then of the source: (R, H, T or S, D/H)


@dataclass(frozen=True)
class HuggingFaceState(DecoderState):
    """The source and the cached keys and values as plain tensors, from which each step makes a new cache."""

    memory: Tensor  # (R, S, D)
    mask: Tensor  # (R, S)
    layers: tuple[Layer, ...]

    def reorder(self, rows: Tensor, same_source: bool = False, rows_per_source: int = 1) -> HuggingFaceState:
        layers = tuple(tuple(part.index_select(0, rows) for part in layer) for layer in self.layers)
        return HuggingFaceState(self.memory[rows], self.mask[rows], layers)


class HuggingFaceModel(Seq2SeqModel):
    """An encoder-decoder of the transformers library, one token at a time."""

    def __init__(self, theirs: PreTrainedModel) -> None:
        super().__init__()
        self.theirs = theirs.eval()
        self.vocab_size = theirs.config.vocab_size

    def encode(self, src: Tensor, src_mask: Tensor) -> EncoderOutput:
        output = self.theirs.get_encoder()(input_ids=src, attention_mask=src_mask.long())
        return EncoderOutput(output.last_hidden_state, src_mask)

    def initial_state(self, encoded: EncoderOutput) -> HuggingFaceState:
        return HuggingFaceState(encoded.memory, encoded.mask, ())

    def step(self, tokens: Tensor, state: DecoderState, override: Tensor | None = None) -> StepOutput:
        assert isinstance(state, HuggingFaceState)
        if override is not None:
            raise ValueError("override must be None: this network's attention cannot be replaced")
        output = self._decode(tokens.unsqueeze(1), state)
        cache = output[cache_name()]
        pairs = zip(cache.self_attention_cache.layers, cache.cross_attention_cache.layers, strict=True)
        layers = tuple((target.keys, target.values, cross.keys, cross.values) for target, cross in pairs)
        attention = torch.stack([layer[:, :, -1] for layer in output.cross_attentions], dim=1)
        after = HuggingFaceState(state.memory, state.mask, layers)
        return StepOutput(output.logits[:, -1], after, output.logits[:, -1], attention)

    def features(self, batch: Batch) -> Tensor:
        state = self.initial_state(self.encode(batch.src, batch.src_mask))
        logits: Tensor = self._decode(batch.tgt_in, state).logits
        return logits

    def project(self, features: Tensor) -> Tensor:
        return features

    def _decode(self, tokens: Tensor, state: HuggingFaceState) -> Any:
        return self.theirs(
            encoder_outputs=BaseModelOutput(last_hidden_state=state.memory),
            attention_mask=state.mask.long(),
            decoder_input_ids=tokens,
            use_cache=True,
            output_attentions=True,
            **{cache_name(): EncoderDecoderCache(state.layers) if state.layers else None},
        )


def ending_marian(seed: int) -> MarianMTModel:
    """Random weights, large enough that what was generated matters, and an end token that often wins."""
    torch.manual_seed(seed)
    model = random_marian(vocab_size=VOCAB, width=16, scale=2.0)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() > 1 and "layers" in name:
                parameter.normal_(std=parameter.shape[-1] ** -0.5)
        model.final_logits_bias.zero_()[0, EOS] = 2.0
    return model


def ending_t5(seed: int, end_bias: float = 3.0) -> T5ForConditionalGeneration:
    """A T5 that differs from a Marian: relative positions, RMSNorm and unscaled dot products."""
    torch.manual_seed(seed)
    config = T5Config(
        vocab_size=VOCAB,
        d_model=16,
        d_kv=8,
        d_ff=32,
        num_layers=2,
        num_decoder_layers=2,
        num_heads=2,
        pad_token_id=PAD,
        eos_token_id=EOS,
        decoder_start_token_id=PAD,
        tie_word_embeddings=False,
        attn_implementation="eager",
    )
    model = T5ForConditionalGeneration(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.normal_(std=parameter.shape[-1] ** -0.5)
        # A separate output layer with a bias: tied to the embedding, every token would predict itself.
        model.lm_head = torch.nn.Linear(config.d_model, VOCAB)
        model.lm_head.weight.normal_(std=2.0 * config.d_model**-0.5)
        model.lm_head.bias.zero_()[EOS] = end_bias
    return model


def padded_sources(seed: int = 7) -> tuple[Tensor, Tensor]:
    """Return sentences of several lengths: ids (B, S) and their mask (B, S) bool."""
    sources = torch.randint(
        2, VOCAB, (len(LENGTHS), max(LENGTHS)), generator=torch.Generator().manual_seed(seed)
    )
    mask = torch.arange(max(LENGTHS)) < torch.tensor(LENGTHS).unsqueeze(1)
    return sources.masked_fill(~mask, PAD), mask


def generated(row: Sequence[int]) -> tuple[int, ...]:
    """Remove the start token, and the padding after the end token, from a generated sequence."""
    tokens = tuple(row[1:])
    return tokens[: tokens.index(EOS) + 1] if EOS in tokens else tokens


@dataclass(frozen=True)
class Pair:
    """The same network twice, for the library's search and for ours, and sentences to decode."""

    theirs: Any
    ours: Seq2SeqModel
    sources: Tensor  # (B, S)
    mask: Tensor  # (B, S)

    @classmethod
    def named(cls, name: str) -> Pair:
        """Return `marian`, whose weights our Transformer takes, or `t5`, which the adapter wraps."""
        if name == "t5":
            t5 = ending_t5(seed=1)
            return cls(t5, HuggingFaceModel(t5), *padded_sources())
        marian = ending_marian(seed=0)
        return cls(marian, as_ours(marian), *padded_sources())

    def alone(self, sentence: int) -> Pair:
        """Return the pair with one of the sentences and no padding."""
        src = self.sources[sentence, : LENGTHS[sentence]].unsqueeze(0)
        return Pair(self.theirs, self.ours, src, torch.ones_like(src, dtype=torch.bool))

    def generate(self, **settings: Any) -> Any:
        """Decode the sentences by the library's `generate`, with scores."""
        options = {"do_sample": False, "output_scores": True, "return_dict_in_generate": True} | settings
        return self.theirs.generate(input_ids=self.sources, attention_mask=self.mask.long(), **options)

    def steps(
        self,
        strategy: DecodingStrategy,
        max_length: int,
        constraints: Sequence[Constraint] = (),
        seed: int = 0,
    ) -> list[SearchStep]:
        """Decode the sentences by our search and return its steps."""
        with torch.inference_mode():
            encoded = self.ours.eval().encode(self.sources, self.mask)
        rng = torch.Generator().manual_seed(seed)
        conditions = SearchConditions(PAD, EOS, max_length, constraints)
        return list(search(self.ours, encoded, strategy, conditions, rng))

    def decode(
        self,
        strategy: DecodingStrategy,
        max_length: int,
        constraints: Sequence[Constraint] = (),
        seed: int = 0,
    ) -> list[list[FinishedSequence]]:
        """Decode the sentences by our search; return the finished hypotheses of each, best first."""
        return [pool.sequences for pool in self.steps(strategy, max_length, constraints, seed)[-1].pools]
