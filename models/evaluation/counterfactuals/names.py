"""Another name: if the translation stays the same, the network ignored it."""

from __future__ import annotations

from random import Random

from models.evaluation.counterfactuals.counterfactual import Change, Counterfactual, edited
from models.evaluation.counterfactuals.words import APOSTROPHES, TextWord, words

# Names that many languages share, by script; a script without capitals does not show which words are names.
NAMES = {
    "LATIN": ("Anna", "Daniel", "David", "Laura", "Lisa", "Maria", "Martin", "Oscar", "Robert", "Sara"),
    "CYRILLIC": ("Анна", "Борис", "Вера", "Иван", "Лев", "Мария", "Олег", "Ольга", "Павел", "Роман"),
    "GREEK": ("Άννα", "Γιώργος", "Ελένη", "Κώστας", "Μαρία", "Νίκος", "Πέτρος", "Σοφία"),
}
# Months, days and forms of address have capitals too, but a name cannot replace them.
_CAPITALISED = """
    January February March April May June July August September October November December
    Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Wed Thu Fri Sat Sun
    Monday Tuesday Wednesday Thursday Friday Saturday Sunday Mr Mrs Ms Dr Prof Sr Sra Don Doña
"""
NO_NAMES = frozenset(_CAPITALISED.split())
_OPENING = " \t\"'«“„‘(["  # may stand before the first word
_BEFORE_A_SENTENCE = ".!?…:;¿¡\n"


def name_swapped(text: str, rng: Random) -> Change | None:
    """Replace one capitalised word by another name everywhere; None if there is none inside a sentence."""
    text_words = words(text)
    inside = [_name(text, word) for word in text_words if not _opens(text, word)]
    names = list(dict.fromkeys(name for name in inside if name))
    if not names:
        return None
    old = rng.choice(names)
    script = next(word.script for word in text_words if _name(text, word) == old)
    here = {name for word in text_words if (name := _name(text, word))}
    others = [name for name in NAMES[script] if name not in here]
    if not others:
        return None
    new = rng.choice(others)
    named = (word for word in text_words if _name(text, word) == old)
    return edited(text, [(word.start, word.start + len(old), new) for word in named])


def _name(text: str, word: TextWord) -> str | None:
    """The part of a capitalised word before an apostrophe: Tom of Tom's; None for other words."""
    bare = word.of(text)
    for apostrophe in APOSTROPHES:
        bare = bare.partition(apostrophe)[0]
    capitalised = len(bare) > 1 and bare[0].isupper() and not bare[1:].isupper() and bare[-1].isalpha()
    return bare if capitalised and word.script in NAMES and bare not in NO_NAMES else None


def _opens(text: str, word: TextWord) -> bool:
    """Whether a sentence begins with the word, so that its capital does not make it a name."""
    before = text[: word.start].rstrip(_OPENING)
    return not before or before[-1] in _BEFORE_A_SENTENCE


NAME_SWAPPED = Counterfactual(
    "name-swapped",
    position=60,
    title="another name",
    sentence="A capitalised word inside the sentence becomes another name.",
    keeps_meaning=False,
    change=name_swapped,
)
