"""Another name: if the translation stays the same, the network ignored it."""

from __future__ import annotations

from random import Random

from models.evaluation.counterfactuals.counterfactual import Counterfactual, apply_edits
from models.evaluation.counterfactuals.words import APOSTROPHES, TextWord, words

# Names that many languages share, by script. Without capitals, names look like other words.
SHARED_NAMES = {
    "LATIN": ("Anna", "Daniel", "David", "Laura", "Lisa", "Maria", "Martin", "Oscar", "Robert", "Sara"),
    "CYRILLIC": ("Анна", "Борис", "Вера", "Иван", "Лев", "Мария", "Олег", "Ольга", "Павел", "Роман"),
    "GREEK": ("Άννα", "Γιώργος", "Ελένη", "Κώστας", "Μαρία", "Νίκος", "Πέτρος", "Σοφία"),
}
# Months, days and forms of address have capitals too, but a name cannot replace them.
_NO_NAME_WORDS = """
    January February March April May June July August September October November December
    Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Wed Thu Fri Sat Sun
    Monday Tuesday Wednesday Thursday Friday Saturday Sunday Mr Mrs Ms Dr Prof Sr Sra Don Doña
"""
NO_NAMES = frozenset(_NO_NAME_WORDS.split())
_OPENING_MARKS = " \t\"'«“„‘(["  # they may stand before the first word of a sentence
_SENTENCE_ENDS = ".!?…:;¿¡\n"


def swap_name(text: str, rng: Random) -> str | None:
    """Replace one capitalised word by another name wherever it occurs; None if no sentence has one inside."""
    text_words = words(text)
    inside = [_name(text, word) for word in text_words if not _begins_sentence(text, word)]
    names = list(dict.fromkeys(name for name in inside if name))
    if not names:
        return None
    old_name = rng.choice(names)
    script = next(word.script for word in text_words if _name(text, word) == old_name)
    present = {name for word in text_words if (name := _name(text, word))}
    candidates = [name for name in SHARED_NAMES[script] if name not in present]
    if not candidates:
        return None
    new_name = rng.choice(candidates)
    occurrences = (word for word in text_words if _name(text, word) == old_name)
    return apply_edits(text, [(word.start, word.start + len(old_name), new_name) for word in occurrences])


def _name(text: str, word: TextWord) -> str | None:
    """The part of a capitalised word before an apostrophe: Tom of Tom's; None for other words."""
    stem = word.spelling(text)
    for apostrophe in APOSTROPHES:
        stem = stem.partition(apostrophe)[0]
    capitalised = len(stem) > 1 and stem[0].isupper() and not stem[1:].isupper() and stem[-1].isalpha()
    return stem if capitalised and word.script in SHARED_NAMES and stem not in NO_NAMES else None


def _begins_sentence(text: str, word: TextWord) -> bool:
    """Whether the word begins a sentence. Its capital does not show a name then."""
    before = text[: word.start].rstrip(_OPENING_MARKS)
    return not before or before[-1] in _SENTENCE_ENDS


NAME_SWAPPED = Counterfactual(
    "name-swapped",
    position=60,
    title="another name",
    sentence="A capitalised word inside the sentence becomes another name.",
    keeps_meaning=False,
    change=swap_name,
)
