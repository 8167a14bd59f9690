"""Variants of a checkpoint: pairs of languages, or tasks, named after an @; how to find them in its files.

"facebook/nllb-200-distilled-600M@eng_Latn-spa_Latn", "google-t5/t5-small@translation_en_to_de": all variants
have the same weights; special tokens or a prefix tell the network what to do. Imports no torch.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

from models.errors import Message, UnrolledError, not_a_mapping, not_texts
from models.registry.card import DescriptionError
from models.registry.checkpoint import CheckpointConfig
from models.registry.name import VARIANT_MARK, is_variant
from models.tokenization.hugging_face_pieces import gap_ids

LANGUAGE_SEPARATOR = "-"
# ISO 639-3 codes, which some models use, and the two letters of BCP 47 (RFC 5646, section 2.2.1).
TWO_LETTERS = dict(
    pair.split(":")
    for pair in (
        *("arb:ar", "deu:de", "eng:en", "fra:fr", "hin:hi", "ita:it", "jpn:ja", "kor:ko", "nld:nl"),
        *("pol:pl", "por:pt", "rus:ru", "spa:es", "tur:tr", "ukr:uk", "vie:vi", "zho:zh"),
    )
)
COMMON_TARGETS = ("es", "fr", "de")  # offered before other target languages
GAPS_VARIANT = "special_tokens"  # the variant that reads "<mask>" and "<extra_id_0>" as tokens
LANGUAGE_TAGS = (">>", "<2")  # a prefix that begins so names the language to write, as ">>fra<<", "<2fr>"
TASK_LANGUAGES = re.compile(r"translation_([a-z]{2,3})_to_([a-z]{2,3})")
LANGUAGE_TOKEN = re.compile(r"[a-z]{2,3}_[A-Z]{2}|[a-z]{3}_[A-Z][a-z]{3}")  # "es_XX", "spa_Latn"
LANGUAGE_TAG = re.compile(r"<2([a-z]{2,3}(?:_[A-Z][a-z]{3})?)>")  # MADLAD's "<2es>", "<2sr_Latn>"
PLAIN_VARIANT = "plain"  # the variant without a prefix
MAX_LABEL_CHARACTERS = 100  # the name or prefix of a task, or the code of a language


class VariantError(UnrolledError, LookupError):
    """The checkpoint has no such variant; the message says which it has."""


@dataclass(frozen=True)
class Variants:
    """The variants of a network: languages to read and to write, or tasks with the prefix of each."""

    sources: tuple[str, ...] = ()  # codes of languages in the spelling of its tokenizer
    targets: tuple[str, ...] = ()
    tasks: tuple[tuple[str, str], ...] = ()  # (name, prefix of a source)

    @classmethod
    def of(cls, network: Mapping[str, Any]) -> Variants:
        """The variants in a checkpoint's configuration. Raises ValueError if it is invalid."""
        result = network.get("variants") or {}
        if not isinstance(result, Mapping):
            raise DescriptionError(not_a_mapping("variants", result))
        tasks = tuple((name, prefix) for name, prefix in result.get("tasks", ()))
        variants = cls(tuple(result.get("sources", ())), tuple(result.get("targets", ())), tasks)
        texts = (*variants.sources, *variants.targets, *(part for task in tasks for part in task))
        if not all(isinstance(text, str) for text in texts):
            raise DescriptionError(not_texts("variants", result))
        return variants

    def __bool__(self) -> bool:
        return bool(self.targets or self.tasks)

    def first(self) -> str:
        """The default variant: from English if possible, into another language."""
        if self.tasks:
            return self.tasks[0][0]
        source = next((code for code in self.sources if bcp47(code) == "en"), next(iter(self.sources), ""))
        preferred = COMMON_TARGETS if bcp47(source) in ("en", "") else ("en",)
        by_language = {bcp47(code): code for code in reversed(self.targets)}
        codes = [by_language[tag] for tag in preferred if tag in by_language]
        targets = [code for code in self.targets if code != source]
        return LANGUAGE_SEPARATOR.join(filter(None, (source, *[*codes, *targets, source][:1])))

    def tokenizer_arguments(self, variant: str) -> dict[str, Any]:
        """The arguments of `HuggingFaceTokenizer.in_variant`. Raises VariantError."""
        prefixes = dict(self.tasks)
        if variant in prefixes:
            settled = {"source_language": "", "target_language": "", "prefix": prefixes[variant]}
            return {**settled, "reads_gaps": True} if variant == GAPS_VARIANT else settled
        source, _, target = variant.rpartition(LANGUAGE_SEPARATOR)
        if (
            self.targets
            and target in self.targets
            and (source in self.sources if source else not self.sources)
        ):
            return {"source_language": source, "target_language": target, "prefix": ""}
        raise self._unknown(variant)

    def _unknown(self, variant: str) -> VariantError:
        if self.tasks:
            return VariantError(
                "no_such_variant_task",
                "there is no task {task}; there are: {tasks}.",
                task=repr(variant),
                tasks=", ".join(name for name, _ in self.tasks),
            )
        if self.targets:
            example = Message(
                "example_of_pair",
                "{pair}: {count} languages to write",
                pair=repr(self.first()),
                count=len(self.targets),
            )
            return VariantError(
                "no_such_pair",
                "there is no pair of languages {pair}. They are named as in {example}.",
                pair=repr(variant),
                example=example,
            )
        return VariantError(
            "no_variants", "it has no variants; leave out {variant}.", variant=repr(VARIANT_MARK + variant)
        )


def with_variant(config: CheckpointConfig, variant: str) -> CheckpointConfig:
    """The settings of a variant, "" being the first. Raises VariantError, ValueError."""
    variants = Variants.of(config.network)
    if not variant and not variants:
        return config
    variant = variant or variants.first()
    settled = variants.tokenizer_arguments(variant)
    languages = _languages(config, variant, settled)
    return replace(
        config,
        network={**config.network, "settled": settled, "variant": variant},
        source_language=languages[0],
        target_language=languages[1],
    )


def _languages(config: CheckpointConfig, variant: str, settled: Mapping[str, str]) -> tuple[str, str]:
    languages_of_task = TASK_LANGUAGES.fullmatch(variant)
    if languages_of_task:
        return languages_of_task[1], languages_of_task[2]
    if settled["prefix"].startswith(LANGUAGE_TAGS):
        return config.source_language, bcp47(variant)
    if settled["target_language"]:
        source = bcp47(settled["source_language"]) or config.source_language
        return source, bcp47(settled["target_language"])
    return config.source_language, config.source_language if settled["prefix"] else config.target_language


def bcp47(code: str) -> str:
    """The BCP 47 tag of a model's code for a language: "eng_Latn" -> "en", "es_XX" -> "es", "fra" -> "fr"."""
    language = code.strip("<>_").split("_")[0].lower()
    return TWO_LETTERS.get(language, language)


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
