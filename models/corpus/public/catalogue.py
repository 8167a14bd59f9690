"""The public corpora by name: where each is published, under which licence, and how large its parts are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

SENTENCES, PRONUNCIATIONS, TRANSLITERATIONS = "sentences", "pronunciations", "transliterations"

_CMUDICT_URL = "https://raw.githubusercontent.com/cmusphinx/cmudict/0f8072f814306c5ee4fbf992ed853601b12c01f9/"
_KATAKANA_URL = (
    "https://raw.githubusercontent.com/steveash/NETransliteration-COLING2018/"
    "5d5f59e561ecea45a6d3602121e1049baa7a76c3/data/"
)


@dataclass(frozen=True)
class PublicFile:
    """One file as it is published."""

    name: str  # its name on disk and at a mirror; no two files share one
    url: str
    max_bytes: int  # several times its size; a longer file is another one
    member: str = ""  # the text within it, for a zip archive
    is_notice: bool = False  # terms that must travel with the corpus


@dataclass(frozen=True)
class PublicCorpus:
    """A corpus of two columns, English (or Latin script) first."""

    title: str
    kind: str  # SENTENCES, PRONUNCIATIONS or TRANSLITERATIONS
    files: tuple[PublicFile, ...]
    licence: str
    attribution: str
    held_out: int = 2000  # the most lines of the validation set, and of the test set
    disjoint_targets: bool = True  # False: targets are short, so some belong to several sources
    second_language: str = ""


def _sentences(code: str, language: str, held_out: int = 2000) -> PublicCorpus:
    archive = PublicFile(
        f"{code}-eng.zip", f"https://www.manythings.org/anki/{code}-eng.zip", 60_000_000, f"{code}.txt"
    )
    return PublicCorpus(
        title=f"English and {language} sentences",
        kind=SENTENCES,
        files=(archive,),
        licence="CC BY 2.0 FR",
        attribution="Sentences from the Tatoeba project (https://tatoeba.org), via www.manythings.org/anki, "
        "licensed CC BY 2.0 FR (https://creativecommons.org/licenses/by/2.0/fr/). "
        "Changes: cleaned, filtered, de-duplicated and split.",
        held_out=held_out,
        second_language=code,
    )


CORPORA: Mapping[str, PublicCorpus] = MappingProxyType(
    {
        "eng-spa": _sentences("spa", "Spanish"),
        "eng-fra": _sentences("fra", "French"),
        "eng-cmn": _sentences("cmn", "Mandarin Chinese", held_out=1000),
        "g2p-cmudict": PublicCorpus(
            title="English words and their pronunciations",
            kind=PRONUNCIATIONS,
            files=(
                PublicFile("cmudict.dict", f"{_CMUDICT_URL}cmudict.dict", 20_000_000),
                PublicFile("cmudict-LICENSE", f"{_CMUDICT_URL}LICENSE", 100_000, is_notice=True),
            ),
            licence="BSD-2-Clause",
            attribution="The CMU Pronouncing Dictionary (https://github.com/cmusphinx/cmudict), "
            "copyright 1993-2015 Carnegie Mellon University. "
            "Changes: filtered, stress marks removed, de-duplicated and split.",
            disjoint_targets=False,
        ),
        "translit-eng-katakana": PublicCorpus(
            title="Words of names in Latin script and in Japanese katakana",
            kind=TRANSLITERATIONS,
            files=tuple(
                PublicFile(name, f"{_KATAKANA_URL}{name}", 20_000_000)
                for name in ("wd_katakana_64", "wd_katakana_16", "wd_katakana_20")
            ),
            licence="CC0 1.0",
            attribution="Mined from Wikidata by Merhav and Ash, Design Challenges in Named Entity "
            "Transliteration, COLING 2018 (https://github.com/steveash/NETransliteration-COLING2018). "
            "Changes: filtered, de-duplicated and split again.",
            disjoint_targets=False,
        ),
    }
)
