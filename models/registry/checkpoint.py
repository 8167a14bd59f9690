"""Checkpoints: folders with a network, its tokenizer and its card, and how to read and write them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from models.corpus.files.columns import Hints
from models.errors import Message, brief, not_a_mapping, not_texts, not_whole, reason_of
from models.networks.architectures import build_model, network_config, reads_pictures
from models.networks.config import ConfigError, PictureConfig
from models.records import record
from models.registry.card import CheckpointError, DescriptionError, other_vocabulary, unreadable, unusable
from models.tokenization.pictures import PictureGrid
from models.tokenization.segmentation import TokenizerError
from models.tokenization.tokenizer import Tokenizer
from models.whole_file import finish, read_bytes, sha256, write_together

if TYPE_CHECKING:  # torch is imported only for weights, so cards and tokenizers stay quick to read
    import torch

    from models.decoding.trace import DecodingTrace
    from models.networks.base import Seq2SeqModel

CONFIG, WEIGHTS, TOKENIZER = "config.json", "model.safetensors", "tokenizer.json"
CHECKPOINT_FORMAT = 1
MAX_CHECKPOINT_BYTES = 16 << 30  # more than the weights of the largest network that is built
LFS_POINTER = b"version https://git-lfs"
LFS_PROBLEM = Message("lfs_pointer", "is a Git LFS pointer, not the file itself")
LFS_REMEDY = Message("lfs_pull", "Run `git lfs pull`.")
IS_LIBRARY_FOLDER = Message("raw_library_folder", "is a file of the transformers library")
ADOPT_FOLDER = Message(
    "adopt_folder", "Move the folder elsewhere, with its weights, and run `python -m models.registry FOLDER`."
)


@dataclass(frozen=True, kw_only=True)
class CheckpointConfig:
    """The content of `config.json`: the network, its languages or task, and its limits."""

    network: Mapping[str, Any]  # see `networks.config.network_dict`
    vocab_size: int
    task: str  # "translation", "reversal", ...
    source_language: str  # BCP 47, or "" where it is not a language
    target_language: str
    examples: tuple[str, ...] = ()  # source texts; the first is shown when the page opens
    max_length: int = 64  # the longest useful output, in tokens
    swapped_columns: bool = False  # the second column of its data files is the source
    usual_length: int | None = None  # tokens that 99 of 100 training sources do not exceed
    sha256: Mapping[str, str] = field(default_factory=dict)  # file name -> hex digest
    format_version: int = CHECKPOINT_FORMAT

    @property
    def hints(self) -> Hints:
        """The hints about the columns of a table of pairs for this checkpoint."""
        return Hints(languages=(self.source_language, self.target_language), swap=self.swapped_columns)

    def __post_init__(self) -> None:
        sizes = {"vocab_size": self.vocab_size, "max_length": self.max_length}
        if self.usual_length is not None:
            sizes["usual_length"] = self.usual_length
        for name, size in sizes.items():
            if not isinstance(size, int) or isinstance(size, bool) or size < 1:
                raise DescriptionError(not_whole(name, 1, size))
        for name in ("network", "sha256"):
            if not isinstance(getattr(self, name), Mapping):
                raise DescriptionError(not_a_mapping(name, getattr(self, name)))
        if not isinstance(self.examples, tuple) or not all(isinstance(text, str) for text in self.examples):
            raise DescriptionError(not_texts("examples", self.examples))

    @property
    def reads_pictures(self) -> bool:
        """Whether its sources are pictures; known without tokenizer or torch."""
        return reads_pictures(self.network)

    def languages(self, task: str) -> tuple[str, ...]:
        """Source and target language of a translator; empty for another `task` of a card."""
        languages = self.source_language, self.target_language
        return languages if task == "translation" and all(languages) else ()

    def reads_like(self, other: CheckpointConfig) -> bool:
        """Whether a source of one checkpoint fits the other.

        Both read pictures, or both read texts in the same language. If a language is unknown, the task must
        be the same.
        """
        same_kind = self.reads_pictures == other.reads_pictures
        return same_kind and self._shares(self.source_language, other.source_language, other)

    def writes_like(self, other: CheckpointConfig) -> bool:
        """Whether both write the same language; if one is unknown, whether they learned the same task."""
        return self._shares(self.target_language, other.target_language, other)

    def _shares(self, language: str, other_language: str, other: CheckpointConfig) -> bool:
        return language == other_language if language and other_language else self.task == other.task


@dataclass(frozen=True)
class Checkpoint:
    """A network ready to decode, with the tokenizer that it was trained with."""

    name: str
    config: CheckpointConfig
    tokenizer: Tokenizer
    model: Seq2SeqModel
    task: str = ""  # such as "translation"; empty without a card

    def sign(self, trace: DecodingTrace) -> DecodingTrace:
        """Return a trace that names this checkpoint and what it does."""
        languages = self.config.languages(self.task)
        return replace(trace, checkpoint=self.name, task=self.task, languages=languages)


def save_checkpoint(folder: Path, checkpoint: Checkpoint) -> None:
    """Write config, tokenizer and weights (fp16; a tied matrix once). This does not write the card."""
    import torch
    from safetensors.torch import save

    folder.mkdir(parents=True, exist_ok=True)
    tensors: dict[str, torch.Tensor] = {}
    saved: set[int] = set()
    for name, tensor in checkpoint.model.state_dict().items():
        if tensor.data_ptr() not in saved:
            saved.add(tensor.data_ptr())
            tensors[name] = tensor.detach().to("cpu", torch.float16).contiguous()
    contents = {WEIGHTS: save(tensors), TOKENIZER: checkpoint.tokenizer.to_json().encode()}
    digests = {file: sha256(content) for file, content in contents.items()}
    config = {**asdict(checkpoint.config), "sha256": digests}
    contents[CONFIG] = (json.dumps(config, indent=2, ensure_ascii=False) + "\n").encode()
    write_together(folder, contents)


def load_checkpoint(folder: Path, device: torch.device) -> Checkpoint:
    """Read a folder that `save_checkpoint` wrote. Raises CheckpointError naming the file and a remedy."""
    try:
        return _load(folder, device)
    except CheckpointError:
        if not finish(folder, CONFIG):
            raise
        return _load(folder, device)


def _load(folder: Path, device: torch.device) -> Checkpoint:
    from models.networks.base import without_weights

    config = load_config(folder)
    tokenizer = load_tokenizer(folder, config)
    try:
        network = network_config(config.network)
        with without_weights():
            model = build_model(network, config.vocab_size, Tokenizer.pad_id)
    except ConfigError as error:
        raise CheckpointError(folder.name, CONFIG, error.message) from error
    grid = PictureGrid(network.picture_size, network.cells) if isinstance(network, PictureConfig) else None
    if grid != tokenizer.picture:
        problem = Message(
            "other_pictures", "reads other pictures than the network of {config}", config=CONFIG
        )
        raise CheckpointError(folder.name, TOKENIZER, problem)
    _load_weights(folder, config, model)
    return Checkpoint(folder.name, config, tokenizer, model.to(device).eval())


def load_config(folder: Path) -> CheckpointConfig:
    """Read `config.json` alone. Raises CheckpointError."""
    try:
        data = json.loads(_read(folder, CONFIG).decode())
        if not isinstance(data, Mapping):
            raise DescriptionError(not_a_mapping(CONFIG, data))
        if "model_type" in data and "format_version" not in data:
            raise CheckpointError(folder.name, CONFIG, IS_LIBRARY_FOLDER, ADOPT_FOLDER)
        version = data["format_version"]
        if version != CHECKPOINT_FORMAT:
            problem = Message(
                "other_format",
                "has format version {version}, this program reads {own}",
                version=repr(version),
                own=CHECKPOINT_FORMAT,
            )
            raise CheckpointError(folder.name, CONFIG, problem)
        if unknown := data.keys() - {item.name for item in fields(CheckpointConfig)}:
            raise DescriptionError(
                "unknown_entries", "it has unknown entries: {names}", names=brief(sorted(unknown))
            )
        examples = data["examples"]
        if isinstance(examples, list):
            examples = tuple(examples)
        return record(CheckpointConfig, {**data, "examples": examples})
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise CheckpointError(folder.name, CONFIG, unreadable(reason_of(error))) from error


def load_tokenizer(folder: Path, config: CheckpointConfig) -> Tokenizer:
    """Read `tokenizer.json` alone, without torch. Raises CheckpointError."""
    _read_verified(folder, TOKENIZER, config)
    try:
        tokenizer = Tokenizer.load(folder / TOKENIZER)
    except TokenizerError as error:
        raise CheckpointError(folder.name, TOKENIZER, unusable(error.message)) from error
    if tokenizer.vocab_size != config.vocab_size:
        problem = other_vocabulary(tokenizer.vocab_size, config.vocab_size, CONFIG)
        raise CheckpointError(folder.name, TOKENIZER, problem)
    return tokenizer


def _load_weights(folder: Path, config: CheckpointConfig, model: Seq2SeqModel) -> None:
    from safetensors import SafetensorError
    from safetensors.torch import load

    tied: dict[int, list[str]] = {}  # id of a parameter -> all its names
    for name, parameter in model.named_parameters(remove_duplicate=False):
        tied.setdefault(id(parameter), []).append(name)
    content = _read_verified(folder, WEIGHTS, config)
    try:
        tensors = {name: t.float() for name, t in load(content).items()}
        result = model.load_state_dict(tensors, strict=False, assign=True)
    except (SafetensorError, RuntimeError) as error:
        problem = Message(
            "weights_do_not_fit",
            "does not fit the network of {config} ({reason})",
            config=CONFIG,
            reason=str(error).splitlines()[0],
        )
        raise CheckpointError(folder.name, WEIGHTS, problem) from error
    if not all(bool(tensor.isfinite().all()) for tensor in tensors.values()):
        problem = Message("weights_not_finite", "has weights that are not finite numbers")
        raise CheckpointError(folder.name, WEIGHTS, problem)
    missing = []
    for names in tied.values():
        present = next((name for name in names if name in tensors), None)
        if present is None:
            missing += names
            continue
        for name in names:  # the file has a tied matrix only once
            module, _, short_name = name.rpartition(".")
            setattr(model.get_submodule(module), short_name, model.get_parameter(present))
    if missing or result.unexpected_keys:
        problem = Message(
            "weights_missing_or_unknown",
            "lacks {missing} and has unknown {unknown}",
            missing=missing[:3],
            unknown=result.unexpected_keys[:3],
        )
        raise CheckpointError(folder.name, WEIGHTS, problem)


def _read_verified(folder: Path, file: str, config: CheckpointConfig) -> bytes:
    content = _read(folder, file)
    expected = config.sha256.get(file)
    if expected is not None and sha256(content) != expected:
        problem = Message(
            "other_digest",
            "is truncated or corrupted: its SHA-256 is not the one in {config} ({count} bytes)",
            config=CONFIG,
            count=f"{len(content):,}",
        )
        raise CheckpointError(folder.name, file, problem)
    return content


def _read(folder: Path, file: str) -> bytes:
    try:
        content = read_bytes(folder / file, MAX_CHECKPOINT_BYTES)
    except OSError as error:
        raise CheckpointError(folder.name, file, unreadable(reason_of(error))) from error
    if content.startswith(LFS_POINTER):
        raise CheckpointError(folder.name, file, LFS_PROBLEM, LFS_REMEDY)
    return content
