"""The sections of a recipe: what is learnt, how it is cut into tokens, and how the weights change."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from models.corpus.files.columns import parse_columns
from models.corpus.generated.all_tasks import TASKS
from models.corpus.pairs import DataError
from models.corpus.public.catalogue import CORPORA
from models.errors import not_one_of
from models.networks.config import ConfigError
from models.tokenization.tokenizer import AS_SOURCES, KINDS, SPECIAL_TOKENS, WHOLE
from models.training.recipe.checks import check_choice, check_count, check_number, check_switch, check_texts

FILES = "translation"  # the task whose pairs come from files
OPTIMIZERS = ("adamw", "adam", "sgd")
SCHEDULES = ("cosine", "linear", "inverse_sqrt", "constant")
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
    columns: str = ""  # of the files, "source=NAME,reference=NAME"; "" = as they are understood
    corpus: str = ""  # the public corpus that the two files are of, so that they can be made anew

    def __post_init__(self) -> None:
        if self.task not in (FILES, *TASKS):
            raise ConfigError(not_one_of("data.task", (FILES, *TASKS), self.task))
        self._check_options()
        check_texts("data.", self, "train", "valid", "supplement", "source_language", "target_language")
        self._check_corpus()
        self._check_columns()
        if self.task == FILES and not (self.train and self.valid):
            raise ConfigError(
                "data_files_missing", "data.train and data.valid must name TSV files for task 'translation'"
            )
        check_switch("data.", self, "swap")
        check_number("data.", self, "casual_sources", 0, 1)
        check_count("data.", self, 1, "train_size", "valid_size", "max_pieces", "supplement_repeats")

    def _check_corpus(self) -> None:
        if self.corpus not in ("", *CORPORA):
            raise ConfigError(not_one_of("data.corpus", CORPORA, self.corpus))
        if self.corpus and self.task != FILES:
            raise ConfigError(
                "corpus_for_task",
                "data.corpus is for task 'translation'; task {task} has none",
                task=repr(self.task),
            )

    def _check_columns(self) -> None:
        check_texts("data.", self, "columns")
        try:
            _ = self.columns and parse_columns(self.columns)
        except DataError as error:
            raise ConfigError("data_columns", "data.columns: {problem}", problem=error) from error

    def _check_options(self) -> None:
        if not isinstance(self.options, Mapping):
            raise ConfigError(
                "options_no_mapping",
                "data.options must be a mapping of whole numbers; got {value}",
                value=repr(self.options),
            )
        if self.task == FILES:
            if self.options:
                raise ConfigError(
                    "options_without_task", "data.options is for generated tasks; task 'translation' has none"
                )
            return
        try:
            TASKS[self.task].check(self.options)
        except DataError as error:
            raise ConfigError("data_options", "data.options: {problem}", problem=error) from error


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
            raise ConfigError(not_one_of("tokenizer.kind", KINDS, self.kind))
        if self.target_kind not in (AS_SOURCES, self.kind) and not {self.kind, self.target_kind} <= set(
            WHOLE
        ):
            raise ConfigError(
                "tokenizer_target_kind_alone",
                "tokenizer.target_kind can differ from tokenizer.kind only among {kinds}; got "
                "{target_kind} beside {kind}",
                kinds=" and ".join(WHOLE),
                target_kind=repr(self.target_kind),
                kind=repr(self.kind),
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
                "teacher_forcing_rises",
                "teacher_forcing.end must be at most teacher_forcing.start = {start}; got {end}",
                start=self.start,
                end=self.end,
            )
        if self.schedule == "exponential" and not self.end:
            raise ConfigError(
                "teacher_forcing_reaches_zero",
                "teacher_forcing.end must be above 0 for the exponential schedule, which never reaches it",
            )
