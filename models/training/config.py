"""What a training run is, as plain numbers that a JSON file holds."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from models.corpus.generated.shapes import SIZE
from models.corpus.generated.tasks import TASKS
from models.corpus.pairs import DataError
from models.corpus.public.catalogue import CORPORA
from models.networks.config import (
    CaptionerConfig,
    ConfigError,
    NetworkConfig,
    RecurrentConfig,
    network_config,
    network_dict,
)
from models.tokenization import AS_SOURCES, KINDS, SPECIAL_TOKENS, WHOLE
from models.training.checks import check_choice, check_count, check_number, check_switch, check_texts

FILES = "translation"  # the task whose pairs come from files
OPTIMIZERS = ("adamw", "adam", "sgd")
SCHEDULES = ("cosine", "linear", "inverse_sqrt", "constant")
FREEZABLE = ("embeddings", "encoder")
TEACHER_FORCING = ("constant", "linear", "exponential", "inverse_sigmoid")


@dataclass(frozen=True)
class DataConfig:
    """Where the pairs come from: a generated task, or two columns of files."""

    task: str = "reversal"  # a generated task, or "translation" for pairs from files
    train: str = ""  # TSV, gzip allowed, relative to the data folder
    valid: str = ""
    swap: bool = False  # True: the second column is the source
    source_language: str = ""
    target_language: str = ""
    # Share of training sources that are seen as people type: no capital, no final mark, no accents.
    casual_sources: float = 0.0
    supplement: str = ""  # TSV beside the recipe, such as greetings that the files lack; training only
    supplement_repeats: int = 1  # how often each of its pairs is seen in an epoch
    options: Mapping[str, int] = field(default_factory=dict)  # how hard a generated task is; see TASKS
    train_size: int = 20_000  # generated tasks only
    valid_size: int = 500
    max_pieces: int = 100  # longer pairs are left out, of training and validation, in tokens
    corpus: str = ""  # the public corpus that the two files are of, so that they can be made anew

    def __post_init__(self) -> None:
        if self.task not in (FILES, *TASKS):
            raise ConfigError(f"data.task must be one of {', '.join((FILES, *TASKS))}; got {self.task!r}")
        self._check_options()
        check_texts("data.", self, "train", "valid", "supplement", "source_language", "target_language")
        self._check_corpus()
        if self.task == FILES and not (self.train and self.valid):
            raise ConfigError("data.train and data.valid must name TSV files for task 'translation'")
        check_switch("data.", self, "swap")
        check_number("data.", self, "casual_sources", 0, 1)
        check_count("data.", self, 1, "train_size", "valid_size", "max_pieces", "supplement_repeats")

    def _check_corpus(self) -> None:
        if self.corpus not in ("", *CORPORA):
            raise ConfigError(f"data.corpus must be one of {', '.join(CORPORA)}; got {self.corpus!r}")
        if self.corpus and self.task != FILES:
            raise ConfigError(f"data.corpus is for task 'translation'; task {self.task!r} has none")

    def _check_options(self) -> None:
        if not isinstance(self.options, Mapping):
            raise ConfigError(f"data.options must be a mapping of whole numbers; got {self.options!r}")
        if self.task == FILES:
            if self.options:
                raise ConfigError("data.options is for generated tasks; task 'translation' has none")
            return
        try:
            TASKS[self.task].check(self.options)
        except DataError as error:
            raise ConfigError(f"data.options: {error}") from error


@dataclass(frozen=True)
class TokenizerConfig:
    """One vocabulary for source and target."""

    kind: str = "character"
    vocab_size: int = 8000
    min_frequency: int = 1
    target_kind: str = AS_SOURCES  # or "character" or "word", where targets are cut in another way
    lowercase: bool = False  # sources are read in lower case

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ConfigError(f"tokenizer.kind must be one of {', '.join(KINDS)}; got {self.kind!r}")
        if self.target_kind not in (AS_SOURCES, self.kind) and not {self.kind, self.target_kind} <= set(
            WHOLE
        ):
            raise ConfigError(
                f"tokenizer.target_kind can differ from tokenizer.kind only among {' and '.join(WHOLE)}; got "
                f"{self.target_kind!r} beside {self.kind!r}"
            )
        check_switch("tokenizer.", self, "lowercase")
        check_count("tokenizer.", self, len(SPECIAL_TOKENS) + 1, "vocab_size")
        check_count("tokenizer.", self, 0, "min_frequency")


@dataclass(frozen=True)
class OptimizerConfig:
    """How the weights change: linear warm-up to the learning rate, then its schedule."""

    kind: str = "adamw"  # adamw (Loshchilov & Hutter 2019), adam (Kingma & Ba 2015) or sgd
    schedule: str = "cosine"  # cosine, linear, inverse_sqrt (Vaswani et al. 2017) or constant
    learning_rate: float = 2e-3
    warmup_steps: int = 400
    final_ratio: float = 0.05  # of the learning rate, at the last step of cosine and linear
    weight_decay: float = 0.01
    momentum: float = 0.9  # of sgd
    beta2: float = 0.98  # of adam and adamw
    clip_norm: float = 1.0  # largest norm of the gradient; 0 = no clipping
    label_smoothing: float = 0.0
    average_decay: float = 0.0  # exponential moving average of the weights; 0 = off
    bf16: bool = True  # where it is faster
    compile: bool = True  # torch.compile, where it pays

    def __post_init__(self) -> None:
        check_choice("optimizer.", self, "kind", OPTIMIZERS)
        check_choice("optimizer.", self, "schedule", SCHEDULES)
        check_number("optimizer.", self, "learning_rate", 0, 1, above=True)
        check_count("optimizer.", self, 0, "warmup_steps")
        check_number("optimizer.", self, "final_ratio", 0, 1)
        check_number("optimizer.", self, "weight_decay", 0, 1)
        check_number("optimizer.", self, "clip_norm", 0, math.inf)
        for name in ("momentum", "beta2", "label_smoothing", "average_decay"):
            check_number("optimizer.", self, name, 0, 1, below=True)
        check_switch("optimizer.", self, "bf16", "compile")


@dataclass(frozen=True)
class TeacherForcingConfig:
    """How often the decoder reads the reference's token and not its own (Bengio et al. 2015).

    The ratio goes from `start` to `end` in `steps` optimizer steps and stays there. Its shapes are those of
    section 2.4 of the paper: a line, k^i, and k / (k + exp(i / k)); k follows from `steps`.
    """

    schedule: str = "constant"  # constant (at `start`), linear, exponential or inverse_sigmoid
    start: float = 1.0  # 1 = teacher forcing throughout
    end: float = 1.0
    steps: int = 0  # 0 = all steps of the run

    def __post_init__(self) -> None:
        check_choice("teacher_forcing.", self, "schedule", TEACHER_FORCING)
        check_number("teacher_forcing.", self, "start", 0, 1)
        check_number("teacher_forcing.", self, "end", 0, 1)
        check_count("teacher_forcing.", self, 0, "steps")
        if self.schedule != "constant" and self.end > self.start:
            raise ConfigError(
                f"teacher_forcing.end must be at most teacher_forcing.start = {self.start}; got {self.end}"
            )
        if self.schedule == "exponential" and not self.end:
            raise ConfigError(
                "teacher_forcing.end must be above 0 for the exponential schedule, which never reaches it"
            )


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
            raise ConfigError(f"freeze must be a list of {', '.join(FREEZABLE)}; got {self.freeze!r}")
        check_count("", self, 1, "epochs", "batch_tokens", "report_every", "evaluate_every", "max_length")
        check_count("", self, 0, "decode_valid", "patience", "seed")
        if not isinstance(self.examples, tuple) or not all(isinstance(text, str) for text in self.examples):
            raise ConfigError(f"examples must be a list of texts; got {self.examples!r}")
        has_pictures = self.data.task != FILES and TASKS[self.data.task].has_pictures
        if has_pictures != isinstance(self.network, CaptionerConfig):
            raise ConfigError(
                "network.architecture must be captioner where data.task has pictures, and nowhere else; got "
                f"data.task {self.data.task!r}"
            )
        if isinstance(self.network, CaptionerConfig):
            self._check_pictures(self.network)
        limit = getattr(self.network, "max_positions", self.data.max_pieces)
        if self.data.max_pieces > limit:
            raise ConfigError(
                f"data.max_pieces must be at most network.max_positions = {limit}; got {self.data.max_pieces}"
            )

    def _check_pictures(self, network: CaptionerConfig) -> None:
        if network.picture_size != SIZE:
            raise ConfigError(
                f"network.picture_size must be {SIZE}, the size that is drawn; got {network.picture_size}"
            )
        texts = (
            self.data.casual_sources or self.tokenizer.lowercase or self.tokenizer.target_kind != AS_SOURCES
        )
        if texts:
            raise ConfigError(
                "data.casual_sources, tokenizer.lowercase and tokenizer.target_kind are for sources that are "
                "texts: leave them out for pictures"
            )

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON types."""
        lists = {"examples": list(self.examples), "freeze": list(self.freeze)}
        return {**asdict(self), "network": network_dict(self.network), **lists}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> TrainingConfig:
        """The inverse of `to_dict`; what is absent has its default. Raises ConfigError."""
        if not isinstance(data, Mapping):
            raise ConfigError(f"a recipe must be a mapping of settings; got {data!r}")
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
        result = _section("the configuration", cls, settings)
        assert isinstance(result, TrainingConfig)
        return result

    @classmethod
    def load(cls, path: Path) -> TrainingConfig:
        """Read a JSON file. Raises ConfigError."""
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise ConfigError(f"{path.name} cannot be read: {error}") from error
        return cls.from_dict(data)

    def save(self, path: Path) -> None:
        """Write a JSON file."""
        path.write_text(json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _section(name: str, kind: Any, settings: Any) -> Any:
    if not isinstance(settings, Mapping):
        raise ConfigError(f"{name} must be a mapping of settings; got {settings!r}")
    unknown = settings.keys() - {item.name for item in fields(kind)}
    if unknown:
        raise ConfigError(f"{name} has no setting {', '.join(sorted(unknown))}")
    try:
        return kind(**settings)
    except TypeError as error:  # all settings but one have defaults
        raise ConfigError(f"{name} lacks a setting: {error}") from error
