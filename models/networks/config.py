"""The description of a network as plain numbers: what each may be, and what is asked of every description.

Knows no torch, so that a form can be filled in before anything heavy is loaded, and no architecture.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import Field, asdict, dataclass, field, replace
from dataclasses import fields as fields_of
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from models.errors import Message, UnrolledError, not_a_switch, not_one_of, not_whole_within, shown

if TYPE_CHECKING:
    from models.networks.base import Seq2SeqModel

Value = TypeVar("Value")
Config = TypeVar("Config", bound="NetworkConfig")
WIDEST, DEEPEST = 8192, 64  # many times what one machine trains
MAX_PARAMETERS = 4_000_000_000  # 16 GB in single precision


class ConfigError(UnrolledError, ValueError):
    """A description that no network fits; the message names the field and what it may be."""


@dataclass(frozen=True)
class NetworkSetting:
    """What one number of a description may be, and how a form asks for it."""

    label: str = ""
    help: str = ""  # one sentence
    most: int = 0  # of a whole number, which is at least 1; 0 = it is none
    form: tuple[float, float] | None = None  # the smallest and largest number that a form offers
    choices: Mapping[str, str] | None = None  # by name, what people call it

    def check(self, name: str, value: object, default: object) -> None:
        """Raises ConfigError unless it is what a field with such a default may be."""
        if self.choices is not None:
            if value not in tuple(self.choices):  # what JSON holds may be no key of a mapping
                raise ConfigError(not_one_of(name, self.choices, value))
        elif isinstance(default, bool):
            if not isinstance(value, bool):
                raise ConfigError(not_a_switch(name, value))
        elif self.most:
            if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= self.most:
                raise ConfigError(not_whole_within(name, 1, self.most, value))
        elif not isinstance(value, int | float) or not 0 <= value < 1:
            raise ConfigError(
                "not_a_share",
                "{name} must be at least 0 and below 1; got {value}",
                name=name,
                value=shown(value),
            )


# What several architectures have, so that a form asks for it once.
D_MODEL = NetworkSetting(
    "Model width", "Numbers in a state; memory and time grow with it.", WIDEST, (4, 2048)
)
NUM_LAYERS = NetworkSetting("Layers", "Of the encoder; of a recurrent decoder too.", DEEPEST, (1, 12))
DROPOUT = NetworkSetting(
    "Dropout", "Share of activations silenced in training; more for little data.", form=(0, 0.9)
)
SHARE_EMBEDDINGS = NetworkSetting("Share embeddings", "One table for source and target.")
TIE_OUTPUT = NetworkSetting("Tie the output layer", "It reuses the target's embeddings: fewer parameters.")


def network_setting(default: Value, about: NetworkSetting) -> Value:
    """A field of a description."""
    declared: Value = field(default=default, metadata={"setting": about})
    return declared


class NetworkConfig(ABC):
    """An architecture with its sizes. A subclass is a frozen dataclass, each field of it a `setting`."""

    architecture: ClassVar[str]  # its name in recipes and in `config.json`
    title: ClassVar[str]  # what people call it
    year: ClassVar[int]  # of its paper
    reads_pictures: ClassVar[bool] = False
    offered: ClassVar[tuple[str, ...]] = ()  # the fields that a form asks for, in its order
    multiplied: ClassVar[float] = 0.8  # share of the weights that each token meets; others are looked up
    d_model: int  # width of what the decoder hands to its output layer
    dropout: float
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __post_init__(self) -> None:
        for each in fields_of(self):
            each.metadata["setting"].check(each.name, getattr(self, each.name), each.default)

    @classmethod
    def settings(cls) -> dict[str, NetworkSetting]:
        """What each field may be, by name."""
        return {each.name: each.metadata["setting"] for each in fields_of(cls)}

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        """The value of each field that is not given, by name."""
        return {each.name: each.default for each in fields_of(cls)}

    @abstractmethod
    def build(self, vocab_size: int, pad_id: int) -> Seq2SeqModel:
        """The network with random weights. Imports torch."""

    @abstractmethod
    def num_parameters(self, vocab_size: int) -> int:
        """As `Seq2SeqModel.num_parameters` of what is built."""

    @abstractmethod
    def description(self) -> str:
        """In a few English words, for a card: "bidirectional GRU, additive attention"."""

    def facts(self) -> tuple[Message, ...]:
        """What sets it apart from another run's, in a few words each."""
        return Message("label", self.title), self._width()

    def _width(self) -> Message:
        return Message("network_width", "{width} wide", width=self.d_model)

    def _depth(self, layers: object) -> Message:
        return Message("network_depth", "{count} layers", count=layers)

    def arguments(self) -> dict[str, Any]:
        """Every field by name, as plain numbers."""
        return asdict(self)

    def with_dropout(self: Config, dropout: float) -> Config:
        """The same network, trained with another dropout."""
        return replace(self, dropout=dropout)


class PictureConfig(NetworkConfig):
    """A network whose sources are pictures, seen as a grid of cells."""

    reads_pictures = True
    picture_size: int  # pixels on a side
    cells: int  # on a side
