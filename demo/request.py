"""What a visitor asks for, checked: the page and the API send values of any type and size.

Knows no Gradio, and loads no torch until a strategy is built.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from demo.limits import (
    DEADLINE_SECONDS,
    MAX_BEAM_SIZE,
    MAX_CHARACTERS,
    MAX_LENGTH_PENALTY,
    MAX_NAME_CHARACTERS,
    MAX_OUTPUT_TOKENS,
    MAX_SAMPLES,
    MAX_SEED,
    MAX_TEMPERATURE,
    MAX_TOP_K,
)

if TYPE_CHECKING:
    from models.decoding.strategies import DecodingStrategy

STRATEGIES = ("greedy", "beam", "sampling")
NORMALIZERS = ("power", "gnmt", "none")
EARLY_STOPPING: dict[str, bool | str] = {"true": True, "false": False, "never": "never"}

LogProbs = TypeVar("LogProbs")


class RequestError(ValueError):
    """A request that cannot be served; the message says what to change."""


@dataclass(frozen=True)
class DecodeRequest:
    """One press of Run. Raises RequestError for any value that is not what it should be.

    All values are checked, also those that the strategy does not use.
    """

    checkpoint: str
    text: str
    strategy: str = "beam"  # one of STRATEGIES
    beam_size: int = 4
    length_penalty: float = 0.0  # alpha
    normalizer: str = "power"  # one of NORMALIZERS
    early_stopping: str = "false"  # one of EARLY_STOPPING
    num_samples: int = 4
    temperature: float = 1.0
    top_k: int = 0  # 0: all tokens
    top_p: float = 1.0
    seed: int = 0
    max_length: int = 60  # tokens

    def __post_init__(self) -> None:
        """Numbers come as JSON has them, 4.0 for 4; from here on an int is an int."""
        check_name(self.checkpoint)
        check_text(self.text)
        if not self.text.strip():
            raise RequestError("There is no text to decode. Type a sentence first.")
        _check_choice("strategy", self.strategy, STRATEGIES)
        _check_choice("normalizer", self.normalizer, NORMALIZERS)
        _check_choice("early_stopping", self.early_stopping, tuple(EARLY_STOPPING))
        for name, low, high in (
            ("beam_size", 1, MAX_BEAM_SIZE),
            ("num_samples", 1, MAX_SAMPLES),
            ("top_k", 0, MAX_TOP_K),
            ("seed", 0, MAX_SEED),
            ("max_length", 1, MAX_OUTPUT_TOKENS),
        ):
            object.__setattr__(self, name, _whole(name, getattr(self, name), low, high))
        for name, least, most in (
            ("length_penalty", -MAX_LENGTH_PENALTY, MAX_LENGTH_PENALTY),
            ("temperature", 0.05, MAX_TEMPERATURE),
            ("top_p", 0.01, 1.0),
        ):
            object.__setattr__(self, name, float(_number(name, getattr(self, name), least, most)))

    def build_strategy(self) -> DecodingStrategy:
        """The strategy with its settings. Loads torch."""
        from models.decoding.scoring import LengthNormalizer
        from models.decoding.strategies import BeamSearch, Greedy, Sampling

        if self.strategy == "greedy":
            return Greedy()
        if self.strategy == "beam":
            normalizer = LengthNormalizer(self.normalizer, self.length_penalty)
            return BeamSearch(self.beam_size, normalizer, EARLY_STOPPING[self.early_stopping])
        return Sampling(self.num_samples, self.temperature, self.top_k, self.top_p)


@dataclass(frozen=True)
class Deadline:
    """Ends a search that takes too long; it looks at each step and changes nothing."""

    seconds: float = DEADLINE_SECONDS
    started: float = field(default_factory=time.monotonic)

    def __call__(self, log_probs: LogProbs, beam: object) -> LogProbs:
        """See `LogitsProcessor`. Raises RequestError when the time is up."""
        if time.monotonic() - self.started > self.seconds:
            raise RequestError(
                f"Decoding took longer than {self.seconds:g} seconds and was stopped. "
                "Ask for a shorter output or fewer beams, or try again when the server is less busy."
            )
        return log_probs


def check_name(name: object) -> None:
    """Raises RequestError unless it could be the name of a checkpoint."""
    if not isinstance(name, str) or not name:
        raise RequestError(f"checkpoint must be the name of a checkpoint; got {_shown(name)}.")
    if len(name) > MAX_NAME_CHARACTERS:
        raise RequestError(f"No checkpoint has a name of {len(name):,} characters.")


def check_text(text: object) -> None:
    """Raises RequestError unless it is a text of bearable length, possibly empty."""
    if not isinstance(text, str):
        raise RequestError(f"text must be a text; got {_shown(text)}.")
    if len(text) > MAX_CHARACTERS:
        raise RequestError(
            f"The text has {len(text):,} characters; the limit is {MAX_CHARACTERS:,}. Shorten it."
        )
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise RequestError("The text contains half a character (a lone surrogate). Type it again.")


def _check_choice(name: str, value: object, allowed: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in allowed:
        raise RequestError(f"{name} must be one of {', '.join(allowed)}; got {_shown(value)}.")


def _number(name: str, value: Any, low: float, high: float) -> float:
    # bool is an int to Python; NaN fails every comparison.
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise RequestError(f"{name} must be a number from {low:g} to {high:g}; got {_shown(value)}.")
    return value


def _whole(name: str, value: Any, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high or value % 1:
        raise RequestError(f"{name} must be a whole number from {low:,} to {high:,}; got {_shown(value)}.")
    return int(value)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
