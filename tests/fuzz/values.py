"""Random values for calls, determined by a seed: correct, nearly correct and absurd ones."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

TEXTS = ("abc", "hola", "cab bac", "3 May 1996", "la casa", "", " ", "a\tb", "source\ttarget\nab\tba\n")
MARKUP = ("<script>alert(1)</script>", "</s>", "<s>", "<unk>", "&amp;", "{name}", "%s", "{0}", "**b**", "$x$")
CHARACTERS = ("\x00", "\x1b[31m", "\u202e", "\u200d", "\ufeff", "é", "漢字", "🙂", "\r\n", "\x7f", "ﷺ" * 20)
NUMBERS_AS_TEXT = ("NaN", "nan", "Infinity", "-inf", "1e999", "0x10", "٣", "1_000", "007", "-0", "1" * 400)
PATHS = ("../../etc/passwd", "/etc/passwd", "C:\\x", "a/b", "..", ".", "~", "file:///etc/passwd", "a" * 300)
NUMBERS = (0, 1, -1, 2, 7, 0.5, -0.0, 1.0, 1e-300, 1e300, 2**31, 2**53, -(2**63), 2**64, 10**30, 10**400)
CONSTANTS = (None, True, False)
EMPTY: tuple[Any, ...] = ([], {}, [None], [[]], {"": ""}, [[[[[[1]]]]]], {"a": {"b": {"c": []}}})
FILES: tuple[Any, ...] = (
    {"path": "/etc/passwd", "meta": {"_type": "gradio.FileData"}},
    {"path": "http://192.0.2.1/x", "meta": {"_type": "gradio.FileData"}},
    {"path": "", "meta": {"_type": "gradio.FileData"}},
    {"path": "x" * 5_000, "meta": {"_type": "gradio.FileData"}},
    {"path": 3, "meta": {"_type": "gradio.FileData"}},
    {"url": "file:///etc/passwd", "is_stream": True, "size": "large"},
    {"__type__": "update", "value": 1},
)
LONG = ("x" * 5_000, "ab " * 400, [0] * 300, ["x"] * 300, [[1, 2]] * 200, "[" * 500)
ABSURD: tuple[Sequence[Any], ...] = (
    TEXTS,
    MARKUP,
    CHARACTERS,
    NUMBERS_AS_TEXT,
    PATHS,
    NUMBERS,
    NUMBERS,
    CONSTANTS,
    EMPTY,
    FILES,
    LONG,
)


def any_value(random: Random) -> Any:
    """Return a value of any kind that rarely makes sense."""
    value = copy.deepcopy(random.choice(random.choice(ABSURD)))
    if isinstance(value, str) and random.random() < 0.1:
        return value + str(any_value(random))[:200]
    return value


def similar(random: Random, value: Any) -> Any:
    """Return a value close to `value`: another type or size, wrapped, or with a part missing."""
    if isinstance(value, bool) or value is None:
        return random.choice((not value, str(value), int(bool(value)), [value], {"value": value}))
    if isinstance(value, int | float):
        near: tuple[Any, ...] = (value + 1, value - 1, -value, value * 1000)
        if abs(value) < sys.float_info.max:  # larger integers have no float
            near += (value + 0.5, float(value))
        return random.choice((*near, str(value), [value], bool(value), {"value": value}, 10**30 + int(value)))
    if isinstance(value, str):
        cut = random.randrange(len(value) + 1)
        odd = random.choice((*CHARACTERS, *MARKUP, "@int8", "@", "x"))
        changed = (value[:cut], value[:cut] + odd + value[cut:], value.upper(), value * 3, f" {value}")
        return random.choice((*changed, [value], {"value": value}, list(value[:20]), [value, value]))
    return _nearly_the_container(random, value)


def _nearly_the_container(random: Random, value: Any) -> Any:
    changed = copy.deepcopy(value)
    keys: list[Any] = list(changed) if isinstance(changed, dict) else list(range(len(changed)))
    change: Callable[[Random, Any], Any] = random.choice((similar, _another))
    if not keys or random.random() < 0.1:
        return random.choice(([value], {"value": value}, str(value), None, changed))
    key = random.choice(keys)
    kind = random.random()
    if kind < 0.2:
        del changed[key]
    elif kind < 0.3 and isinstance(changed, dict):
        changed[str(any_value(random))[:50]] = changed[key]
    elif kind < 0.4 and isinstance(changed, list):
        changed += [changed[key]] * random.choice((1, 30))
    else:
        changed[key] = change(random, changed[key])
    return changed


def _another(random: Random, _: Any) -> Any:
    return any_value(random)


def perhaps_changed(random: Random, value: Any, share: float = 0.3) -> Any:
    """Return `value`, or with probability `share` a nearly correct or an absurd one."""
    chance = random.random()
    if chance > share:
        return copy.deepcopy(value)
    return similar(random, value) if chance > share / 2 else any_value(random)
