"""What a training run is, as plain numbers that a JSON file holds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from models.networks.config import ConfigError, NetworkConfig, RecurrentConfig, network_config, network_dict
from models.tokenization import KINDS


@dataclass(frozen=True)
class DataConfig:
    """Where the pairs come from: a generated task, or two columns of files."""

    task: str = "reversal"  # "reversal", or "translation" for pairs from files
    train: str = ""  # TSV, gzip allowed, relative to the data folder
    valid: str = ""
    swap: bool = False  # True: the second column is the source
    source_language: str = ""
    target_language: str = ""
    # Share of training sources that are seen as people type: no capital, no final mark, no accents.
    casual_sources: float = 0.0
    train_size: int = 20_000  # generated tasks only
    valid_size: int = 500
    max_pieces: int = 100  # longer training pairs are left out, in tokens


@dataclass(frozen=True)
class TokenizerConfig:
    """One vocabulary for source and target."""

    kind: str = "character"
    vocab_size: int = 8000
    min_frequency: int = 1


@dataclass(frozen=True)
class OptimizerConfig:
    """AdamW (Loshchilov & Hutter 2019) with linear warm-up, then a cosine to `final_ratio`."""

    learning_rate: float = 2e-3
    warmup_steps: int = 400
    final_ratio: float = 0.05  # of the learning rate, at the last step
    weight_decay: float = 0.01
    beta2: float = 0.98
    clip_norm: float = 1.0
    label_smoothing: float = 0.0
    average_decay: float = 0.0  # exponential moving average of the weights; 0 = off
    bf16: bool = True  # where it is faster


@dataclass(frozen=True)
class TrainingConfig:
    """One run. Same config, same CPU: same losses."""

    name: str
    data: DataConfig = field(default_factory=DataConfig)
    tokenizer: TokenizerConfig = field(default_factory=TokenizerConfig)
    network: NetworkConfig = field(default_factory=RecurrentConfig)
    optimizer: OptimizerConfig = field(default_factory=OptimizerConfig)
    epochs: int = 10
    batch_tokens: int = 4096  # target tokens of a batch, padding included
    report_every: int = 50  # steps
    evaluate_every: int = 500  # steps; the best and last checkpoints are written then
    decode_valid: int = 0  # validation pairs decoded greedily at each evaluation
    patience: int = 0  # evaluations without a lower loss before stopping; 0 = never
    seed: int = 0
    examples: tuple[str, ...] = ()  # source texts that the checkpoint shows first
    max_length: int = 64

    def __post_init__(self) -> None:
        for name in ("epochs", "batch_tokens", "report_every", "evaluate_every", "max_length"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} must be at least 1; got {getattr(self, name)}")
        if self.tokenizer.kind not in KINDS:
            raise ConfigError(
                f"tokenizer.kind must be one of {', '.join(KINDS)}; got {self.tokenizer.kind!r}"
            )
        if self.data.task == "translation" and not (self.data.train and self.data.valid):
            raise ConfigError("data.train and data.valid must name TSV files for task 'translation'")
        if not 0 < self.optimizer.learning_rate <= 1:
            raise ConfigError(
                f"optimizer.learning_rate must be in (0, 1]; got {self.optimizer.learning_rate}"
            )
        if not 0 <= self.optimizer.label_smoothing < 1:
            raise ConfigError(
                f"optimizer.label_smoothing must be at least 0 and below 1; got {self.optimizer.label_smoothing}"
            )

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON types."""
        return {**asdict(self), "network": network_dict(self.network), "examples": list(self.examples)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> TrainingConfig:
        """The inverse of `to_dict`; what is absent has its default. Raises ConfigError."""
        sections = {"data": DataConfig, "tokenizer": TokenizerConfig, "optimizer": OptimizerConfig}
        settings = dict(data)
        for name, kind in sections.items():
            settings[name] = _section(name, kind, settings.get(name, {}))
        settings["network"] = network_config(settings.get("network", {"architecture": "recurrent"}))
        settings["examples"] = tuple(settings.get("examples", ()))
        result = _section("the configuration", cls, settings)
        assert isinstance(result, TrainingConfig)
        return result

    @classmethod
    def load(cls, path: Path) -> TrainingConfig:
        """Read a JSON file. Raises ConfigError."""
        try:
            return cls.from_dict(json.loads(path.read_text(encoding="utf-8")))
        except (OSError, json.JSONDecodeError) as error:
            raise ConfigError(f"{path.name} cannot be read: {error}") from error

    def save(self, path: Path) -> None:
        """Write a JSON file."""
        path.write_text(json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _section(name: str, kind: Any, settings: Mapping[str, Any]) -> Any:
    unknown = settings.keys() - {item.name for item in fields(kind)}
    if unknown:
        raise ConfigError(f"{name} has no setting {', '.join(sorted(unknown))}")
    try:
        return kind(**settings)
    except TypeError as error:
        raise ConfigError(f"a setting of {name} is missing or has the wrong type: {error}") from error
