"""A word in no training text: it can be pronounced and means nothing."""

from __future__ import annotations

from itertools import cycle, islice
from random import Random

from models.evaluation.counterfactuals.counterfactual import Change, Counterfactual, edited
from models.evaluation.counterfactuals.words import TextWord, clusters, is_plain, words

SHORTEST = 4  # letters: of three, most combinations are words of some language
# Groups of letters that alternate in a word, by script. Nobody can invent a Han character.
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
    """Replace a word of four letters or more by nonsense of the same length, script and capitals."""
    text_words = words(text)
    fitting = [word for word in text_words if word.script in LETTERS and is_plain(text, word)]
    fitting = [word for word in fitting if len(clusters(word.of(text))) >= SHORTEST]
    if not fitting:
        return None
    word = rng.choice(fitting)
    existing = {other.of(text).lower() for other in text_words}
    drawn = (_nonsense(text, word, rng) for _ in range(_TRIES))
    new = next((nonsense for nonsense in drawn if nonsense.lower() not in existing), None)
    return edited(text, [(word.start, word.end, new)]) if new else None


def _nonsense(text: str, word: TextWord, rng: Random) -> str:
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
