"""The arguments of the endpoints: their names, types, defaults and meanings. Knows no Gradio."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

from demo.limits import (
    MAX_BANNED_CHARACTERS,
    MAX_BEAM_SIZE,
    MAX_CHARACTERS,
    MAX_DIVERSITY,
    MAX_LENGTH_PENALTY,
    MAX_NGRAM,
    MAX_NODE_BUDGET,
    MAX_OUTPUT_TOKENS,
    MAX_REPETITION_PENALTY,
    MAX_SAMPLES,
    MAX_SEED,
    MAX_TEMPERATURE,
    MAX_TOP_K,
    MIN_NODE_BUDGET,
    MIN_TEMPERATURE,
)
from demo.strategy import EARLY_STOPPING, NORMALIZERS, STRATEGIES, UTILITIES, StrategySettings

REQUIRED = inspect.Parameter.empty
CHOICES: dict[str, tuple[str, ...]] = {
    "strategy": STRATEGIES,
    "normalizer": NORMALIZERS,
    "early_stopping": tuple(EARLY_STOPPING),
    "utility": UTILITIES,
}
TYPES: dict[Any, type] = {"str": str, "int": int, "float": float}
# A program that says nothing of it gets the plainest strategy, and the longest outputs of the checkpoint.
OWN_DEFAULTS: dict[str, Any] = {"strategy": "greedy", "max_length": None}
SETTINGS = {
    "strategy": "How to decode: greedy, beam (best overall), diverse, stochastic, threshold, sampling, mbr, "
    "exact (finds the most probable output) or exhaustive.",
    "beam_size": f"Beams of beam, diverse, stochastic, threshold and exhaustive, 1 to {MAX_BEAM_SIZE}.",
    "num_groups": "Groups of diverse; must divide beam_size.",
    "diversity": f"Penalty of diverse for a token that earlier groups chose, 0 to {MAX_DIVERSITY:g} nats.",
    "threshold": "Of threshold: drop what is less probable than this share of the best, 0 to 1.",
    "length_penalty": "Alpha of the normalizer; above 0 favours longer outputs, 0 ranks by probability; "
    f"{-MAX_LENGTH_PENALTY:g} to {MAX_LENGTH_PENALTY:g}.",
    "normalizer": "How scores are normalised by length: power, gnmt or none.",
    "early_stopping": "When a beam ends: true, false or never, as in the transformers library.",
    "num_samples": f"Samples of sampling and mbr, 1 to {MAX_SAMPLES}.",
    "temperature": f"Of what is drawn at random, {MIN_TEMPERATURE:g} to {MAX_TEMPERATURE:g}.",
    "top_k": f"Draw among that many tokens, 0 for all, at most {MAX_TOP_K}.",
    "top_p": "Draw among the tokens that make up this probability, 0.01 to 1.",
    "min_p": "Draw among tokens of at least this share of the best one's probability, 0 to 1.",
    "utility": "By what mbr compares samples: chrf or bleu.",
    "node_budget": f"Prefixes that exact may look at, {MIN_NODE_BUDGET} to {MAX_NODE_BUDGET}.",
    "seed": f"The same seed, the same draws; 0 to {MAX_SEED}.",
    "max_length": f"Longest output in tokens, 1 to {MAX_OUTPUT_TOKENS}; left out, the checkpoint's own.",
    "min_length": "Shortest output in tokens, the end token not counted.",
    "no_repeat_ngram_size": f"No n-gram of that many tokens twice; 0 for off, at most {MAX_NGRAM}.",
    "repetition_penalty": "Above 1 avoids tokens that were written before; 1 for off, "
    f"{1 / MAX_REPETITION_PENALTY:g} to {MAX_REPETITION_PENALTY:g}.",
    "banned": "Tokens never to write, with spaces between; at most "
    f"{MAX_BANNED_CHARACTERS} characters in all.",
}


@dataclass(frozen=True)
class Argument:
    """One argument of an endpoint."""

    name: str
    kind: Any  # a type as Gradio turns it into a JSON schema
    meaning: str  # one sentence
    default: Any = REQUIRED


CHECKPOINT = Argument("checkpoint", str, "Name of a checkpoint, as the list of checkpoints has it.")
TEXT = Argument(
    "text",
    str,
    f"The source, at most {MAX_CHARACTERS} characters, in the checkpoint's source language; for one that "
    "reads pictures a PNG as a data URL.",
)
TRACE = Argument(
    "trace",
    bool,
    "Whether to add the whole record of the search: every candidate of every step with its fate, and "
    "attention. Some 10 kB for greedy, 40 kB for four beams.",
    False,
)
TARGET = Argument("target", str, f"The output to score, at most {MAX_CHARACTERS} characters.")


def setting(name: str) -> Argument:
    """The argument for a field of `StrategySettings`."""
    field = next(field for field in fields(StrategySettings) if field.name == name)
    default = OWN_DEFAULTS.get(name, field.default)
    kind: Any = Literal[CHOICES[name]] if name in CHOICES else TYPES[field.type]  # type: ignore[valid-type]
    return Argument(name, kind if default is not None else kind | None, SETTINGS[name], default)


TRANSLATE = (
    CHECKPOINT,
    TEXT,
    setting("strategy"),
    TRACE,
    *(setting(field.name) for field in fields(StrategySettings) if field.name != "strategy"),
)
SCORE = (CHECKPOINT, TEXT, TARGET, setting("length_penalty"), setting("normalizer"))


def described(
    handler: Callable[..., Any], name: str, meaning: str, arguments: Sequence[Argument], answer: Any
) -> Callable[..., Any]:
    """`handler` under a name, with the signature and the docstring that Gradio tells its clients."""

    def endpoint(*values: object) -> Any:
        return handler(*values)

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [
        inspect.Parameter(each.name, kind, default=each.default, annotation=each.kind) for each in arguments
    ]
    endpoint.__name__ = name
    endpoint.__signature__ = inspect.Signature(parameters, return_annotation=answer)  # type: ignore[attr-defined]
    endpoint.__annotations__ = {**{each.name: each.kind for each in arguments}, "return": answer}
    lines = [f"    {each.name}: {each.meaning}" for each in arguments]
    endpoint.__doc__ = "\n".join([meaning, "", *(["Args:", *lines] if lines else [])])
    return endpoint
