"""The languages of two columns, by their scripts or by frequent words."""

from __future__ import annotations

import re
from collections.abc import Sequence

_SCRIPTS = {
    "zh": "\u4e00-\u9fff",
    "ja": "\u3040-\u30ff",
    "ko": "\uac00-\ud7af",
    "ru": "\u0400-\u04ff",
    "uk": "\u0400-\u04ff",
    "el": "\u0370-\u03ff",
    "ar": "\u0600-\u06ff",
    "he": "\u0590-\u05ff",
    "hi": "\u0900-\u097f",
    "th": "\u0e00-\u0e7f",
}
_FREQUENT = {
    "en": "the is are was were i you we they it my your this that of and to in what where who how not don't",
    "es": "el la los las es está son yo tú mi tu su que de del y en por para qué quién cómo una un al lo se",
    "fr": "le la les est sont je tu il elle nous vous mon ma que qui de du des et en une un pas ne ce l'",
    "de": "der die das ist sind ich du er sie wir ihr mein nicht und in zu den dem ein eine was wer wie",
}
_PATTERNS = {
    **{code: re.compile(f"[{characters}]") for code, characters in _SCRIPTS.items()},
    **{
        code: re.compile(rf"(?<!\w)(?:{'|'.join(texts.split())})(?!\w)", re.IGNORECASE)
        for code, texts in _FREQUENT.items()
    },
}
_MIN_VOTE_DIFFERENCE = 0.5  # a smaller difference decides nothing; shares of two columns are added, so 0 to 2


def share_in(language: str, texts: Sequence[str]) -> float:
    """The share of the texts that have features of a language; 0 where no features are known."""
    pattern = _PATTERNS.get(language)
    return sum(bool(pattern.search(text)) for text in texts) / len(texts) if pattern and texts else 0.0


def column_direction(first: Sequence[str], second: Sequence[str], languages: tuple[str, str]) -> int:
    """1 if the first texts are in the first language, -1 if they are in the second, 0 if that is unclear."""
    source, target = languages
    as_given = share_in(source, first) + share_in(target, second)
    reversed_ = share_in(target, first) + share_in(source, second)
    difference = as_given - reversed_
    return 0 if abs(difference) < _MIN_VOTE_DIFFERENCE else 1 if difference > 0 else -1
