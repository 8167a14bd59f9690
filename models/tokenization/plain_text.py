"""The text that every tokenizer reads: ordinary white space, and nothing that cannot be seen.

People paste no-break spaces, tabs, soft hyphens and zero-width marks without seeing them, and no vocabulary
has them. Some invisible characters belong to the spelling, and stay: joiners in scripts that shape letters by
them, such as Persian and Hindi; zero-width spaces in scripts without spaces between words, such as Khmer;
joiners of emoji; selectors of variants of ideographs; fillers of old Hangul.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from models.errors import Message

NO_TEXT = Message("no_text", "There is no text to decode. Type a sentence first.")
_BLANK = "\u2800\u3164\uffa0"  # drawn as wide as a letter, but empty
_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_INVISIBLE = (
    "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# Characters of both kinds that are printable according to Python.
_PRINTABLE = re.compile(f"[{_BLANK}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f{_SELECTORS}]")

# Scripts whose letters take other shapes by a joiner, and scripts without spaces between words.
_SHAPED = (
    "\u0600-\u109f\u1700-\u17b3\u17b6-\u180a\u1810-\u18af\u1900-\u1cff"
    "\ua800-\ua95f\ua980-\uabff\ufb50-\ufdff\ufe70-\ufefc\U00010a00-\U00011fff"
)
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17b3\u17b6-\u17ff\u1950-\u19df\u1a20-\u1aaf\ua9e0-\ua9ff\uaa60-\uaadf"
)
_DRAWING = "\u00a9\u00ae\u203c\u2049\u2100-\u27ff\u2900-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_EMOJI = f"[{_DRAWING}]\ufe0f?[\U0001f3fb-\U0001f3ff]?"
_SPELLING = (
    f"[{_SHAPED}][\u200c\u200d]",
    f"[{_UNSPACED}]\u200b",
    "[0-9#*]\ufe0f?\u20e3",  # keycaps
    "\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f",  # flags of regions
    f"{_EMOJI}(?:\u200d{_EMOJI})*",
    f"[\u1000-\u109f\u2200-\u22ff\u3001-\u303f\u3400-\u9fff\ua840-\ua87f\uf900-\ufaff\U00020000-\U0003ffff][{_SELECTORS}]",
    "[\u1807\u1810-\u18af][\u180b-\u180f]",
    "[\u1100-\u115f\ua960-\ua97c][\u1160-\u11a7]",
)
_UNUSUAL = re.compile(
    f"(?P<spelling>{'|'.join(_SPELLING)})"
    rf"|(?P<space>[{_INVISIBLE}]*[\s{_BLANK}][\s{_BLANK}{_INVISIBLE}]*)"
    f"|[{_INVISIBLE}]+"
)
# The tokens with a meaning of their own, which every vocabulary begins with.
PAD, UNK, BOS, EOS = "<pad>", "<unk>", "<s>", "</s>"
SPECIAL_TOKENS = (PAD, UNK, BOS, EOS)


@dataclass(frozen=True)
class PlainText:
    """A text as a tokenizer reads it, and the positions of its characters in the text as typed."""

    typed: str  # the typed text, with U+FFFD for each half of a surrogate pair
    text: str  # N characters
    starts: Sequence[int]  # N, in `typed`
    ends: Sequence[int]  # N: a space stands for all the white space that it replaces

    @classmethod
    def of(cls, typed: str) -> PlainText:
        """Keep single spaces between words, and the invisible characters that belong to words."""
        if _is_plain(typed):
            return cls(typed, typed, range(len(typed)), range(1, len(typed) + 1))
        # JSON can carry half a surrogate pair, but UTF-8 cannot.
        typed = re.sub("[\ud800-\udfff]", "\ufffd", typed)
        characters: list[tuple[str, int, int]] = []
        index = 0
        for match in _UNUSUAL.finditer(typed):
            if match["spelling"]:
                continue
            characters += [(typed[i], i, i + 1) for i in range(index, match.start())]
            index = match.end()
            if match["space"] and characters and index < len(typed):
                characters.append((" ", match.start(), index))
        characters += [(typed[i], i, i + 1) for i in range(index, len(typed))]
        text = "".join(character for character, _, _ in characters)
        return cls(typed, text, [start for _, start, _ in characters], [end for _, _, end in characters])

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The span in `typed` of a part of `text`."""
        if start < end:
            return self.starts[start], self.ends[end - 1]
        position = self.starts[start] if start < len(self.text) else len(self.typed)
        return position, position


def plain_text(text: str) -> str:
    """The text of `PlainText.of` alone."""
    return text if _is_plain(text) else PlainText.of(text).text


def _is_plain(text: str) -> bool:
    """A quick check; it says no for some plain texts, such as those with emoji."""
    if not text.isprintable() or "  " in text or text != text.strip(" "):
        return False
    return text.isascii() or not _PRINTABLE.search(text)
