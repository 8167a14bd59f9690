"""Fields of a Hub model's `generation_config.json`: each is obeyed, left to the reader, named or refused.

Imports no torch. The table lists all fields that the transformers library has; a test compares the lists.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from models.errors import UnrolledError

MARIAN_TYPE = "marian"
MAX_VALUE_CHARACTERS = 40  # a sentence shows no more


class GenerationError(UnrolledError, ValueError):
    """A field that would change every distribution in a way that no search here supports."""


class Treatment(str, Enum):
    """The treatment of a field."""

    OBEYED = "obeyed"
    READER = "left to the reader"  # the page has such a setting; the card names the authors' value
    NOT_APPLIED = "not applied"  # no setting of the page has this meaning; the card says so
    REFUSED = "refused"
    NO_EFFECT = "no effect"  # the output does not depend on it: speed, memory, the form of an answer


@dataclass(frozen=True)
class Field:
    """One field of the file."""

    name: str
    treatment: Treatment
    meaning: str = ""
    neutral: float | None = None  # a value that changes nothing; so do None, False, 0 and an empty list

    def is_set(self, settings: Mapping[str, Any]) -> bool:
        """Whether the settings give it a value that changes something."""
        value = settings.get(self.name)
        return bool(value) and not (isinstance(value, int | float) and value == self.neutral)


def _fields(treatment: Treatment, *names: str, neutral: float | None = None) -> tuple[Field, ...]:
    return tuple(Field(name, treatment, neutral=neutral) for name in names)


OBEYED, READER, REFUSED = Treatment.OBEYED, Treatment.READER, Treatment.REFUSED
FIELDS = (
    Field("decoder_start_token_id", OBEYED, "the token before the first step"),
    Field("bos_token_id", OBEYED, "the start token where `decoder_start_token_id` is missing"),
    Field("eos_token_id", OBEYED, "the end token; several are refused"),
    Field("pad_token_id", OBEYED, "never written; for a Marian model it is also removed before the softmax"),
    Field("forced_bos_token_id", OBEYED, "the first token of every output, at no cost"),
    Field("forced_eos_token_id", OBEYED, "the end token at the length limit, at no cost"),
    Field("bad_words_ids", OBEYED, "single tokens are removed before the softmax; longer ones are refused"),
    Field("suppress_tokens", OBEYED, "these tokens are removed before the softmax"),
    Field("renormalize_logits", OBEYED, "treated as true for tokens that are never written"),
    Field("num_beams", READER, "beam width", 1),
    Field("num_beam_groups", READER, "groups of diverse beam search", 1),
    Field("diversity_penalty", READER, "penalty of diverse beam search"),
    Field("num_return_sequences", READER, "number of samples", 1),
    Field("do_sample", READER, "the strategy"),
    Field("temperature", READER, "temperature of sampling", 1),
    Field("top_k", READER, "top-k of sampling"),
    Field("top_p", READER, "top-p of sampling", 1),
    Field("min_p", READER, "min-p of sampling"),
    Field("length_penalty", READER, "length normaliser", 1),
    Field("early_stopping", READER, "stopping rule of beam search"),
    Field("repetition_penalty", READER, "repetition penalty", 1),
    Field("no_repeat_ngram_size", READER, "no repeated n-grams"),
    Field("max_length", READER, "maximum length"),
    Field("max_new_tokens", READER, "maximum length"),
    Field("min_length", READER, "minimum length"),
    Field("min_new_tokens", READER, "minimum length"),
    *_fields(
        Treatment.NOT_APPLIED,
        *("encoder_no_repeat_ngram_size", "epsilon_cutoff", "eta_cutoff", "top_h"),
        *("exponential_decay_length_penalty", "penalty_alpha"),
    ),
    *_fields(Treatment.NOT_APPLIED, "encoder_repetition_penalty", "typical_p", neutral=1),
    *_fields(
        REFUSED,
        *("begin_suppress_tokens", "sequence_bias", "watermarking_config", "constraints"),
        *("force_words_ids", "forced_decoder_ids", "stop_strings", "dola_layers"),
    ),
    *_fields(REFUSED, "guidance_scale", neutral=1),
    *_fields(
        Treatment.NO_EFFECT,
        *("max_time", "use_mtp", "use_cache", "cache_implementation", "cache_config", "max_cache_len"),
        *("remove_invalid_values", "token_healing", "output_attentions", "output_hidden_states"),
        *("output_scores", "output_logits", "return_dict_in_generate", "is_assistant"),
        *("num_assistant_tokens", "num_assistant_tokens_schedule", "assistant_confidence_threshold"),
        *("prompt_lookup_num_tokens", "max_matching_ngram_size", "assistant_early_exit"),
        *("assistant_lookbehind", "target_lookbehind", "assistant_ensemble_weight", "speculation_type"),
        *("compile_config", "disable_compile", "continuous_batching_config", "low_memory"),
        *("prefill_chunk_size", "_from_model_config", "transformers_version"),
    ),
)


def settings_to_follow(settings: Mapping[str, Any], model_type: str) -> dict[str, Any]:
    """The settings that a tokenizer and a search follow. Raises GenerationError for a refused field.

    A Marian must never write padding, even if its file does not say so: a converted one gives it a logit of
    0.
    """
    for field in FIELDS:
        if field.treatment is REFUSED and field.is_set(settings):
            raise GenerationError(
                "generation_field_refused",
                "its field {field} is {value}, which this program does not support",
                field=field.name,
                value=repr(settings[field.name])[:MAX_VALUE_CHARACTERS],
            )
    padding = settings.get("pad_token_id")
    if model_type != MARIAN_TYPE or not isinstance(padding, int):
        return dict(settings)
    banned = settings.get("bad_words_ids") or []
    return {**settings, "bad_words_ids": [*banned, *([] if [padding] in banned else [[padding]])]}


def authors_settings(settings: Mapping[str, Any]) -> str:
    """The sentences of the card about the authors' decoding settings, which are not the defaults here."""
    sentences = (
        ("Its authors decode with {}; here the settings are yours.", READER),
        ("Not applied here: {}.", Treatment.NOT_APPLIED),
    )
    texts = []
    for sentence, treatment in sentences:
        set_fields = [
            field.name for field in FIELDS if field.treatment is treatment and field.is_set(settings)
        ]
        named_settings = [
            f"{name} {settings[name]}" for name in set_fields if isinstance(settings[name], int | float | str)
        ]
        if named_settings:
            texts.append(sentence.format(", ".join(named_settings)))
    return " ".join(texts)
