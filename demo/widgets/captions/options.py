"""Options of a decoding in words: a short name for sentences and tables, and the details beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from demo.i18n import listed, say
from demo.i18n.display import short_text
from models.decoding.description import DecodingSetting, FormPart
from models.decoding.options import DecodingOptions, settings
from models.decoding.strategies import description_of


def short_name(options: DecodingOptions) -> str:
    """A short name for sentences, capitalised: “Beam 4, α 0.6”."""
    return short_name_of(options.strategy, vars(options))


def short_name_of(strategy: str, values: Mapping[str, Any]) -> str:
    """The short name of a strategy with these values of all settings."""
    description, texts = description_of(strategy), _texts(values)
    name = say(description.short, **texts)
    return f"{name}, α {texts['length_penalty']}" if description.normalises(values) else name


def details(options: DecodingOptions) -> str:
    """The settings that matter to its strategy, in words."""
    return listed(_details(options))


def short_names(all_options: Sequence[DecodingOptions]) -> list[str]:
    """A unique name for each strategy: settings that differ follow a shared short name."""
    names = [short_name(options) for options in all_options]
    shared = [name for name, count in Counter(names).items() if count > 1]
    for name in shared:
        alike = {index: _details(all_options[index]) for index, item in enumerate(names) if item == name}
        common = set.intersection(*map(set, alike.values()))
        for position, parts in alike.items():
            special = [part for part in parts if part not in common]
            names[position] = f"{name} ({listed(special)})" if special else name
    counts, numbers = Counter(names), Counter[str]()
    for position, name in enumerate(names):
        numbers[name] += 1
        if counts[name] > 1:
            names[position] = f"{name}, {numbers[name]}"
    return names


def _details(options: DecodingOptions) -> list[str]:
    parts = [_detail(options, detail) for detail in description_of(options.strategy).details]
    if options.normalises():
        parts.append(
            say("score per length^α") if options.normalizer == "power" else say("score per GNMT length^α")
        )
    return [*filter(None, parts), *constraint_phrases(vars(options))]


def constraint_phrases(values: Mapping[str, Any]) -> list[str]:
    """The constraints among these values of settings that are switched on, in words."""
    values = {name: item.default for name, item in settings().items()} | dict(values)
    texts = _texts(values)
    return [
        say(item.phrase, **texts)
        for name, item in settings().items()
        if item.part is FormPart.CONSTRAINT and values[name] != item.default and texts[name]
    ]


def _detail(options: DecodingOptions, detail: str) -> str:
    """A setting's phrase, or a sentence with the phrases of settings in it."""
    if detail in settings():
        return _phrase(options, detail)
    phrases = {name: _phrase(options, name) for name in settings() if f"{{{name}}}" in detail}
    return say(detail, **phrases)


def _phrase(options: DecodingOptions, name: str) -> str:
    """A setting in words; "" if it is off."""
    item, value = settings()[name], getattr(options, name)
    if item.optional and value == item.default:
        return ""
    values = _values(options)
    if not item.phrase:
        return values[name]
    return say(item.single if item.single and value == 1 else item.phrase, **values)


def _values(options: DecodingOptions) -> dict[str, str]:
    return {**_texts(vars(options)), "group_size": str(options.group_size)}


def _texts(values: Mapping[str, Any]) -> dict[str, str]:
    return {name: _value_text(setting, values[name]) for name, setting in settings().items()}


def _value_text(setting: DecodingSetting, value: str | float) -> str:
    if isinstance(value, str):
        label = next((choice.label for choice in setting.choices if choice.value == value), None)
        return value.strip() if label is None else say(label)
    if isinstance(value, int):
        return f"{value:,}" if setting.unit else str(value).replace("-", "−")
    return short_text(value, 6)
