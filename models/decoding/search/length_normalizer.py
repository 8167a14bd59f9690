"""Length normalisation: how finished hypotheses of different lengths are ranked."""

from __future__ import annotations

from dataclasses import dataclass

NORMALIZER_KINDS = ("power", "gnmt", "none")


@dataclass(frozen=True)
class LengthNormalizer:
    """score = log-probability / normaliser(length); never used to order the running beam.

    `power` is L^alpha, `gnmt` is ((5 + L) / 6)^alpha (Wu et al. 2016, equation 14), `none` is 1. L counts
    the generated tokens with the end token and without the start token. alpha = 0 is neutral; a positive
    one favours longer hypotheses.
    """

    kind: str = "power"
    alpha: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in NORMALIZER_KINDS:
            raise ValueError(f"normalizer must be one of {', '.join(NORMALIZER_KINDS)}; got {self.kind!r}")
        if not -10 <= self.alpha <= 10:
            raise ValueError(f"length_penalty must be between -10 and 10; got {self.alpha}")

    def __call__(self, log_prob: float, length: int) -> float:
        """The score of a sequence of `length` >= 1 tokens whose log-probability is `log_prob` nats."""
        return log_prob / self.penalty(length)

    def penalty(self, length: int) -> float:
        """The divisor of the log-probability of `length` >= 1 tokens."""
        if self.kind == "none":
            return 1.0
        base = float(length) if self.kind == "power" else (5 + length) / 6
        penalty: float = base**self.alpha
        return penalty
