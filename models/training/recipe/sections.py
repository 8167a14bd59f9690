"""The sections of a recipe: the data, the tokens, the optimizer and teacher forcing. Each field is a setting.

The form of the Training tab has every setting with a label. Recipes are written in the order of the fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from models.corpus.files.columns import parse_columns
from models.corpus.generated.all_tasks import TASKS
from models.corpus.pairs import DataError
from models.corpus.public.catalogue import CORPORA
from models.errors import not_one_of
from models.networks.config import ConfigError
from models.setting import Setting, check_settings, labels, setting
from models.tokenization.plain_text import SPECIAL_TOKENS
from models.tokenization.segmentation import AS_SOURCES, UNDIVIDED_KINDS

FILES_TASK = "translation"  # the task whose pairs come from files
OPTIMIZER_TITLES = {"adamw": "AdamW", "adam": "Adam", "sgd": "SGD"}
SCHEDULE_TITLES = {name: name for name in ("cosine", "linear")}
SCHEDULE_TITLES |= {"inverse_sqrt": "inverse square root", "constant": "constant"}
TEACHER_FORCING_TITLES = {name: name for name in ("constant", "linear", "exponential")}
TEACHER_FORCING_TITLES |= {"inverse_sigmoid": "inverse sigmoid"}
TOKENIZER_TITLES = {
    "character": "characters",
    "word": "words",
    "bpe": "BPE",
    "wordpiece": "WordPiece",
    "unigram": "Unigram",
}
Value = TypeVar("Value")


def entry(default: Value, label: str = "", help: str = "", *bounds: float, **properties: Any) -> Value:
    """A field that is a `Setting` of these properties; without a label no form has it."""
    return setting(default, Setting(label, help, *bounds, **properties))


@dataclass(frozen=True, kw_only=True)
class DataConfig:
    """The origin of the pairs: a generated task, or two columns of files."""

    task: str = entry("reversal", offers=labels({name: name for name in (FILES_TASK, *TASKS)}))
    train: str = entry("")  # TSV, gzip allowed, relative to the data folder
    valid: str = entry("")
    swap: bool = entry(False)  # True: the second column is the source
    source_language: str = entry(
        "", "Source language", "A code such as es; empty if there is none.", form=(0, 12)
    )
    target_language: str = entry(
        "", "Target language", "A code such as en; BLEU depends on it.", form=(0, 12)
    )
    casual_sources: float = entry(
        0.0, "Casual sources", "Share of sources without capitals, final mark and accents.", 0, 1
    )
    # TSV beside the recipe, such as greetings that the files lack; training only
    supplement: str = entry("")
    supplement_repeats: int = entry(1, low=1)  # times that each of its pairs occurs in an epoch
    options: Mapping[str, int] = field(default_factory=dict)  # difficulty of a generated task; see TASKS
    train_size: int = entry(20_000, "Training pairs", "Generated tasks only.", 1, form=(50, 500_000))
    valid_size: int = entry(
        500, "Validation pairs", "Generated tasks only; kept apart from training.", 1, form=(10, 20_000)
    )
    max_pieces: int = entry(100, "Longest pair, in tokens", "Longer pairs are left out.", 1, form=(2, 500))
    columns: str = entry("")  # columns of the files, "source=NAME,reference=NAME"; "" = recognised
    corpus: str = ""  # the public corpus of the two files, so that they can be made again

    def __post_init__(self) -> None:
        check_settings(self, ConfigError, "data.")
        self._check_options()
        self._check_corpus()
        self._check_columns()
        if self.task == FILES_TASK and not (self.train and self.valid):
            raise ConfigError(
                "data_files_missing", "data.train and data.valid must name TSV files for task 'translation'"
            )

    def _check_corpus(self) -> None:
        if self.corpus not in ("", *CORPORA):
            raise ConfigError(not_one_of("data.corpus", CORPORA, self.corpus))
        if self.corpus and self.task != FILES_TASK:
            raise ConfigError(
                "corpus_for_task",
                "data.corpus is for task 'translation'; task {task} has none",
                task=repr(self.task),
            )

    def _check_columns(self) -> None:
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
        if self.task == FILES_TASK:
            if self.options:
                raise ConfigError(
                    "options_without_task", "data.options is for generated tasks; task 'translation' has none"
                )
            return
        try:
            TASKS[self.task].check(self.options)
        except DataError as error:
            raise ConfigError("data_options", "data.options: {problem}", problem=error) from error


@dataclass(frozen=True, kw_only=True)
class TokenizerConfig:
    """One vocabulary for source and target."""

    kind: str = entry(
        "character",
        "Tokens",
        "How texts are cut. Fine-tuning keeps the checkpoint's tokenizer.",
        offers=labels(TOKENIZER_TITLES),
    )
    vocab_size: int = entry(
        8000, "Vocabulary", "The most tokens that it may have.", len(SPECIAL_TOKENS) + 1, form=(5, 64_000)
    )
    min_frequency: int = entry(1, "Least frequency", "Rarer tokens are left out.", 0, form=(0, 1000))
    target_kind: str = entry(
        AS_SOURCES,
        "Target tokens",
        "For spelling to sounds: characters on one side, words on the other.",
        offers=labels({AS_SOURCES: "as sources", **TOKENIZER_TITLES}),
        form=(AS_SOURCES, *UNDIVIDED_KINDS),
    )
    lowercase: bool = entry(
        False, "Sources in lower case", "Capitals of a source are read as small letters; targets keep theirs."
    )

    def __post_init__(self) -> None:
        check_settings(self, ConfigError, "tokenizer.")
        if self.target_kind not in (AS_SOURCES, self.kind) and not {self.kind, self.target_kind} <= set(
            UNDIVIDED_KINDS
        ):
            raise ConfigError(
                "tokenizer_target_kind_alone",
                "tokenizer.target_kind can differ from tokenizer.kind only among {kinds}; got "
                "{target_kind} beside {kind}",
                kinds=" and ".join(UNDIVIDED_KINDS),
                target_kind=repr(self.target_kind),
                kind=repr(self.kind),
            )


@dataclass(frozen=True, kw_only=True)
class OptimizerConfig:
    """The optimizer: linear warm-up to the learning rate, then its schedule.

    adamw: Loshchilov & Hutter 2019; adam: Kingma & Ba 2015; inverse_sqrt: Vaswani et al. 2017.
    """

    kind: str = entry("adamw", "Optimizer", "AdamW suits nearly everything.", offers=labels(OPTIMIZER_TITLES))
    schedule: str = entry(
        "cosine", "Schedule", "How the learning rate falls after the warm-up.", offers=labels(SCHEDULE_TITLES)
    )
    learning_rate: float = entry(
        2e-3,
        "Learning rate",
        "Size of a step. A tenth of it or less for fine-tuning.",
        0,
        1,
        above=True,
        form=(1e-6, 1),
    )
    warmup_steps: int = entry(
        400, "Warm-up, in steps", "The steps in which the learning rate rises from zero.", 0, form=(0, 20_000)
    )
    final_ratio: float = entry(
        0.05, "Final ratio", "Share of the learning rate that is left at the end.", 0, 1
    )
    weight_decay: float = entry(0.01, "Weight decay", "Pulls the weights towards zero.", 0, 1)
    momentum: float = entry(
        0.9,
        "Momentum",
        "SGD adds this share of its last step to the next.",
        0,
        1,
        below=True,
        form=(0, 0.999),
    )
    beta2: float = entry(
        0.98, "Beta 2", "How long Adam remembers squared gradients.", 0, 1, below=True, form=(0, 0.9999)
    )
    clip_norm: float = entry(
        1.0,
        "Clip the gradient at",
        "A longer gradient is scaled down to this norm; 0 never clips.",
        0,
        form=(0, 1000),
    )
    label_smoothing: float = entry(
        0.0,
        "Label smoothing",
        "Probability given to all other tokens; 0.1 helps BLEU but harms samples.",
        0,
        1,
        below=True,
        form=(0, 0.9),
    )
    average_decay: float = entry(
        0.0,
        "Weight averaging",
        "Decay of the moving average of the weights, which is evaluated and saved; 0 = off.",
        0,
        1,
        below=True,
        form=(0, 0.9999),
    )
    bf16: bool = entry(True, "bfloat16", "Uses numbers of half the size, on devices that gain from it.")
    compile: bool = entry(True, "Compile", "Uses torch.compile in long runs that gain from it.")

    def __post_init__(self) -> None:
        check_settings(self, ConfigError, "optimizer.")


@dataclass(frozen=True, kw_only=True)
class TeacherForcingConfig:
    """How often the decoder reads the reference's token and not its own (Bengio et al. 2015).

    The ratio goes from `start` to `end` in `steps` optimizer steps and stays there. Section 2.4 of the paper
    has its shapes: a line, k^i, and k / (k + exp(i / k)); k follows from `steps`.
    """

    schedule: str = entry(
        "constant",  # the ratio stays at `start`
        "Scheduled sampling",
        "How the ratio falls from start to end (Bengio et al. 2015).",
        offers=labels(TEACHER_FORCING_TITLES),
    )
    start: float = entry(
        1.0, "Ratio at the start", "Share of decoder inputs that are the reference's; 1 = always.", 0, 1
    )
    end: float = entry(1.0, "Ratio at the end", "The rest are the model's own tokens.", 0, 1)
    steps: int = entry(0, "Steps until the end", "0 = all steps of the run.", 0, form=(0, 1_000_000))

    def __post_init__(self) -> None:
        check_settings(self, ConfigError, "teacher_forcing.")
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
