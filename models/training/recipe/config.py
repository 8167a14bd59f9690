"""A recipe: the complete configuration of a training run, with a JSON form."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from models.corpus.generated.all_tasks import TASKS
from models.corpus.generated.shapes import PICTURE_SIZE
from models.corpus.pairs import Pair
from models.errors import Message, brief, cannot_be_read, not_a_text
from models.networks.architectures import ARCHITECTURES, network_config, network_dict
from models.networks.config import ConfigError, NetworkConfig, PictureConfig
from models.networks.recurrent.config import RecurrentConfig
from models.setting import check_settings, labels
from models.tokenization.pictures import PictureGrid
from models.tokenization.segmentation import AS_SOURCES
from models.tokenization.tokenizer import Tokenizer
from models.training.recipe import sections
from models.training.recipe.sections import FILES_TASK, TokenizerConfig, entry
from models.whole_file import read_bytes, write_whole


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """The configuration of one run. The same configuration gives the same losses on the same CPU."""

    name: str
    data: sections.DataConfig = field(default_factory=sections.DataConfig)
    tokenizer: sections.TokenizerConfig = field(default_factory=sections.TokenizerConfig)
    network: NetworkConfig = field(default_factory=RecurrentConfig)
    optimizer: sections.OptimizerConfig = field(default_factory=sections.OptimizerConfig)
    teacher_forcing: sections.TeacherForcingConfig = field(default_factory=sections.TeacherForcingConfig)
    # The checkpoint to fine-tune, whose network and tokenizer are kept; "" = from scratch.
    start: str = entry("")
    freeze: tuple[str, ...] = entry(
        (),
        "Freeze",
        "The part that is not trained.",
        offers=labels({"embeddings": "embeddings", "encoder": "encoder"}),
    )
    epochs: int = entry(10, "Epochs", "How many times every pair is used.", 1, form=(1, 1000))
    # Tokens of a batch on either side, padding included; a picture counts its cells.
    batch_tokens: int = entry(
        4096,
        "Batch, in target tokens",
        "Larger is faster; a batch that exceeds the memory is divided.",
        1,
        form=(32, 200_000),
    )
    report_every: int = entry(
        50, "Report every, in steps", "How often the curves get a point.", 1, form=(1, 10_000)
    )
    evaluate_every: int = entry(
        500, "Evaluate every, in steps", "Each evaluation measures the loss and saves.", 1, form=(1, 100_000)
    )
    # Seconds between two saves: a killed run loses at most this much.
    save_every: float = entry(60.0, low=0, above=True)
    decode_valid: int = entry(  # validation pairs that each evaluation decodes greedily
        0,
        "Validation pairs to decode",
        "They give BLEU and exact match; 0 = only the loss.",
        0,
        form=(0, 2000),
    )
    patience: int = entry(
        0,
        "Patience, in evaluations",
        "Stops after this many evaluations without a lower loss; keeps the best; 0 = never.",
        0,
        form=(0, 1000),
    )
    seed: int = entry(
        0, "Seed", "The same seed gives the same losses on the same machine.", 0, form=(0, 2**32 - 1)
    )
    examples: tuple[str, ...] = entry(())  # source texts that the checkpoint shows first
    max_length: int = entry(64, "Longest output, in tokens", "Longer outputs are cut off.", 1, form=(1, 100))
    probe_source: str = entry(
        "", "Probe sentence", "Decoded at every evaluation; empty = a validation pair.", form=(0, 200)
    )
    probe_reference: str = entry(
        "", "Probe's reference", "The right output of the probe sentence.", form=(0, 200)
    )

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise ConfigError(not_a_text("name", self.name))
        check_settings(self, ConfigError)
        has_pictures = self.data.task != FILES_TASK and TASKS[self.data.task].has_pictures
        if has_pictures != self.network.reads_pictures:
            readers = " or ".join(name for name, kind in ARCHITECTURES.items() if kind.reads_pictures)
            raise ConfigError(
                "network_for_pictures",
                "network.architecture must be {readers} where data.task has pictures, and nowhere "
                "else; got data.task {task}",
                readers=readers,
                task=repr(self.data.task),
            )
        if isinstance(self.network, PictureConfig):
            self._check_pictures(self.network)
        limit = getattr(self.network, "max_positions", self.data.max_pieces)
        if self.data.max_pieces > limit:
            raise ConfigError(
                "pieces_beyond_positions",
                "data.max_pieces must be at most network.max_positions = {limit}; got {value}",
                limit=limit,
                value=self.data.max_pieces,
            )

    def _check_pictures(self, network: PictureConfig) -> None:
        if network.picture_size != PICTURE_SIZE:
            raise ConfigError(
                "picture_size_not_drawn",
                "network.picture_size must be {size}, the size that is drawn; got {value}",
                size=PICTURE_SIZE,
                value=network.picture_size,
            )
        texts = (
            self.data.casual_sources or self.tokenizer.lowercase or self.tokenizer.target_kind != AS_SOURCES
        )
        if texts:
            raise ConfigError(
                "settings_for_texts",
                "data.casual_sources, tokenizer.lowercase and tokenizer.target_kind are for sources "
                "that are texts: leave them out for pictures",
            )

    def to_dict(self) -> dict[str, Any]:
        """The configuration as plain JSON types."""
        lists = {"examples": list(self.examples), "freeze": list(self.freeze)}
        return {**asdict(self), "network": network_dict(self.network), **lists}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> TrainingConfig:
        """The inverse of `to_dict`; absent settings have their defaults. Raises ConfigError."""
        if not isinstance(data, Mapping):
            raise ConfigError(_no_section(Message("a_recipe", "a recipe"), data))
        kinds = {
            "data": sections.DataConfig,
            "tokenizer": sections.TokenizerConfig,
            "optimizer": sections.OptimizerConfig,
            "teacher_forcing": sections.TeacherForcingConfig,
        }
        settings = dict(data)
        for name, kind in kinds.items():
            settings[name] = _section(name, kind, settings.get(name, {}))
        settings["network"] = network_config(settings.get("network", {"architecture": "recurrent"}))
        for name in ("examples", "freeze"):
            texts = settings.get(name, ())
            settings[name] = tuple(texts) if isinstance(texts, list) else texts
        result = _section(Message("the_configuration", "the configuration"), cls, settings)
        assert isinstance(result, TrainingConfig)
        return result

    @classmethod
    def load(cls, path: Path) -> TrainingConfig:
        """Read a JSON file. Raises ConfigError."""
        try:
            data = json.loads(read_bytes(path))
        except OSError as error:
            raise ConfigError(cannot_be_read(path.name, error.strerror)) from error
        except (ValueError, RecursionError) as error:
            raise ConfigError(cannot_be_read(path.name, error)) from error
        return cls.from_dict(data)

    def save(self, path: Path) -> None:
        """Write a JSON file."""
        write_whole(path, json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n")


def _section(name: str, kind: Any, settings: Any) -> Any:
    if not isinstance(settings, Mapping):
        raise ConfigError(_no_section(name, settings))
    unknown = settings.keys() - {item.name for item in fields(kind)}
    if unknown:
        raise ConfigError(
            "no_such_setting_of_recipe",
            "{name} has no setting {settings}",
            name=name,
            settings=", ".join(sorted(unknown)),
        )
    try:
        return kind(**settings)
    except TypeError as error:  # a setting without a default is missing
        raise ConfigError(
            "setting_missing", "{name} lacks a setting: {reason}", name=name, reason=error
        ) from error


def _no_section(name: str, value: object) -> Message:
    return Message(
        "not_a_section", "{name} must be a mapping of settings; got {value}", name=name, value=brief(value)
    )


def learnt_tokenizer(
    settings: TokenizerConfig, pairs: Sequence[Pair], network: NetworkConfig | None = None
) -> Tokenizer:
    """The tokenizer that a run from scratch learns from its training pairs. Raises TokenizerError.

    If the network reads pictures, the tokens are those of the captions.
    """
    if isinstance(network, PictureConfig):
        grid = PictureGrid(network.picture_size, network.cells)
        captions = (caption for _, caption in pairs)
        return Tokenizer.for_pictures(
            grid, captions, settings.kind, settings.vocab_size, settings.min_frequency
        )
    return Tokenizer.train(
        (source for source, _ in pairs),
        settings.kind,
        settings.vocab_size,
        settings.min_frequency,
        targets=(target for _, target in pairs),
        target_kind=settings.target_kind,
        lowercase=settings.lowercase,
    )
