"""Settings of a decoding in words: a short name for sentences and tables, and the details beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

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
        "greedy": "Greedy",
        "beam": f"Beam {beams}",
        "diverse": f"Diverse beam {beams}/{settings.num_groups}",
        "stochastic": f"Stochastic beam {beams}",
        "threshold": f"Threshold beam {beams}",
        "sampling": "Sampling",
        "mbr": "Minimum Bayes risk",
        "exact": "Exact search",
        "exhaustive": "Exhaustive search",
    }[settings.strategy]
    return f"{name}, α {_plain(settings.length_penalty)}" if normalises(settings) else name


def details(settings: StrategySettings) -> str:
    """The settings that matter to it, in words."""
    parts = {
        "greedy": ["the likeliest token at every step"],
        "beam": [_count(settings.beam_size, "hypothesis", "hypotheses")],
        "diverse": [
            f"{_count(settings.num_groups, 'group')} of {settings.beam_size // settings.num_groups}",
            f"λ {_plain(settings.diversity)} nats",
        ],
        "stochastic": [f"temperature {_plain(settings.temperature)}", f"seed {settings.seed}"],
        "threshold": [f"at least {_plain(settings.threshold)} of the best"],
        "sampling": [_count(settings.num_samples, "sample"), *_truncation(settings), f"seed {settings.seed}"],
        "mbr": [
            f"{_count(settings.num_samples, 'sample')} by {_utility(settings.utility)}",
            *_truncation(settings),
            f"seed {settings.seed}",
        ],
        "exact": [f"at most {settings.node_budget:,} prefixes"],
        "exhaustive": ["every output"],
    }[settings.strategy]
    if normalises(settings):
        parts.append(f"score per {'length' if settings.normalizer == 'power' else 'GNMT length'}^α")
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
    parts = [f"temperature {_plain(settings.temperature)}"]
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
        parts.append(f"at least {settings.min_length} tokens")
    if settings.no_repeat_ngram_size:
        parts.append(f"no {settings.no_repeat_ngram_size}-gram twice")
    if settings.repetition_penalty != 1:
        parts.append(f"repetition penalty {_plain(settings.repetition_penalty)}")
    if settings.banned.strip():
        parts.append(f"without “{settings.banned.strip()}”")
    return parts


def _utility(name: str) -> str:
    return {"chrf": "chrF", "bleu": "BLEU"}.get(name, name)


def _plain(value: float) -> str:
    return f"{value:g}".replace("-", "−")


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
