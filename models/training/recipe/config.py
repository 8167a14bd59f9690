"""What a training run is, as plain numbers that a JSON file holds."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from models.corpus.generated.all_tasks import TASKS
from models.corpus.generated.shapes import SIZE
from models.errors import Message, cannot_be_read, not_texts, shown
from models.networks.architectures import ARCHITECTURES, network_config, network_dict
from models.networks.config import ConfigError, NetworkConfig, PictureConfig
from models.networks.recurrent.config import RecurrentConfig
from models.tokenization.tokenizer import AS_SOURCES
from models.training.recipe.checks import check_count, check_number, check_texts
from models.training.recipe.sections import (
    FILES,
    OPTIMIZERS,
    SCHEDULES,
    TEACHER_FORCING,
    DataConfig,
    OptimizerConfig,
    TeacherForcingConfig,
    TokenizerConfig,
)
from models.whole_file import write_whole

__all__ = [
    "FILES",
    "FREEZABLE",
    "OPTIMIZERS",
    "SCHEDULES",
    "TEACHER_FORCING",
    "DataConfig",
    "OptimizerConfig",
    "TeacherForcingConfig",
    "TokenizerConfig",
    "TrainingConfig",
]

FREEZABLE = ("embeddings", "encoder")


@dataclass(frozen=True)
class TrainingConfig:
    """One run. Same config, same CPU: same losses."""

    name: str
    data: DataConfig = field(default_factory=DataConfig)
    tokenizer: TokenizerConfig = field(default_factory=TokenizerConfig)
    network: NetworkConfig = field(default_factory=RecurrentConfig)
    optimizer: OptimizerConfig = field(default_factory=OptimizerConfig)
    teacher_forcing: TeacherForcingConfig = field(default_factory=TeacherForcingConfig)
    start: str = ""  # the checkpoint to fine-tune, whose network and tokenizer are kept; "" = from scratch
    freeze: tuple[str, ...] = ()  # "embeddings", "encoder": what keeps its weights
    epochs: int = 10
    batch_tokens: int = 4096  # of a batch on either side, padding included; of a picture its cells
    report_every: int = 50  # steps
    evaluate_every: int = 500  # steps; the best and last checkpoints are written then
    save_every: float = 60.0  # seconds; what a killed run loses at most
    decode_valid: int = 0  # validation pairs decoded greedily at each evaluation
    patience: int = 0  # evaluations without a lower loss before stopping; 0 = never
    seed: int = 0
    examples: tuple[str, ...] = ()  # source texts that the checkpoint shows first
    max_length: int = 64
    probe_source: str = ""  # a text whose decoding is kept at every evaluation; "" = a validation pair
    probe_reference: str = ""

    def __post_init__(self) -> None:
        check_texts("", self, "name", "start", "probe_source", "probe_reference")
        check_number("", self, "save_every", 0, math.inf, above=True)
        if not isinstance(self.freeze, tuple) or not all(part in FREEZABLE for part in self.freeze):
            raise ConfigError(
                "freeze_out_of_range",
                "freeze must be a list of {parts}; got {value}",
                parts=", ".join(FREEZABLE),
                value=repr(self.freeze),
            )
        check_count("", self, 1, "epochs", "batch_tokens", "report_every", "evaluate_every", "max_length")
        check_count("", self, 0, "decode_valid", "patience", "seed")
        if not isinstance(self.examples, tuple) or not all(isinstance(text, str) for text in self.examples):
            raise ConfigError(not_texts("examples", self.examples))
        has_pictures = self.data.task != FILES and TASKS[self.data.task].has_pictures
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
        if network.picture_size != SIZE:
            raise ConfigError(
                "picture_size_not_drawn",
                "network.picture_size must be {size}, the size that is drawn; got {value}",
                size=SIZE,
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
        """As plain JSON types."""
        lists = {"examples": list(self.examples), "freeze": list(self.freeze)}
        return {**asdict(self), "network": network_dict(self.network), **lists}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> TrainingConfig:
        """The inverse of `to_dict`; what is absent has its default. Raises ConfigError."""
        if not isinstance(data, Mapping):
            raise ConfigError(_no_section(Message("a_recipe", "a recipe"), data))
        sections = {
            "data": DataConfig,
            "tokenizer": TokenizerConfig,
            "optimizer": OptimizerConfig,
            "teacher_forcing": TeacherForcingConfig,
        }
        settings = dict(data)
        for name, kind in sections.items():
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
            data = json.loads(path.read_text(encoding="utf-8"))
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
    except TypeError as error:  # all settings but one have defaults
        raise ConfigError(
            "setting_missing", "{name} lacks a setting: {reason}", name=name, reason=error
        ) from error


def _no_section(name: str, value: object) -> Message:
    return Message(
        "not_a_section", "{name} must be a mapping of settings; got {value}", name=name, value=shown(value)
    )
