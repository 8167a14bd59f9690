"""The settings of a decoding, checked, and the strategy and constraints that they stand for.

Knows no Gradio, and loads no torch until a strategy is built.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from demo.checks import RequestError, check_choice, check_short_text, number, whole
from demo.i18n import quoted, say
from demo.i18n.library import heard
from demo.limits import (
    MAX_BANNED_CHARACTERS,
    MAX_BEAM_SIZE,
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

if TYPE_CHECKING:
    from models.decoding.processors import LogitsProcessor
    from models.decoding.strategies import DecodingStrategy
    from models.tokenization import Tokenizer

STRATEGIES = (
    *("greedy", "beam", "diverse", "stochastic", "threshold"),
    *("sampling", "mbr", "exact", "exhaustive"),
)
NORMALIZERS = ("power", "gnmt", "none")
EARLY_STOPPING: dict[str, bool | str] = {"true": True, "false": False, "never": "never"}
UTILITIES = ("chrf", "bleu")


@dataclass(frozen=True)
class StrategySettings:
    """One value for each control. Raises RequestError for any value that is not what it should be.

    All values are checked, also those that the strategy does not use.
    """

    strategy: str = "beam"  # one of STRATEGIES
    beam_size: int = 4
    num_groups: int = 2
    diversity: float = 0.5  # lambda, in nats
    threshold: float = 0.1  # ratio of probabilities
    length_penalty: float = 0.0  # alpha
    normalizer: str = "power"  # one of NORMALIZERS
    early_stopping: str = "false"  # one of EARLY_STOPPING
    num_samples: int = 8
    temperature: float = 1.0
    top_k: int = 0  # 0: all tokens
    top_p: float = 1.0
    min_p: float = 0.0
    utility: str = "chrf"  # one of UTILITIES
    node_budget: int = 20_000  # prefixes
    seed: int = 0
    max_length: int = min(60, MAX_OUTPUT_TOKENS)  # tokens
    min_length: int = 0  # tokens, the end token not counted
    no_repeat_ngram_size: int = 0  # 0: off
    repetition_penalty: float = 1.0  # 1: off
    banned: str = ""  # words, separated by spaces

    def __post_init__(self) -> None:
        """Numbers come as JSON has them, 4.0 for 4; from here on an int is an int."""
        check_choice("strategy", self.strategy, STRATEGIES)
        check_choice("normalizer", self.normalizer, NORMALIZERS)
        check_choice("early_stopping", self.early_stopping, tuple(EARLY_STOPPING))
        check_choice("utility", self.utility, UTILITIES)
        check_short_text("banned", self.banned, MAX_BANNED_CHARACTERS)
        for name, low, high in (
            ("beam_size", 1, MAX_BEAM_SIZE),
            ("num_groups", 1, MAX_BEAM_SIZE),
            ("num_samples", 1, MAX_SAMPLES),
            ("top_k", 0, MAX_TOP_K),
            ("node_budget", MIN_NODE_BUDGET, MAX_NODE_BUDGET),
            ("seed", 0, MAX_SEED),
            ("max_length", 1, MAX_OUTPUT_TOKENS),
            ("min_length", 0, MAX_OUTPUT_TOKENS),
            ("no_repeat_ngram_size", 0, MAX_NGRAM),
        ):
            object.__setattr__(self, name, whole(name, getattr(self, name), low, high))
        if self.temperature == 0 and not isinstance(self.temperature, bool):
            raise RequestError(
                say(
                    "temperature must be a number from {low} to {high}; got 0. "
                    "At 0 the likeliest token always wins: that is the greedy strategy.",
                    low=f"{MIN_TEMPERATURE:g}",
                    high=f"{MAX_TEMPERATURE:g}",
                )
            )
        for name, least, most in (
            ("diversity", 0.0, MAX_DIVERSITY),
            ("threshold", 0.0, 1.0),
            ("length_penalty", -MAX_LENGTH_PENALTY, MAX_LENGTH_PENALTY),
            ("temperature", MIN_TEMPERATURE, MAX_TEMPERATURE),
            ("top_p", 0.01, 1.0),
            ("min_p", 0.0, 1.0),
            ("repetition_penalty", 1 / MAX_REPETITION_PENALTY, MAX_REPETITION_PENALTY),
        ):
            object.__setattr__(self, name, float(number(name, getattr(self, name), least, most)))
        self._check_together()

    def _check_together(self) -> None:
        if self.min_length >= self.max_length:
            raise RequestError(
                say(
                    "min_length is {least} and max_length {most}: no output can be both. "
                    "Raise the maximum or lower the minimum.",
                    least=self.min_length,
                    most=self.max_length,
                )
            )
        if self.strategy == "diverse" and self.beam_size % self.num_groups:
            fitting = [str(n) for n in range(1, self.beam_size + 1) if self.beam_size % n == 0]
            raise RequestError(
                say(
                    "{groups} groups do not divide {beams} beams. Choose {fitting} or {last} groups, "
                    "or another beam size.",
                    groups=self.num_groups,
                    beams=self.beam_size,
                    fitting=", ".join(fitting[:-1]),
                    last=fitting[-1],
                )
            )

    def build_strategy(self, language: str = "") -> DecodingStrategy:
        """The strategy with its settings, for outputs in a language (BCP 47). Loads torch."""
        from models.decoding import strategies as known
        from models.decoding.scoring import LengthNormalizer

        normalizer = LengthNormalizer(self.normalizer, self.length_penalty)
        beam = (self.beam_size, normalizer, EARLY_STOPPING[self.early_stopping])
        draws = (self.num_samples, self.temperature, self.top_k, self.top_p, self.min_p)
        built: dict[str, Callable[[], DecodingStrategy]] = {
            "greedy": known.Greedy,
            "beam": lambda: known.BeamSearch(*beam),
            "diverse": lambda: known.DiverseBeamSearch(*beam, self.num_groups, self.diversity),
            "stochastic": lambda: known.StochasticBeamSearch(self.beam_size, self.temperature),
            "threshold": lambda: known.ThresholdBeamSearch(*beam, self.threshold),
            "sampling": lambda: known.Sampling(*draws),
            "mbr": lambda: known.MinimumBayesRisk(*draws, utility=self.utility, language=language),
            "exact": lambda: known.ExactSearch(self.node_budget),
            "exhaustive": lambda: known.ExhaustiveSearch(self.beam_size, normalizer),
        }
        return built[self.strategy]()

    def constraints(self) -> dict[str, int | float | str]:
        """The constraints that are switched on, by the names of their settings."""
        names = ("min_length", "no_repeat_ngram_size", "repetition_penalty", "banned")
        default = StrategySettings()
        return {name: getattr(self, name) for name in names if getattr(self, name) != getattr(default, name)}

    def build_processors(self, tokenizer: Tokenizer) -> tuple[LogitsProcessor, ...]:
        """The constraints that are switched on. Loads torch. Raises RequestError for unknown banned words."""
        from models.decoding.processors import BannedTokens, MinLength, NoRepeatNgram, RepetitionPenalty

        built: list[LogitsProcessor] = []
        if self.repetition_penalty != 1:
            built.append(RepetitionPenalty(self.repetition_penalty))
        if self.no_repeat_ngram_size:
            built.append(NoRepeatNgram(self.no_repeat_ngram_size))
        if self.banned.strip():
            built.append(BannedTokens(banned_ids(tokenizer, self.banned), tokenizer.eos_id))
        if self.min_length:
            built.append(MinLength(self.min_length, tokenizer.eos_id))
        return tuple(built)


def banned_ids(tokenizer: Tokenizer, banned: str) -> tuple[int, ...]:
    """The ids of words that are one token each. Raises RequestError for a word that is not."""
    from models.decoding.forcing import forced_pieces
    from models.decoding.limits import DecodingError

    ids = []
    for word in banned.split():
        try:
            pieces = forced_pieces(tokenizer, word)
        except DecodingError as error:
            told = heard(str(error))
            raise RequestError(say("“{word}” cannot be banned. {error}", word=word, error=told)) from error
        if len(pieces) > 1:
            spelt = " ".join(quoted(tokenizer.token(piece)) for piece in pieces)
            raise RequestError(
                say(
                    "“{word}” is not one token but {count}: {spelt}. Ban one of these, spelt as here.",
                    word=word,
                    count=len(pieces),
                    spelt=spelt,
                )
            )
        if pieces[0] == tokenizer.eos_id:
            raise RequestError(
                say("The end token cannot be banned. Use a minimum length to keep outputs long.")
            )
        ids += pieces
    return tuple(ids)
