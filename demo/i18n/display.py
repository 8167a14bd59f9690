"""Tokens and enums as strings that a person can read, escaped for Plotly by `plotly_text`.

Every function returns text: for `textContent` as it is, for Plotly only through `plotly_text`.
"""

from __future__ import annotations

import html
import math
import unicodedata
from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache

from demo.i18n import later, say
from models.decoding.status import Reason, Status

METASPACE = "▁"  # how SentencePiece and our BPE spell the space before a word
SPACE_SIGN = "␣"
EMPTY_SIGN = "∅"
MAX_LABEL = 14  # characters of a token in a figure
MAX_SPELLINGS = 20_000  # cached; the tokens of a trace are formatted again and again
MAX_DIGITS = 8  # the most digits of a small percentage
EXPONENTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

# Tasks of recipes, where a card has another word. A translator with one language may write sounds.
_CARD_TASKS = {"shapes": "image captioning", "translation": ""}  # an empty word: the card names the languages
# Characters that draw nothing, by the abbreviations of the Unicode standard.
_INVISIBLE = {
    **dict(zip("\u00ad\u034f\u061c\ufeff\u2060", ("SHY", "CGJ", "ALM", "BOM", "WJ"), strict=True)),
    **dict(zip("\u200b\u200c\u200d\u200e\u200f", ("ZWSP", "ZWNJ", "ZWJ", "LRM", "RLM"), strict=True)),
    **dict(zip("\u202a\u202b\u202c\u202d\u202e", ("LRE", "RLE", "PDF", "LRO", "RLO"), strict=True)),
    **dict(zip("\u2066\u2067\u2068\u2069", ("LRI", "RLI", "FSI", "PDI"), strict=True)),
    **dict(zip("\u115f\u1160\u3164\uffa0", ("HCF", "HJF", "HF", "HWHF"), strict=True)),  # fillers of Hangul
    **{chr(0xFE00 + number): f"VS{number + 1}" for number in range(16)},
    **{chr(0xE0100 + number): f"VS{number + 17}" for number in range(240)},
}
_SIGNS = {" ": SPACE_SIGN, METASPACE: SPACE_SIGN, "\n": "↵", "\r": "␍", "\t": "⇥", "\u00a0": "⍽", "\x7f": "␡"}

_STATUS = {
    Status.KEPT: later("kept: the search went on from here"),
    Status.FINISHED: later("finished: a complete hypothesis"),
    Status.PRUNED: later("pruned: the search dropped it"),
}

_REASONS = {
    Reason.CHOSEN: later("Taken: this row follows one candidate only."),
    Reason.WITHIN_BEAM: later("Among the best that had not ended, so the beam kept it."),
    Reason.END_TOKEN: later("Ended, and ranked high enough to count as finished."),
    Reason.MAX_LENGTH: later("Cut off at the length limit, and ranked high enough to count."),
    Reason.DISPLACED: later("Finished, but better hypotheses finished too and took its place."),
    Reason.RANKED_BELOW: later("Enough better candidates went on, so the beam dropped it."),
    Reason.END_OUTSIDE_BEAM: later("Ended, but ranked outside the beam."),
    Reason.EARLY_STOP: later("Still alive when the search stopped."),
    Reason.FORCED: later("Forced by you, whatever the model says of it."),
    Reason.OPENING: later("What every output of this checkpoint begins with: the language to write."),
    Reason.CLOSING: later("At the length limit, where this checkpoint ends every output."),
    Reason.THRESHOLD: later("Too far behind the best candidate of its step, so the threshold dropped it."),
    Reason.GROUP_PENALTY: later("Dropped for its penalty: earlier groups had chosen the same token."),
    Reason.BOUND: later("Nothing that grows from it can beat the best finished output."),
    Reason.BUDGET: later("Not looked at: the search ended first."),
    Reason.FOR_WORDS: later("Kept for the required words, in place of a better candidate."),
    Reason.HELD_BACK: later("Dropped to make room for a candidate that is kept for the required words."),
    Reason.WITHOUT_WORDS: later("Ends without the required words, or leaves no room for them."),
}

_LANGUAGES = {
    "ar": later("Arabic"),
    "cmn": later("Chinese"),
    "de": later("German"),
    "en": later("English"),
    "es": later("Spanish"),
    "fr": later("French"),
    "it": later("Italian"),
    "ja": later("Japanese"),
    "pt": later("Portuguese"),
    "ru": later("Russian"),
    "zh": later("Chinese"),
}

# Names of tasks, metrics and strategies on the shipped cards.
CARD_WORDS = (
    *(later("Dates"), later("Histories"), later("Image captioning"), later("Spelling to sound")),
    *(later("Transliteration"), later("word error rate"), later("greedy")),
)


def capitalize(text: str) -> str:
    """Write the first letter as a capital, if the script has capitals; leave the rest as it is."""
    return text[:1].upper() + text[1:]


@lru_cache(MAX_SPELLINGS)
def display_token(surface: str) -> str:
    """A token with invisible characters made visible; special tokens are shown as they are."""
    if not surface:
        return EMPTY_SIGN
    visible = "".join(map(_visible, surface))
    first = surface[0]
    if not unicodedata.category(first).startswith("M"):
        return visible
    # A combining mark would otherwise attach to whatever stands before it, and some marks draw nothing.
    return _code_point_name(first) + visible[1:] if first in _INVISIBLE else f"◌{visible}"


@lru_cache(MAX_SPELLINGS)
def plotly_text(surface: str, limit: int = MAX_LABEL) -> str:
    """A token for Plotly, which reads `</s>` as a tag: shortened to `limit` characters, then escaped."""
    visible = display_token(surface)
    if len(visible) > limit:
        visible = visible[: limit - 1] + "…"
    return html.escape(visible, quote=False)


def status_sentence(status: Status) -> str:
    """The sentence that explains a status."""
    return say(_STATUS[status]) if status in _STATUS else status.value


def reason_sentence(reason: Reason) -> str:
    """The sentence that says why a candidate has its status."""
    return say(_REASONS[reason]) if reason in _REASONS else reason.value.replace("_", " ").capitalize() + "."


def language_name(code: str) -> str:
    """The name of the language of a BCP 47 code; the code itself if it is not in the list."""
    return say(_LANGUAGES[code]) if code in _LANGUAGES else code


def task_text(task: str, languages: Sequence[str]) -> str:
    """The kind of task, such as "Spanish → English" or "Image captioning"; empty if it is unknown."""
    if languages:
        return " → ".join(capitalize(language_name(code)) for code in languages)
    name = _CARD_TASKS.get(task, task)
    return say(capitalize(name)) if name else ""


def prefixes(number: int) -> str:
    """A number of prefixes in words."""
    return say("1 prefix") if number == 1 else say("{count} prefixes", count=f"{number:,}")


def number_text(value: float, digits: int = 2) -> str:
    """A number with a true minus sign, as wide as a digit; a value that rounds to zero has no sign."""
    if math.isinf(value):
        return "−∞" if value < 0 else "∞"
    text = f"{value:.{digits}f}"
    return text.replace("-", "−" if float(text) else "")


def short_text(value: float, digits: int = 3) -> str:
    """A number of any size with a few significant digits and a true minus sign."""
    return f"{value:.{digits}g}".replace("-", "−")


def plain_text(value: float) -> str:
    """A number with all its digits and no exponent."""
    return format(Decimal(repr(value)), "f").removesuffix(".0").replace("-", "−")


def whole_text(value: float) -> str:
    """A number without decimals, its thousands apart."""
    return f"{value:,.0f}".replace("-", "−")


def power_text(value: float) -> str:
    """A large positive number with one digit and a power of ten: 3 × 10⁷."""
    if math.isinf(value):
        return "∞"
    mantissa, exponent = f"{value:.0e}".split("e")
    return f"{mantissa} × 10{str(int(exponent)).translate(EXPONENTS)}"


def percent_text(probability: float) -> str:
    """A probability as a percentage; a very small one is written <0.1%, not 0%."""
    if 0 < probability < 0.001:
        return "<0.1%"
    return f"{100 * probability:.1f}%" if probability < 0.995 else f"{100 * probability:.0f}%"


def whole_percent_text(share: float) -> str:
    """A share as a percentage without decimals."""
    return f"{number_text(100 * share, 0)}%"


def chances_text(log_prob: float) -> str:
    """A probability as a percentage, followed by the log-probability in nats."""
    percent = small_percent_text(math.exp(log_prob))
    return say("{percent} ({value} nats)", percent=percent, value=number_text(log_prob))


def small_percent_text(probability: float) -> str:
    """Like `percent_text`, but a small value keeps its first digit, up to `MAX_DIGITS` decimals."""
    if not 0 < probability < 0.001:
        return percent_text(probability)
    digits = math.ceil(-math.log10(100 * probability))
    return (
        f"{100 * probability:.{digits}f}%" if digits <= MAX_DIGITS else f"<{10**-MAX_DIGITS:.{MAX_DIGITS}f}%"
    )


def _visible(character: str) -> str:
    if character in _SIGNS:
        return _SIGNS[character]
    category = unicodedata.category(character)
    if category == "Cc" and ord(character) < 32:
        return chr(0x2400 + ord(character))  # the control pictures block
    if category.startswith("Z"):
        return SPACE_SIGN
    # Format characters reorder or hide their neighbours; private, unassigned ones draw an empty box.
    blank = character in _INVISIBLE and category == "Lo"  # the fillers of Hangul
    return _code_point_name(character) if blank or category in {"Cc", "Cf", "Cs", "Co", "Cn"} else character


def _code_point_name(character: str) -> str:
    """The code point, after its abbreviation if it has one."""
    return f"⟨{' '.join(filter(None, (_INVISIBLE.get(character), f'U+{ord(character):04X}')))}⟩"
