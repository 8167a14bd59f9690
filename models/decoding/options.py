"""The settings of a decoding in forms, programs, links and commands. Only a search loads torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import InitVar, dataclass, field, fields, replace
from functools import cached_property

from models.decoding import strategies
from models.decoding.description import DecodingSetting, FormPart, setting
from models.decoding.limits import MAX_LENGTH, DecodingError
from models.decoding.search.strategy import MAX_PARALLEL_OUTPUTS, DecodingStrategy, LengthNormalizer
from models.errors import Message
from models.setting import Choice, choices, settings_of

MAX_SEED = 2**32 - 1


def _strategies() -> tuple[Choice, ...]:
    table = ((name, strategies.description_of(name)) for name in strategies.names())
    return tuple(Choice(name, description.label, remark=description.remark) for name, description in table)


@dataclass(frozen=True)
class DecodingOptions:
    """The settings of a decoding within `bounds`, or `settings()`. Raises DecodingError for another value."""

    strategy: str = setting(
        "beam",
        ("Strategy", "How the output is found."),
        "How to decode: {choices}.",
        offers=_strategies,
        part=FormPart.STRATEGY,
    )
    beam_size: int = setting(
        4,
        ("Beam size", "Hypotheses kept per step."),
        "Hypotheses that {users} keep per step, {low} to {high}.",
        bounds=(1, MAX_PARALLEL_OUTPUTS, 1),
        phrase="{beam_size} hypotheses",
        single="1 hypothesis",
        brief="Beams",
        part=FormPart.SIZE,
    )
    num_groups: int = setting(
        2,
        ("Groups", "Equal parts of the beam."),
        "How many groups {users} divides the beam into; must divide beam_size.",
        bounds=(1, MAX_PARALLEL_OUTPUTS, 1),
        phrase="{num_groups} groups of {group_size}",
        single="1 group of {group_size}",
        within="beam_size",
    )
    diversity: float = setting(
        0.5,
        ("Diversity λ", "Nats subtracted from a token that an earlier group chose."),
        "Penalty of {users} for a token that earlier groups chose, {low} to {high} nats.",
        bounds=(0, 20, 0.1),
        unit="nats",
        phrase="λ {diversity} nats",
        brief="Diversity λ (nats)",
    )
    threshold: float = setting(
        0.1,
        ("Threshold", "Least probability, as a share of the best candidate's."),
        "For {users}: drop candidates below this share of the best one's probability, {low} to {high}.",
        bounds=(0, 1, 0.01),
        unit="ratio",
        phrase="at least {threshold} of the best",
        brief="Threshold (ratio)",
        wide=True,
    )
    length_penalty: float = setting(
        0.0,
        ("Length penalty α", "Above 0 favours longer outputs."),
        "Alpha of the normalizer; above 0 favours longer outputs, 0 ranks by probability; {low} to {high}.",
        bounds=(-5, 5, 0.1),
        idle=("normalizer", "none"),
    )
    normalizer: str = setting(
        "power",
        ("Length normaliser", "How α and the length change the score."),
        "How alpha and the length change the score: {choices}.",
        offers=choices(Choice("power", "Power"), Choice("gnmt", "GNMT"), Choice("none", "None")),
    )
    early_stopping: str = setting(
        "false",
        ("Stop when the beam is full", "When to end, once enough outputs are finished."),
        "When a beam ends: {choices}, as in the transformers library.",
        offers=choices(
            Choice("true", "At once", True),
            Choice("false", "If unlikely to improve", False),
            Choice("never", "If it cannot improve"),
        ),
        wide=True,
    )
    num_samples: int = setting(
        8,
        ("Samples", "Outputs drawn independently."),
        "How many outputs {users} draw, {low} to {high}.",
        bounds=(1, MAX_PARALLEL_OUTPUTS, 1),
        phrase="{num_samples} samples",
        single="1 sample",
        part=FormPart.SIZE,
    )
    temperature: float = setting(
        1.0,
        ("Temperature", "Higher is more random."),
        "Temperature of random draws, {low} to {high}.",
        bounds=(0.05, 5, 0.05),
        phrase="temperature {temperature}",
        at_zero=Message(
            "zero_is_greedy", "At 0 the likeliest token always wins: that is the greedy strategy."
        ),
    )
    top_k: int = setting(
        0,
        ("Top-k", "Keeps the k likeliest tokens; 0 keeps all."),
        "For {users}: draw among that many tokens, 0 for all, at most {high}.",
        bounds=(0, 1000, 1),
        phrase="top-k {top_k}",
        optional=True,
        brief="Top-k (0: all)",
    )
    top_p: float = setting(
        1.0,
        ("Top-p", "Keeps the likeliest tokens that together reach p."),
        "For {users}: draw among the likeliest tokens that together reach this probability, {low} to {high}.",
        bounds=(0.01, 1, 0.01),
        phrase="top-p {top_p}",
        optional=True,
    )
    min_p: float = setting(
        0.0,
        ("Min-p", "Keeps tokens at least p times as likely as the best."),
        "For {users}: draw among tokens with at least this share of the best one's probability, {low} to "
        "{high}.",
        bounds=(0, 1, 0.01),
        phrase="min-p {min_p}",
        optional=True,
    )
    utility: str = setting(
        "chrf",
        ("Likeness", "The measure that compares two samples."),
        "The measure by which {users} compares two samples: {choices}.",
        offers=choices(Choice("chrf", "chrF"), Choice("bleu", "BLEU")),
        brief="Utility",
        wide=True,
    )
    node_budget: int = setting(
        20_000,
        ("Budget", "Prefixes that the model may score."),
        "Prefixes that the model may score for {users}, {low} to {high}.",
        bounds=(100, 100_000, 100),
        unit="prefixes",
        phrase="at most {node_budget} prefixes",
        brief="Budget (prefixes)",
        part=FormPart.SIZE,
    )
    seed: int = setting(
        0,
        ("Seed", "The same seed gives the same draws."),
        "The same seed gives the same draws; {low} to {high}.",
        bounds=(0, MAX_SEED, 1),
        phrase="seed {seed}",
        part=FormPart.SEED,
    )
    max_length: int = setting(
        60,
        ("Maximum length", "Most tokens of an output, with the end token."),
        "Most tokens of an output, {low} to {high}, with the end token; if left out, the checkpoint's limit.",
        bounds=(1, MAX_LENGTH, 1),
        unit="tokens",
        part=FormPart.SIZE,
    )
    min_length: int = setting(
        0,
        ("Minimum length", "Fewest tokens of an output, without the end token."),
        "Fewest tokens of an output, without the end token.",
        bounds=(0, MAX_LENGTH - 1, 1),
        unit="tokens",
        phrase="at least {min_length} tokens",
        part=FormPart.CONSTRAINT,
    )
    no_repeat_ngram_size: int = setting(
        0,
        ("No repeated n-grams", "No n tokens in a row occur twice; 0: off."),
        "No n-gram of that many tokens occurs twice; 0 switches it off, at most {high}.",
        bounds=(0, 10, 1),
        phrase="no {no_repeat_ngram_size}-gram twice",
        part=FormPart.CONSTRAINT,
    )
    repetition_penalty: float = setting(
        1.0,
        ("Repetition penalty", "Above 1 discourages repetition."),
        "Multiplies the log-probabilities of tokens already in the output (greedy search in Hugging "
        "Face's `generate` changes the logits instead); 1 switches it off.",
        bounds=(0.2, 5, 0.05),
        phrase="repetition penalty {repetition_penalty}",
        part=FormPart.CONSTRAINT,
    )
    banned: str = setting(
        "",
        ("Banned words", "Tokens never to write, separated by commas."),
        "Tokens never to write, separated by commas or spaces; at most {characters} characters in all.",
        characters=200,
        phrase="without “{banned}”",
        part=FormPart.CONSTRAINT,
    )
    must_contain: str = setting(
        "",
        ("Required words", "Separate with commas; the start of a longer word counts."),
        "Words or phrases that every output contains, separated by commas; at most {characters} characters.",
        characters=200,
        phrase="with “{must_contain}”",
        part=FormPart.CONSTRAINT,
    )

    bounds: InitVar[Mapping[str, DecodingSetting] | None] = field(default=None, kw_only=True)

    def __post_init__(self, bounds: Mapping[str, DecodingSetting] | None) -> None:
        for name, item in (bounds or settings()).items():
            object.__setattr__(self, name, item.checked_value(getattr(self, name)))
        if self.min_length >= self.max_length:
            raise DecodingError(
                "lengths_at_odds",
                "{lower} is {least} and {upper} {most}: no output can be both. "
                "Raise the maximum or lower the minimum.",
                lower="min_length",
                upper="max_length",
                least=self.min_length,
                most=self.max_length,
            )
        _ = self._strategy  # raises DecodingError for settings that do not fit together

    @property
    def group_size(self) -> int:
        """Beams of each group."""
        return self.beam_size // self.num_groups

    def normalises(self) -> bool:
        """Whether finished outputs are ranked by another value than their log-probability."""
        return strategies.description_of(self.strategy).normalises(vars(self))

    def constraints(self) -> dict[str, int | float | str]:
        """The constraints that are switched on, by the names of their settings."""
        items = [item for item in settings().values() if item.part is FormPart.CONSTRAINT]
        return {item.name: value for item in items if (value := getattr(self, item.name)) != item.default}

    def build_strategy(self, language: str = "") -> DecodingStrategy:
        """Return the strategy with the settings that it uses, for outputs in a language (BCP 47)."""
        strategy = self._strategy
        if not language or not hasattr(strategy, "language"):
            return strategy
        return replace(strategy, language=language)  # type: ignore[type-var]

    @cached_property
    def _strategy(self) -> DecodingStrategy:
        """The strategy for outputs in any language."""
        kind = strategies.strategy_class(self.strategy)
        names = {kind.description.field_of(name): name for name in kind.description.settings}
        values = {key: settings()[name].strategy_value(getattr(self, name)) for key, name in names.items()}
        if "normalizer" in values:
            values["normalizer"] = LengthNormalizer(self.normalizer, self.length_penalty)
        fields_of_kind = {field.name for field in fields(kind)}  # type: ignore[arg-type]
        return kind(**{name: value for name, value in values.items() if name in fields_of_kind})


def settings() -> Mapping[str, DecodingSetting]:
    """The fields of `DecodingOptions` by name, with their bounds and words."""
    return settings_of(DecodingOptions)
