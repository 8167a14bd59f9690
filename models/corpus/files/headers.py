"""The names of columns: their words, the languages that they name, and whether a row holds such names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

_WORD = re.compile(r"[A-Z]?[a-zà-ÿ]+|[A-Z]+(?![a-zà-ÿ])|\d+|[^\W\d_]+")  # "sourceText" has two

_LANGUAGE_CODE = re.compile(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,4})*")  # "en", "en-US", "zh_Hans"
# Words in the headers of parallel texts, besides languages.
_HEADER_WORDS = frozenset(
    re.findall(
        r"\w+",
        """source target src tgt trg input output text texts sentence sentences translation translations label
        question answer prompt completion response original reference ref hypothesis hyp mt system prediction
        context id score comet language lang from to word phrase meaning""",
    )
)
# Names of columns that number the rows. They count only beside a header word or a language.
_NUMBERING = frozenset(("index", "unnamed", "idx", "row", "nr"))
# A line for each language: two letters, three letters, names.
_LANGUAGES = """en eng english
es spa spanish
fr fra fre french
de deu ger german
it ita italian
pt por portuguese
nl nld dutch
zh zho cmn chinese mandarin
yue cantonese
ja jpn japanese
ko kor korean
ru rus russian
uk ukr ukrainian
pl pol polish
cs ces czech
sk slk slovak
hu hun hungarian
ro ron romanian
bg bul bulgarian
el ell greek
tr tur turkish
ar ara arabic
he heb hebrew
fa fas persian
hi hin hindi
bn ben bengali
ur urd urdu
ta tam tamil
te tel telugu
th tha thai
vi vie vietnamese
id ind indonesian
ms msa malay
sw swa swahili
fi fin finnish
sv swe swedish
no nb nn nor norwegian
da dan danish
is isl icelandic
et est estonian
lv lav latvian
lt lit lithuanian
ca cat catalan
eu eus basque
gl glg galician
la lat latin
eo epo esperanto
cy cym welsh
ga gle irish
sr srp serbian
hr hrv croatian
sl slv slovenian
mk mkd macedonian
sq sqi albanian
hy hye armenian
ka kat georgian
az aze azerbaijani
kk kaz kazakh
mn mon mongolian
my mya burmese
km khm khmer
lo lao
ne nep nepali
si sin sinhala
ml mal malayalam
mr mar marathi
gu guj gujarati
pa pan punjabi
kn kan kannada
am amh amharic
yo yor yoruba
ha hau hausa
zu zul zulu
af afr afrikaans"""
_BY_WORD = {word: line.split()[0] for line in _LANGUAGES.splitlines() for word in line.split()}


def words(name: str) -> list[str]:
    """The words of a column's name in lower case, the same for "sourceText", "source_text", "Source text"."""
    return [word.lower() for word in _WORD.findall(name)]


def language(name: str) -> str:
    """The code of the language that a column is named after: "Spanish", "spa_Latn", "text_es"; "" if none."""
    parts = words(name)
    if len(parts) > 1 and parts[0] in _HEADER_WORDS:
        return _BY_WORD.get(parts[-1], "")
    language_word = next((part for part in parts if _names_language([part])), "")
    return (
        _BY_WORD.get(language_word or parts[0], "")
        if language_word or _LANGUAGE_CODE.fullmatch(name.strip())
        else ""
    )


def is_language_code(text: str) -> bool:
    """Whether a text is a language's name or its code, with or without a region: "es", "pt-BR"."""
    return re.split("[-_]", text.strip().lower())[0] in _BY_WORD


def looks_like_header(
    cells: Sequence[str], following: Iterable[Sequence[str]], header_names: Collection[str] = ()
) -> bool:
    """Whether a first row is a header: it has different short names, and at least two are header words.

    Codes of languages are also words ("no", "it"), so they count only if the following rows have longer
    texts. The first name may be missing, since pandas writes none for its index. A row with all
    `header_names` is a header.
    """
    cell_texts = [cell.strip() for cell in cells]
    if header_names and set(header_names) <= set(cell_texts):
        return True
    if len(cell_texts) > 2 and not cell_texts[0]:
        cell_texts = cell_texts[1:]
    names = [name.lower() for name in cell_texts]
    if len(set(names)) < len(names) or not all(0 < len(name) <= 40 for name in names):
        return False
    parts = [words(name) for name in cell_texts]
    if all(is_language_code(name) for name in names) and not any(map(_names_language, parts)):
        lengths = [len(cell) for row in following for cell in row]
        return sum(lengths) > 5 * len(lengths)
    num_header_words = sum(bool(_HEADER_WORDS & set(part)) or _names_language(part) for part in parts)
    num_codes = (
        sum(is_language_code(name) for name in names) if any(_NUMBERING & set(p) for p in parts) else 0
    )
    return max(num_header_words, num_codes) >= 2


def _names_language(parts: Sequence[str]) -> bool:
    """Whether one of the words is the name of a language. Codes do not count: they are words, too."""
    return any(len(part) > 3 and part in _BY_WORD for part in parts)
