"""The languages or tasks of a network of the transformers library, according to its files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeGuard

from models.registry.name import is_variant
from models.registry.variant import COMMON_TARGETS, GAPS_VARIANT, TASK_LANGUAGES, Variants, bcp47
from models.tokenization.hugging_face_pieces import gap_ids

LANGUAGE_TOKEN = re.compile(r"[a-z]{2,3}_[A-Z]{2}|[a-z]{3}_[A-Z][a-z]{3}")  # "es_XX", "spa_Latn"
LANGUAGE_TAG = re.compile(r"<2([a-z]{2,3}(?:_[A-Z][a-z]{3})?)>")  # MADLAD's "<2es>", "<2sr_Latn>"
PLAIN_VARIANT = "plain"  # the variant without a prefix
MAX_LABEL_CHARACTERS = 100  # the name or prefix of a task, or the code of a language


def variants_of(tokenizer: Any, settings: Mapping[str, Any]) -> Variants:
    """The languages whose codes are tokens, or the tasks that the model's configuration names."""
    codes = getattr(tokenizer, "supported_language_codes", None) or ()
    marian = tuple(code for code in codes if _is_label(code) and _is_task(code.strip("<>")))
    if marian:  # a token at the start of the source names the language to write
        return Variants(tasks=tuple((code.strip("<>"), f"{code} ") for code in marian))
    tags = [tag[1] for tag in map(LANGUAGE_TAG.fullmatch, tokenizer.get_vocab()) if tag]
    if tags:
        ordered = sorted(tags, key=lambda code: (*(code != common for common in COMMON_TARGETS), code))
        return Variants(tasks=tuple((code, f"<2{code}> ") for code in ordered))
    # The code begins the output. An mBART whose decoder starts with a code was tuned for one pair.
    if hasattr(tokenizer, "src_lang") and type(tokenizer).__name__ != "MBartTokenizer":
        by_code = getattr(tokenizer, "lang_code_to_id", None)
        codes = by_code or filter(LANGUAGE_TOKEN.fullmatch, tokenizer.get_vocab())
        languages = tuple(sorted(codes))
        return Variants(languages, languages)
    prefixes = _prefixes(settings.get("task_specific_params"))
    gaps = ((GAPS_VARIANT, ""),) if gap_ids(tokenizer) else ()
    if not prefixes and not gaps:
        return Variants()
    tasks = sorted(prefixes.items(), key=lambda task: TASK_LANGUAGES.fullmatch(task[0]) is None)
    return Variants(tasks=(*tasks, (PLAIN_VARIANT, ""), *gaps))


def _prefixes(tasks: object) -> dict[str, str]:
    """The prefix of each task; entries that are not short text are left out."""
    result = {
        name: task.get("prefix")
        for name, task in (tasks.items() if isinstance(tasks, Mapping) else ())
        if isinstance(task, Mapping) and name not in (PLAIN_VARIANT, GAPS_VARIANT)
    }
    return {name: prefix for name, prefix in result.items() if _is_task(name) and _is_label(prefix)}


def _is_label(text: object) -> TypeGuard[str]:
    return isinstance(text, str) and 0 < len(text) <= MAX_LABEL_CHARACTERS and text.isprintable()


def _is_task(text: object) -> bool:
    return _is_label(text) and is_variant(text)


def language_pair(tokenizer: Any) -> tuple[str, str]:
    """The two languages of a bilingual model as BCP 47 tags; "" where unknown."""
    codes = (getattr(tokenizer, name, None) for name in ("source_lang", "target_lang"))
    source, target = (bcp47(code) if _is_label(code) else "" for code in codes)
    return source, target
