"""SOURCE.md: the origin, the terms and the changes of a prepared corpus."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path

from models.corpus.public.catalogue import (
    PRONUNCIATIONS,
    SENTENCES,
    TRANSLITERATIONS,
    PublicCorpus,
    PublicFile,
)
from models.corpus.public.cleaning import SPLIT_SEED, Cleaner, Parts

_CHANGE_TEXTS = {
    SENTENCES: "Unicode NFC; no-break and thin spaces made plain, invisible characters removed, en dashes "
    "made hyphens{quotes}. Copies of their source and pairs of more than 40 tokens on a side are left out.",
    PRONUNCIATIONS: "Stress digits and comments removed; further pronunciations of a word are further pairs. "
    "Single letters and words with digits, dots or hyphens are left out.",
    TRANSLITERATIONS: "The three published files are pooled; spaces between katakana removed. Single "
    "characters, words in other scripts and pairs whose lengths do not fit are left out. Names that were "
    "mined wrongly remain.",
}
_SPLIT_RULES = {
    SENTENCES: "no source and no target is in two files, whatever its case and marks",
    PRONUNCIATIONS: "no word is in two files, with or without an apostrophe at its end; pronunciations "
    "may be",
    TRANSLITERATIONS: "no Latin word is in two files; katakana may be",
}
_CHINESE_CHANGES = (
    "; traditional characters made simplified by OpenCC, marks after Chinese characters made full-width and "
    "spaces between them removed"
)


def first_line(name: str) -> str:
    """The first line of the note, which identifies the corpus."""
    return f"# {name}"


def source_note(
    name: str,
    corpus: PublicCorpus,
    files: Mapping[PublicFile, Path],
    mirror: str,
    cleaners: Sequence[Cleaner],
    parts: Parts,
) -> str:
    """The text of SOURCE.md.

    files: the published files and their paths on disk. mirror: the address that they came from, "" for their
    publishers.
    """
    fetched = "\n".join(_file_line(file, path) for file, path in files.items())
    if mirror:
        fetched += f"\n\nThey were downloaded from the mirror {mirror}."
    rows = {"train.tsv.gz": parts.train, "valid.tsv": parts.valid, "test.tsv": parts.test}
    table = "\n".join(
        f"| {file} | {len(pairs)} | {len({source for source, _ in pairs})} | "
        f"{len({target for _, target in pairs})} |"
        for file, pairs in rows.items()
    )
    split = f"Split with seed {SPLIT_SEED}: {_SPLIT_RULES[corpus.kind]}."
    return f"""{first_line(name)}

{corpus.title}: two columns with a tab between, UTF-8, no header.

Licence: {corpus.licence}

Attribution: {corpus.attribution}

## Fetched

{fetched}

## Files

| file | lines | sources | targets |
|---|--:|--:|--:|
{table}

## Changes

{_changes(corpus)} If a pair occurs twice, the first is kept.

{_left_out(cleaners, parts)}

{split} Pairs with the same source stand on consecutive lines.
"""


def _file_line(file: PublicFile, path: Path) -> str:
    date = datetime.fromtimestamp(path.stat().st_mtime, timezone.utc).date().isoformat()
    content = path.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    return f"- {file.name}: {file.url}, {date}, {len(content)} bytes, SHA-256 {digest}"


def _changes(corpus: PublicCorpus) -> str:
    chinese = corpus.second_language == "cmn"
    quotes = _CHINESE_CHANGES if chinese else "; curly quotes made straight"
    return _CHANGE_TEXTS[corpus.kind].format(quotes=quotes)


def _left_out(cleaners: Sequence[Cleaner], parts: Parts) -> str:
    counts = sum((cleaner.dropped for cleaner in cleaners), Counter())
    if parts.dropped:
        counts["target held out for validation or testing"] = parts.dropped
    lines = sum(cleaner.lines for cleaner in cleaners)
    reasons = "; ".join(f"{reason}: {count}" for reason, count in counts.items()) or "none"
    return f"Lines read: {lines}. Left out: {reasons}."
