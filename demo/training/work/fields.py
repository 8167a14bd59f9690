"""The form of a training run: each setting of a recipe that has a label, presets, and recipes of values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from demo.i18n import say
from demo.work.requests.checks import RequestError
from models.corpus.generated.all_tasks import GENERATED
from models.errors import Message
from models.networks.architectures import ARCHITECTURES
from models.networks.config import ConfigError, NetworkConfig
from models.networks.recurrent.config import RecurrentConfig
from models.networks.transformer.config import TransformerConfig
from models.setting import Setting, labels, settings_of
from models.training.recipe.config import TrainingConfig
from models.training.recipe.sections import (
    FILES_TASK,
    DataConfig,
    OptimizerConfig,
    TeacherForcingConfig,
    TokenizerConfig,
)

Values = dict[str, Any]  # keys: paths of fields

NETWORK = "Network"
RUN = ("epochs", "batch_tokens", "evaluate_every", "report_every", "decode_valid", "patience")
# Path, section of the form, and class of each part of a recipe; then the settings that come first.
PARTS: tuple[tuple[str, str, Any, tuple[str, ...]], ...] = (
    ("tokenizer.", "Tokens and data", TokenizerConfig, ("kind", "target_kind", "lowercase")),
    ("data.", "Tokens and data", DataConfig, ("train_size", "valid_size", "max_pieces", "casual_sources")),
    ("optimizer.", "Optimizer", OptimizerConfig, ("kind", "learning_rate")),
    ("teacher_forcing.", "Teacher forcing", TeacherForcingConfig, ()),
    ("", "Run", TrainingConfig, RUN),
)
# The form is for texts; a run on pictures needs a recipe.
TEXT_ARCHITECTURES: Mapping[str, type[NetworkConfig]] = {
    name: kind for name, kind in ARCHITECTURES.items() if not kind.reads_pictures
}


def with_bounds(help: str, low: object, high: object) -> Message:
    """The help of a number, with its bounds."""
    return Message(
        "help_with_bounds", "{help} {low} to {high}.", help=Message("help", help), low=low, high=high
    )


@dataclass(frozen=True)
class FormField:
    """One field of the form."""

    path: str  # its path in the recipe: "optimizer.learning_rate"
    section: str
    setting: Setting  # the setting, with the bounds of the form
    only: tuple[str, ...] = ()  # the architectures that have it; () = all

    def checked_value(self, value: object) -> Any:
        """The value for a recipe. Raises RequestError."""
        checked = self.setting.checked_value(value, RequestError, say(self.setting.label))
        return checked.strip() if isinstance(checked, str) else checked


def _network_settings() -> list[str]:
    """The names of the settings of all architectures, each architecture's in its own order."""
    names: list[str] = []
    for kind in TEXT_ARCHITECTURES.values():
        index = 0
        for name in kind.offered:
            if name not in names:
                names.insert(index, name)
            index = names.index(name) + 1
    return names


def _network_field(name: str) -> FormField:
    owners = {key: kind for key, kind in TEXT_ARCHITECTURES.items() if name in kind.offered}
    setting = next(iter(owners.values())).settings()[name].on_form()
    return FormField(
        f"network.{name}", NETWORK, setting, () if len(owners) == len(TEXT_ARCHITECTURES) else tuple(owners)
    )


ARCHITECTURE = FormField(
    "network.architecture",
    NETWORK,
    Setting(
        "Architecture",
        "The network that reads the source and writes the target.",
        offers=labels({name: kind.title for name, kind in TEXT_ARCHITECTURES.items()}),
        default="",
    ),
)
NETWORK_FIELDS = (ARCHITECTURE, *map(_network_field, _network_settings()))
FIELDS = (
    *NETWORK_FIELDS,
    *(
        FormField(path + name, section, settings_of(owner)[name].on_form())
        for path, section, owner, first in PARTS
        for name in dict.fromkeys((*first, *settings_of(owner)))
        if settings_of(owner)[name].label
    ),
)
SECTIONS = tuple(dict.fromkeys(field.section for field in FIELDS))


def applies(field: FormField, values: Mapping[str, Any]) -> bool:
    """Whether the chosen architecture has this setting."""
    return not field.only or values["network.architecture"] in field.only


def checked_values(raw: Mapping[str, object]) -> Values:
    """The values of all fields that apply, as in a recipe. Raises RequestError with the field's name."""
    by_path = {field.path: field for field in FIELDS}
    architecture = by_path["network.architecture"].checked_value(raw.get("network.architecture"))
    values: Values = {"network.architecture": architecture}
    for field in FIELDS:
        if applies(field, values):
            values[field.path] = field.checked_value(raw.get(field.path))
    return values


def training_config(name: str, task: Mapping[str, Any], values: Values, start: str = "") -> TrainingConfig:
    """Make a recipe of checked values; `task` holds those of the data card. Raises RequestError."""
    recipe: dict[str, Any] = {"name": name, "start": start}
    for path, value in values.items():
        section, _, setting = path.rpartition(".")
        section_values = recipe.setdefault(section, {}) if section else recipe
        section_values[setting] = value
    recipe["data"] = {**recipe.get("data", {}), **task}
    try:
        return TrainingConfig.from_dict(recipe)
    except ConfigError as error:
        raise RequestError(
            "settings_clash", "These settings do not go together: {error}.", error=error
        ) from error


def values_of(config: TrainingConfig) -> Values:
    """The values of the fields for a recipe, without those of other architectures."""
    recipe = config.to_dict()
    values: Values = {}
    for field in FIELDS:
        section, _, setting = field.path.rpartition(".")
        section_values = recipe[section] if section else recipe
        if setting in section_values:
            values[field.path] = section_values[setting]
    return values


@dataclass(frozen=True)
class TrainingPreset:
    """A recipe without data."""

    title: str
    help: str
    config: TrainingConfig
    help_own: str = ""  # another help text for pairs that are not generated


MINUTES = TrainingPreset(
    "Minutes on a CPU",
    "A small GRU with attention: a generated task is learnt while you watch.",
    TrainingConfig(
        name="minutes",
        data=DataConfig(train_size=20_000, valid_size=300),
        network=RecurrentConfig(d_embed=64, d_model=128, d_attention=64, dropout=0.0),
        optimizer=OptimizerConfig(learning_rate=4e-3, warmup_steps=50, average_decay=0.98),
        epochs=6,
        batch_tokens=2048,
        report_every=5,
        evaluate_every=50,
        decode_valid=100,
    ),
    "A small GRU with attention: from few pairs it learns little, and learns them by heart.",
)
QUALITY = TrainingPreset(
    "Quality on a GPU",
    "A Transformer of 6 + 6 layers with large batches: hours on a CPU, minutes on a GPU.",
    TrainingConfig(
        name="quality",
        data=DataConfig(train_size=200_000, valid_size=1000),
        tokenizer=TokenizerConfig(vocab_size=16_000, min_frequency=2),
        network=TransformerConfig(
            d_model=512, num_heads=8, d_ff=2048, num_layers=6, num_decoder_layers=6, dropout=0.2
        ),
        optimizer=OptimizerConfig(
            schedule="inverse_sqrt",
            learning_rate=1e-3,
            warmup_steps=2000,
            label_smoothing=0.1,
            average_decay=0.999,
        ),
        epochs=30,
        batch_tokens=25_000,
        report_every=20,
        evaluate_every=500,
        decode_valid=500,
        patience=10,
    ),
)
TEXTBOOK = TrainingPreset(
    "Textbook",
    "Two plain GRU layers of 512, dropout 0.5, Adam, half teacher forcing, no attention: as in courses.",
    TrainingConfig(
        name="textbook",
        data=DataConfig(train_size=20_000, valid_size=300),
        network=RecurrentConfig(
            d_embed=256, d_model=512, num_layers=2, bidirectional=False, attention="none", dropout=0.5
        ),
        optimizer=OptimizerConfig(
            kind="adam",
            schedule="constant",
            learning_rate=1e-3,
            warmup_steps=0,
            weight_decay=0.0,
            beta2=0.999,
            bf16=False,
        ),
        teacher_forcing=TeacherForcingConfig(start=0.5),
        epochs=10,
        batch_tokens=320,
        report_every=20,
        evaluate_every=200,
        decode_valid=100,
    ),
)
PRESETS = {preset.config.name: preset for preset in (MINUTES, QUALITY, TEXTBOOK)}


def fit_tokens(preset: TrainingPreset, task: str) -> TrainingConfig:
    """The recipe of a preset with tokens that fit the task: characters, words or BPE."""
    config = preset.config
    kind, size, pieces = "bpe", config.tokenizer.vocab_size, 60
    if task != FILES_TASK:
        kind, size, pieces = GENERATED[task].tokenizer, 8000, 100
    elif preset is MINUTES:
        size = 2000
    return replace(
        config,
        tokenizer=replace(config.tokenizer, kind=kind, vocab_size=size),
        data=replace(config.data, max_pieces=pieces),
    )


def for_fine_tuning(config: TrainingConfig, few_pairs: bool) -> TrainingConfig:
    """The recipe for fine-tuning: a small learning rate and few epochs.

    A few pairs, typed or corrected by hand, are seen often and in small batches.
    """
    optimizer = replace(
        config.optimizer,
        schedule="linear",
        learning_rate=min(3e-4, config.optimizer.learning_rate / 5),
        warmup_steps=20,
        average_decay=0.0,
    )
    config = replace(config, optimizer=optimizer, epochs=3, evaluate_every=25, report_every=5, patience=5)
    if not few_pairs:
        return config
    optimizer = replace(optimizer, warmup_steps=5, schedule="constant")
    return replace(
        config, optimizer=optimizer, epochs=20, batch_tokens=128, evaluate_every=10, report_every=1
    )
