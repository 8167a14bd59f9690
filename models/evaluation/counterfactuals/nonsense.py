"""A word that no training text had: one that can be pronounced and means nothing."""

from __future__ import annotations

from itertools import cycle, islice
from random import Random

from models.evaluation.counterfactuals.counterfactual import Change, Counterfactual, edited
from models.evaluation.counterfactuals.words import Word, clusters, is_plain, words

SHORTEST = 4  # letters: of three, most combinations are words of some language
# What alternates in a word, by script. Nobody can invent a character of Han, nor a word of one Hiragana.
LETTERS = {
    "LATIN": ("bdfgklmnprstvz", "aeiou"),
    "CYRILLIC": ("бвгдзклмнпрст", "аеиоу"),
    "GREEK": ("βγδζκλμνπρτφ", "αεηιου"),
    "ARABIC": ("بتجدرزسشفكلمن", "اوي"),
    "HEBREW": ("בגדזטלמנפרשת", "וי"),
    "KATAKANA": ("カキクケサスセタテナニネノハヒフヘホマミムメモラリルレロ",),
}
_TRIES = 100


def unseen_word(text: str, rng: Random) -> Change | None:
    """A word of four letters or more becomes nonsense of its length, script and capitals."""
    result = words(text)
    fit = [word for word in result if word.script in LETTERS and is_plain(text, word)]
    fit = [word for word in fit if len(clusters(word.of(text))) >= SHORTEST]
    if not fit:
        return None
    word = rng.choice(fit)
    known = {item.of(text).lower() for item in result}
    drawn = (_nonsense(text, word, rng) for _ in range(_TRIES))
    new = next((item for item in drawn if item.lower() not in known), None)
    return edited(text, [(word.start, word.end, new)]) if new else None


def _nonsense(text: str, word: Word, rng: Random) -> str:
    old = clusters(word.of(text))
    kinds = LETTERS[word.script]
    begin = rng.randrange(len(kinds))
    letters = [rng.choice(kind) for kind in islice(cycle(kinds), begin, begin + len(old))]
    return "".join(
        new.upper() if cluster[0].isupper() else new for new, cluster in zip(letters, old, strict=True)
    )


UNSEEN_WORD = Counterfactual(
    "unseen-word",
    position=50,
    title="word never seen",
    sentence="One word becomes a nonsense word of the same length.",
    keeps_meaning=False,
    change=unseen_word,
)
