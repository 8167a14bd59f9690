"""The names of columns: their words, the languages that they name, and whether a row holds such names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path


def word_set(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(re.findall(r"\w+", text))


# Words in the headers of parallel texts, besides languages.
HEADER_WORDS = word_set(
    """source target src tgt trg input output text texts sentence sentences translation translations
    translated label question answer prompt completion response original reference ref hypothesis hyp mt
    system prediction context id score comet language lang from to word phrase meaning"""
)
# Words for columns beside the texts. They count only beside a header word or a language.
SIDE_WORDS = word_set(
    """index unnamed idx row nr uid uuid key url link license licence attribution domain split topic genre
    category notes note comment file date"""
)
# Each line has the words for a language: its code of two letters, other codes and English names, then after a
# bar its names in other languages.
_LANGUAGES = [
    line.split(" | ")
    for line in Path(__file__).with_name("language_names.txt").read_text(encoding="utf-8").splitlines()
]
LANGUAGE_BY_WORD = {word: words.split()[0] for words, *_ in _LANGUAGES for word in words.split()}
_CODE_BY_WORD = {word: line[0].split()[0] for line in _LANGUAGES for word in " ".join(line).split()}
_MAX_NAME_CHARACTERS = 40
_WORD = re.compile(r"[A-Z]?[a-zà-ÿ]+|[A-Z]+(?![a-zà-ÿ])|\d+|[^\W\d_]+")  # "sourceText" has two

# Names of languages. Their codes are left out, since they are words, too.
_ENGLISH_NAMES, _LANGUAGE_NAMES = (
    frozenset(word for word in languages if len(word) > 3 or not word.isascii())
    for languages in (LANGUAGE_BY_WORD, _CODE_BY_WORD)
)
_LANGUAGE_CODE = re.compile(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,4})*")  # "en", "en-US", "zh_Hans"
# The script and the region of a language: "MX" of "es-MX", "Hant" and "TW" of "zh_Hant_TW", "419".
_VARIANT = re.compile(r"(?<![A-Za-z])([a-z]{2,3})((?:[-_](?:[A-Z][a-z]{3}|[A-Z]{2}|\d{3}))+)(?![A-Za-z0-9])")


def words(name: str) -> list[str]:
    """The words of a column's name in lower case, the same for "sourceText", "source_text", "Source text"."""
    return [word.lower() for word in _WORD.findall(name)]


def language(name: str) -> str:
    """The code of the language that a column is named after: "Spanish", "spa_Latn", "text_es"; "" if none."""
    name = _VARIANT.sub(lambda match: match[1] if match[1] in LANGUAGE_BY_WORD else match[0], name)
    parts = words(name)
    if len(parts) > 1 and parts[0] in HEADER_WORDS:
        return next((_CODE_BY_WORD[part] for part in reversed(parts[1:]) if part in _CODE_BY_WORD), "")
    language_word = next((part for part in parts if part in _LANGUAGE_NAMES), "")
    return (
        _CODE_BY_WORD.get(language_word or parts[0], "")
        if language_word or _LANGUAGE_CODE.fullmatch(name.strip())
        else ""
    )


def is_language_code(text: str) -> bool:
    """Whether a text is a language's name or its code, with or without a region: "es", "pt-BR"."""
    return re.split("[-_]", text.strip().lower())[0] in LANGUAGE_BY_WORD


def looks_like_header(
    cells: Sequence[str], following: Iterable[Sequence[str]], header_names: Collection[str] = ()
) -> bool:
    """Whether a first row is a header: it has short names, and at least two are header words.

    Codes of languages are also words ("no", "it"), so they count only if the following rows have longer
    texts. The first name may be missing, since pandas writes none for its index. Only header words may be
    repeated. A row with all `header_names` is a header.
    """
    cell_texts = [cell.strip() for cell in cells]
    if header_names and set(header_names) <= set(cell_texts):
        return True
    if len(cell_texts) > 2 and not cell_texts[0]:
        cell_texts = cell_texts[1:]
    if not all(0 < len(name) <= _MAX_NAME_CHARACTERS for name in cell_texts):
        return False
    names = [name.lower() for name in cell_texts]
    parts = [words(name) for name in cell_texts]
    counts = Counter(names)
    repeated = [part for name, part in zip(names, parts, strict=True) if counts[name] > 1]
    if len(counts) < 2 or not all(HEADER_WORDS.issuperset(part) for part in repeated):
        return False
    if all(map(_VARIANT.fullmatch, cell_texts)) and all(map(is_language_code, names)):
        return True
    if all(is_language_code(name) for name in names) and not any(map(_ENGLISH_NAMES.intersection, parts)):
        lengths = [len(cell) for row in following for cell in row]
        return sum(lengths) > 5 * len(lengths)
    num_header_words = sum(bool((HEADER_WORDS | _ENGLISH_NAMES) & set(part)) for part in parts)
    has_side_word = any((HEADER_WORDS | SIDE_WORDS) & set(part) for part in parts)
    num_codes = sum(map(is_language_code, names)) if has_side_word else 0
    return max(num_header_words, num_codes) >= 2 or _names_languages(parts)


def _names_languages(parts: Sequence[Sequence[str]]) -> bool:
    """Whether several names are those of different languages: a pair of words names the same one twice."""
    codes = [_CODE_BY_WORD[part[0]] for part in parts if len(part) == 1 and part[0] in _LANGUAGE_NAMES]
    return len(codes) == len(set(codes)) > 1
