"""A nonsense word that can be pronounced and that no training text has."""

from __future__ import annotations

from itertools import cycle, islice
from random import Random

from models.evaluation.counterfactuals.counterfactual import Counterfactual, apply_edits
from models.evaluation.counterfactuals.words import TextWord, clusters, is_plain, words

MIN_WORD_LETTERS = 4  # most combinations of three letters are words of some language
# Groups of letters that alternate in a nonsense word, by script. Han is left out: no new characters exist.
LETTERS_OF_SCRIPT = {
    "LATIN": ("bdfgklmnprstvz", "aeiou"),
    "CYRILLIC": ("бвгдзклмнпрст", "аеиоу"),
    "GREEK": ("βγδζκλμνπρτφ", "αεηιου"),
    "ARABIC": ("بتجدرزسشفكلمن", "اوي"),
    "HEBREW": ("בגדזטלמנפרשת", "וי"),
    "KATAKANA": ("カキクケサスセタテナニネノハヒフヘホマミムメモラリルレロ",),
}
_MAX_TRIES = 100


def replace_by_nonsense(text: str, rng: Random) -> str | None:
    """Replace a word of four letters or more by nonsense of the same length, script and capitals."""
    text_words = words(text)
    fitting = [word for word in text_words if word.script in LETTERS_OF_SCRIPT and is_plain(text, word)]
    fitting = [word for word in fitting if len(clusters(word.spelling(text))) >= MIN_WORD_LETTERS]
    if not fitting:
        return None
    word = rng.choice(fitting)
    existing = {other.spelling(text).lower() for other in text_words}
    candidates = (_nonsense(text, word, rng) for _ in range(_MAX_TRIES))
    nonsense_word = next((nonsense for nonsense in candidates if nonsense.lower() not in existing), None)
    return apply_edits(text, [(word.start, word.end, nonsense_word)]) if nonsense_word else None


def _nonsense(text: str, word: TextWord, rng: Random) -> str:
    old_letters = clusters(word.spelling(text))
    letter_groups = LETTERS_OF_SCRIPT[word.script]
    first = rng.randrange(len(letter_groups))
    letters = [rng.choice(kind) for kind in islice(cycle(letter_groups), first, first + len(old_letters))]
    return "".join(
        letter.upper() if cluster[0].isupper() else letter
        for letter, cluster in zip(letters, old_letters, strict=True)
    )


UNSEEN_WORD = Counterfactual(
    "unseen-word",
    position=50,
    title="word never seen",
    sentence="One word becomes a nonsense word of the same length.",
    keeps_meaning=False,
    change=replace_by_nonsense,
)
