"""Tiny random networks of the transformers library, one for each family, with its special tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import Tensor
from transformers import (
    AutoConfig,
    AutoModelForSeq2SeqLM,
    BartConfig,
    BartForConditionalGeneration,
    M2M100Config,
    M2M100ForConditionalGeneration,
    MarianConfig,
    MarianMTModel,
    MBartConfig,
    MBartForConditionalGeneration,
    PegasusConfig,
    PegasusForConditionalGeneration,
    PreTrainedModel,
    T5Config,
    T5ForConditionalGeneration,
    T5GemmaConfig,
    T5GemmaForConditionalGeneration,
    UMT5Config,
    UMT5ForConditionalGeneration,
)

from models.batch import Batch
from tests.grids import named

VOCAB, WIDTH = 26, 16
LANGUAGE = 24  # id of the language token with which some outputs begin


@dataclass(frozen=True)
class Family:
    """A family of networks with its special tokens."""

    config: Any
    network: Any
    pad: int
    end: int
    start: int
    first: tuple[int, ...] = ()  # tokens with which every output begins
    never: tuple[int, ...] = ()  # tokens that no output contains
    forces_end: bool = False  # the length limit forces the end token
    settings: tuple[tuple[str, Any], ...] = ()
    end_bias: float = 2.0
    rounding: float = 1e-9  # tolerance of the library's eager network in double precision

    def make(self, seed: int = 1) -> PreTrainedModel:
        """Return a network with large random weights, so that history matters, and a likely end token."""
        torch.manual_seed(seed)
        sizes = {"d_model": WIDTH, "vocab_size": VOCAB, "attn_implementation": "eager"}
        ids = {"pad_token_id": self.pad, "eos_token_id": self.end, "decoder_start_token_id": self.start}
        model = self.network(self.config(**(sizes | ids | dict(self.settings)))).eval()
        with torch.no_grad():
            for name, parameter in model.named_parameters():
                if parameter.dim() > 1 and "embed_positions" not in name:
                    parameter.normal_(std=parameter.shape[-1] ** -0.5)
            if hasattr(model, "final_logits_bias"):
                model.final_logits_bias.normal_()[0, self.end] = self.end_bias
                model.get_input_embeddings().weight.mul_(0.7)
            else:
                head = torch.nn.Linear(WIDTH, model.config.vocab_size)
                head.weight.normal_(std=2.0 * WIDTH**-0.5)
                head.bias.zero_()[self.end] = self.end_bias
                model.set_output_embeddings(head)
        generation = model.generation_config
        generation.forced_eos_token_id = self.end if self.forces_end else None
        generation.forced_bos_token_id = self.first[0] if self.first else None
        generation.bad_words_ids = [[token] for token in self.never] or None
        generation.eos_token_id, generation.pad_token_id = self.end, self.pad
        generation.decoder_start_token_id, generation.bos_token_id = self.start, None
        return model


def _sizes(**settings: Any) -> tuple[tuple[str, Any], ...]:
    sizes = {"encoder_layers": 2, "decoder_layers": 2, "max_position_embeddings": 64}
    sizes |= {f"{side}_attention_heads": 4 for side in ("encoder", "decoder")}
    sizes |= {f"{side}_ffn_dim": 20 for side in ("encoder", "decoder")}
    return tuple((sizes | {"bos_token_id": None, "forced_eos_token_id": None} | settings).items())


def _gemma_sizes(vocab: int, **ids: int) -> dict[str, Any]:
    """Return settings for half of a T5Gemma: two heads share keys and values; one layer sees few tokens."""
    half = {"vocab_size": vocab, "hidden_size": WIDTH, "intermediate_size": 20, "num_hidden_layers": 2}
    half |= {"num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 4, "query_pre_attn_scalar": 4}
    return half | {"sliding_window": 4, "attn_logit_softcapping": 2.0, "final_logit_softcapping": 8.0} | ids


_T5 = {"num_layers": 2, "num_decoder_layers": 2, "num_heads": 4, "d_kv": 5, "d_ff": 20}
_GEMMA = _gemma_sizes(VOCAB, pad_token_id=0, eos_token_id=1, bos_token_id=2)
FAMILIES = {
    # Padding is the start token and has the highest id; no output may contain it.
    "marian": Family(
        MarianConfig,
        MarianMTModel,
        25,
        0,
        25,
        never=(25,),
        forces_end=True,
        settings=_sizes(scale_embedding=True),
        end_bias=3.0,
    ),
    "t5": Family(T5Config, T5ForConditionalGeneration, 0, 1, 0, settings=tuple(_T5.items()), end_bias=1.0),
    "t5-v1.1": Family(
        T5Config,
        T5ForConditionalGeneration,
        0,
        1,
        0,
        settings=tuple((_T5 | {"feed_forward_proj": "gated-gelu", "scale_decoder_outputs": True}).items()),
        end_bias=0.5,
    ),
    "umt5": Family(
        UMT5Config, UMT5ForConditionalGeneration, 0, 1, 0, settings=tuple(_T5.items()), end_bias=1.0
    ),
    "t5gemma": Family(
        T5GemmaConfig,
        T5GemmaForConditionalGeneration,
        0,
        1,
        2,
        settings=(("encoder", _GEMMA), ("decoder", _GEMMA), ("tie_word_embeddings", False)),
        end_bias=1.0,
        rounding=1e-6,  # the library normalises attention and vectors in single precision
    ),
    "bart": Family(BartConfig, BartForConditionalGeneration, 1, 2, 2, forces_end=True, settings=_sizes()),
    # The start token is the code of the language.
    "mbart": Family(MBartConfig, MBartForConditionalGeneration, 1, 2, LANGUAGE, settings=_sizes()),
    "mbart-50": Family(
        MBartConfig, MBartForConditionalGeneration, 1, 2, 2, (LANGUAGE,), forces_end=True, settings=_sizes()
    ),
    "nllb": Family(M2M100Config, M2M100ForConditionalGeneration, 1, 2, 2, (LANGUAGE,), settings=_sizes()),
    "pegasus": Family(
        PegasusConfig, PegasusForConditionalGeneration, 0, 1, 0, settings=_sizes(), end_bias=3.0
    ),
}
SAMPLE = ("marian", "t5")  # an encoder with learnt scales and one with relative positions
each_family = pytest.mark.parametrize("family", named(FAMILIES, SAMPLE))
# Three rows, and no other dimension of any tensor is three.
SOURCES, TARGETS = ((5, 6, 7, 8, 3), (9,), (9, 10, 4, 7)), ((4,), (12, 11, 10, 9, 8), (7, 5, 6, 13))


def batch_of(family: Family) -> Batch:
    """Return three pairs of uneven lengths, all with the end token."""
    sources, targets = ([(*row, family.end) for row in rows] for rows in (SOURCES, TARGETS))
    return Batch.from_ids(sources, targets, bos_id=family.start, pad_id=family.pad)


def in_double(model: PreTrainedModel) -> PreTrainedModel:
    """Convert a network to double precision, where rounding does not hide errors."""
    return model.to(torch.float64)


def generated(family: Family, row: Tensor) -> tuple[int, ...]:
    """Remove the start token, and the padding after the end token, from a generated sequence."""
    tokens = tuple(row.tolist()[1:])
    return tokens[: tokens.index(family.end) + 1] if family.end in tokens else tokens


def tiny_of(model_type: str) -> Any:
    """Return a small network of any family; families have different names for sizes."""
    sizes = {"d_model": 16, "vocab_size": 40, "num_layers": 2, "num_decoder_layers": 2, "num_heads": 4}
    sizes |= {"d_kv": 4, "d_ff": 20, "max_position_embeddings": 64, "attention_window": 4}
    for side in ("encoder", "decoder"):
        sizes |= {f"{side}_layers": 2, f"{side}_attention_heads": 4, f"{side}_ffn_dim": 20}
        sizes |= {f"max_{side}_position_embeddings": 64}
    if model_type == "t5gemma":
        half = _gemma_sizes(40, pad_token_id=1, eos_token_id=2, bos_token_id=2)
        sizes = {"encoder": half, "decoder": half, "vocab_size": 40}
    config = AutoConfig.for_model(model_type, **sizes)
    config.pad_token_id, config.eos_token_id, config.decoder_start_token_id = 1, 2, 2
    return AutoModelForSeq2SeqLM.from_config(config)
