"""Settings of a decoding in words: a short name for sentences and tables, and the details beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from demo.i18n import say
from demo.strategy import StrategySettings

# The settings that make a strategy what it is, by the names of `StrategySettings`.
MAIN_SETTINGS: dict[str, tuple[str, ...]] = {
    "greedy": (),
    "beam": ("beam_size", "length_penalty"),
    "diverse": ("beam_size", "num_groups", "diversity"),
    "stochastic": ("beam_size", "temperature", "seed"),
    "threshold": ("beam_size", "threshold"),
    "sampling": ("num_samples", "temperature", "top_k", "top_p", "seed"),
    "mbr": ("num_samples", "temperature", "utility", "seed"),
    "exact": ("node_budget",),
    "exhaustive": (),
}
# Constraints change what may be written at all, so their outputs compare with others only by what they say.
CONSTRAINTS = ("min_length", "no_repeat_ngram_size", "repetition_penalty", "banned")


def short_name(settings: StrategySettings) -> str:
    """What a sentence calls it, starting with a capital: “Beam 4, α 0.6”."""
    beams = settings.beam_size
    name = {
        "greedy": say("Greedy"),
        "beam": say("Beam {size}", size=beams),
        "diverse": say("Diverse beam {size}", size=f"{beams}/{settings.num_groups}"),
        "stochastic": say("Stochastic beam {size}", size=beams),
        "threshold": say("Threshold beam {size}", size=beams),
        "sampling": say("Sampling"),
        "mbr": say("Minimum Bayes risk"),
        "exact": say("Exact search"),
        "exhaustive": say("Exhaustive search"),
    }[settings.strategy]
    return f"{name}, α {_plain(settings.length_penalty)}" if normalises(settings) else name


def details(settings: StrategySettings) -> str:
    """The settings that matter to it, in words."""
    seed = say("seed {seed}", seed=settings.seed)
    parts = {
        "greedy": [say("the likeliest token at every step")],
        "beam": [
            say("1 hypothesis")
            if settings.beam_size == 1
            else say("{count} hypotheses", count=settings.beam_size)
        ],
        "diverse": [
            _groups(settings),
            say("λ {value} nats", value=_plain(settings.diversity)),
        ],
        "stochastic": [_temperature(settings), seed],
        "threshold": [say("at least {share} of the best", share=_plain(settings.threshold))],
        "sampling": [_samples(settings), *_truncation(settings), seed],
        "mbr": [
            say("{samples} by {metric}", samples=_samples(settings), metric=_utility(settings.utility)),
            *_truncation(settings),
            seed,
        ],
        "exact": [say("at most {count} prefixes", count=f"{settings.node_budget:,}")],
        "exhaustive": [say("every output")],
    }[settings.strategy]
    if normalises(settings):
        parts.append(
            say("score per length^α") if settings.normalizer == "power" else say("score per GNMT length^α")
        )
    return ", ".join([*parts, *_constraints(settings)])


def short_names(entries: Sequence[StrategySettings]) -> list[str]:
    """A name for each that no other one has."""
    names = [short_name(settings) for settings in entries]
    shared = Counter(names)
    named = [
        f"{name} ({details(settings)})" if shared[name] > 1 else name
        for name, settings in zip(names, entries, strict=True)
    ]
    again, seen = Counter(named), Counter[str]()
    for at, name in enumerate(named):
        seen[name] += 1
        if again[name] > 1:
            named[at] = f"{name}, {seen[name]}"
    return named


def normalises(settings: StrategySettings) -> bool:
    """Whether it ranks finished outputs by something else than their log-probability."""
    beams = settings.strategy in {"beam", "diverse", "threshold", "exhaustive"}
    return beams and settings.normalizer != "none" and settings.length_penalty != 0


def constrained(settings: StrategySettings) -> bool:
    """Whether it may not write everything that the model could."""
    free = StrategySettings()
    return any(getattr(settings, name) != getattr(free, name) for name in CONSTRAINTS)


def _truncation(settings: StrategySettings) -> list[str]:
    parts = [_temperature(settings)]
    if settings.top_k:
        parts.append(f"top-k {settings.top_k}")
    if settings.top_p < 1:
        parts.append(f"top-p {_plain(settings.top_p)}")
    if settings.min_p > 0:
        parts.append(f"min-p {_plain(settings.min_p)}")
    return parts


def _constraints(settings: StrategySettings) -> list[str]:
    parts = []
    if settings.min_length:
        parts.append(say("at least {count} tokens", count=settings.min_length))
    if settings.no_repeat_ngram_size:
        parts.append(say("no {size}-gram twice", size=settings.no_repeat_ngram_size))
    if settings.repetition_penalty != 1:
        parts.append(say("repetition penalty {value}", value=_plain(settings.repetition_penalty)))
    if settings.banned.strip():
        parts.append(say("without “{words}”", words=settings.banned.strip()))
    return parts


def _utility(name: str) -> str:
    return {"chrf": "chrF", "bleu": "BLEU"}.get(name, name)


def _plain(value: float) -> str:
    return f"{value:g}".replace("-", "−")


def _temperature(settings: StrategySettings) -> str:
    return say("temperature {value}", value=_plain(settings.temperature))


def _samples(settings: StrategySettings) -> str:
    number = settings.num_samples
    return say("1 sample") if number == 1 else say("{count} samples", count=number)


def _groups(settings: StrategySettings) -> str:
    number = settings.num_groups
    size = settings.beam_size // number
    return (
        say("1 group of {size}", size=size)
        if number == 1
        else say("{count} groups of {size}", count=number, size=size)
    )
