"""The files of a repository of the Hub that make up a model that can be used here."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models.errors import Message
from models.hub.errors import HubError
from models.registry.card import CARD
from models.registry.checkpoint import CHECKPOINT_FORMAT, CONFIG, TOKENIZER, WEIGHTS
from models.registry.hugging_face.checks import oversized_setting
from models.registry.registry import EXAMPLE, QUALITY

NATIVE_KIND, TRANSFORMERS_KIND = "own", "transformers"
PICKLED_WEIGHTS = "pytorch_model.bin"
WEIGHTS_INDEX, PICKLED_INDEX = f"{WEIGHTS}.index.json", f"{PICKLED_WEIGHTS}.index.json"
NATIVE_FILES, NATIVE_EXTRAS = (CONFIG, WEIGHTS, TOKENIZER, CARD), (EXAMPLE, QUALITY)
VOCABULARY_FILES = (
    *("tokenizer.json", "vocab.json", "vocab.txt", "tokenizer.model", "spiece.model", "source.spm"),
    *("sentencepiece.bpe.model", "sentencepiece.model", "spm.model"),
)
TRANSFORMERS_EXTRAS = (
    *(CARD, "generation_config.json", "tokenizer_config.json", "special_tokens_map.json"),
    *("added_tokens.json", "merges.txt", "target.spm", "target_vocab.json"),
    *("vocab-src.json", "vocab-tgt.json"),
)
SHARD = re.compile(r"(?:pytorch_)?model-\d{5}-of-(\d{5})\.(?:safetensors|bin)")
# The types of AutoModelForSeq2SeqLM whose steps can all be shown and edited, see `HuggingFaceModel`.
SEQ2SEQ = frozenset(
    {
        *("bart", "bigbird_pegasus", "blenderbot", "blenderbot-small", "m2m_100", "marian", "mbart", "mt5"),
        *("pegasus", "t5", "t5gemma", "umt5"),
    }
)
OTHER_SEQ2SEQ = frozenset(
    {
        *("encoder-decoder", "fsmt", "led", "longt5", "mvp", "nllb-moe", "pegasus_x", "plbart"),
        *("prophetnet", "switch_transformers", "t5gemma2"),
    }
)
MAX_OTHER_BYTES = 100 << 20  # a file other than weights is read as a whole
CHOOSE_ANOTHER = Message(
    "choose_another_model", "choose one for text to text, such as Helsinki-NLP/opus-mt-en-de"
)


@dataclass(frozen=True)
class RepositoryFile:
    """A file as the Hub lists it at one commit."""

    name: str
    size: int  # bytes
    digest: str  # SHA-256 (64 hexadecimal digits) of a large file, SHA-1 (40) of a small one as Git's blob

    def matches(self, path: Path) -> bool:
        """Whether the file at `path` is this one, byte for byte."""
        if path.stat().st_size != self.size:
            return False
        with path.open("rb") as file:
            return self._is(iter(lambda: file.read(1 << 20), b""))

    def equals(self, content: bytes) -> bool:
        """Whether bytes in memory are this file."""
        return len(content) == self.size and self._is([content])

    def _is(self, blocks: Iterable[bytes]) -> bool:
        small = len(self.digest) == 40
        digest = hashlib.sha1(usedforsecurity=False) if small else hashlib.sha256()
        if small:
            digest.update(b"blob %d\0" % self.size)
        for block in blocks:
            digest.update(block)
        return digest.hexdigest() == self.digest


@dataclass(frozen=True)
class RepositoryListing:
    """A model of the Hub at one commit: the files to fetch, and the kind of checkpoint that they make."""

    repo_id: str  # "owner/name"
    commit: str  # 40 hexadecimal digits
    kind: str  # own or transformers
    files: tuple[RepositoryFile, ...]  # the files to fetch
    weights: tuple[str, ...]  # the names of the files with weights
    model_type: str = ""  # a type of the transformers library: "marian", "t5", ...
    licence: str = ""  # the licence of the card; "" if it names none
    languages: tuple[str, ...] = ()

    @property
    def bytes(self) -> int:
        """The size of all files together."""
        return sum(file.size for file in self.files)

    @property
    def weight_bytes(self) -> int:
        """The size of the weights alone."""
        return sum(file.size for file in self.files if file.name in self.weights)

    @property
    def converts(self) -> bool:
        """Whether the weights are a pickle, which must be converted to safetensors."""
        return any(name.endswith(".bin") for name in self.weights)


ModelFiles = tuple[str, tuple[str, ...], tuple[str, ...]]  # kind, names of files to fetch, names of weights


def choose(repo_id: str, config: Mapping[str, Any], present: Mapping[str, RepositoryFile]) -> ModelFiles:
    """Choose the files to fetch among the `present` ones. Raises HubError if they make no usable model."""
    check_settings(repo_id, config)
    kind, names, weights = (_native_files if "format_version" in config else _library_files)(
        repo_id, config, present
    )
    for name in names:
        if name not in weights and present[name].size > MAX_OTHER_BYTES:
            raise HubError(
                "hub_other_file_too_large",
                "{model} has a {file} of {size} MB: {remedy}",
                model=repo_id,
                file=name,
                size=f"{present[name].size / 1e6:.0f}",
                remedy=CHOOSE_ANOTHER,
            )
    return kind, names, weights


def _library_files(
    repo_id: str, config: Mapping[str, Any], present: Mapping[str, RepositoryFile]
) -> ModelFiles:
    if "auto_map" in config:
        raise HubError(
            "hub_own_code",
            "{model} wants to run code of its own, which is never run here: {remedy}",
            model=repo_id,
            remedy=CHOOSE_ANOTHER,
        )
    model_type = config.get("model_type")
    if isinstance(model_type, str) and model_type in OTHER_SEQ2SEQ:
        raise HubError(
            "hub_network_not_shown",
            "{model} is a {kind} network, which cannot be shown step by step: {remedy}",
            model=repo_id,
            kind=model_type,
            remedy=CHOOSE_ANOTHER,
        )
    if not isinstance(model_type, str) or model_type not in SEQ2SEQ:
        raise HubError(
            "hub_no_seq2seq",
            "{model} is not a sequence-to-sequence model that reads and writes text: {remedy}",
            model=repo_id,
            remedy=CHOOSE_ANOTHER,
        )
    if not any(name in present for name in (*VOCABULARY_FILES, "tokenizer_config.json")):
        raise HubError(
            "hub_no_tokenizer",
            "{model} holds no tokenizer that can be read here: {remedy}",
            model=repo_id,
            remedy=CHOOSE_ANOTHER,
        )
    weights, index = _weights(repo_id, present)
    other_files = (CONFIG, *TRANSFORMERS_EXTRAS, *VOCABULARY_FILES)
    names = (*weights, *index, *(name for name in dict.fromkeys(other_files) if name in present))
    return TRANSFORMERS_KIND, names, weights


def check_settings(repo_id: str, settings: object) -> None:
    """Raise HubError for sizes in a settings file that no model has and that would take hours."""
    problem = oversized_setting(settings)
    if problem is not None:
        raise HubError(
            "hub_number_too_large",
            "{model} {problem}: {remedy}",
            model=repo_id,
            problem=problem,
            remedy=CHOOSE_ANOTHER,
        )


def _native_files(
    repo_id: str, config: Mapping[str, Any], present: Mapping[str, RepositoryFile]
) -> ModelFiles:
    version = config["format_version"]
    if version != CHECKPOINT_FORMAT:
        raise HubError(
            "hub_other_format",
            "{model} has format version {version} where this program reads {own}: update the "
            "program, or choose another model",
            model=repo_id,
            version=repr(str(version)[:20]),
            own=CHECKPOINT_FORMAT,
        )
    missing = [name for name in NATIVE_FILES if name not in present]
    if missing:
        raise HubError(
            "hub_files_missing",
            "{model} lacks {files}: push the whole checkpoint again",
            model=repo_id,
            files=", ".join(missing),
        )
    return NATIVE_KIND, (*NATIVE_FILES, *(name for name in NATIVE_EXTRAS if name in present)), (WEIGHTS,)


def _weights(repo_id: str, present: Mapping[str, RepositoryFile]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The files of the weights, safetensors if there are any, and the index of shards."""
    for file_name, index in ((WEIGHTS, WEIGHTS_INDEX), (PICKLED_WEIGHTS, PICKLED_INDEX)):
        if file_name in present:
            return (file_name,), ()
        if index in present:
            stem, ending = file_name.rsplit(".", 1)
            shards = sorted(
                name
                for name in present
                if SHARD.fullmatch(name) and name.startswith(f"{stem}-") and name.endswith(ending)
            )
            if shards and {match[1] for match in map(SHARD.fullmatch, shards) if match} == {
                f"{len(shards):05}"
            }:
                return tuple(shards), (index,)
    raise HubError(
        "hub_no_weights",
        "{model} holds no complete weights in {file} or {other}: choose a model that has "
        "them, or convert it with the transformers library",
        model=repo_id,
        file=WEIGHTS,
        other=PICKLED_WEIGHTS,
    )
