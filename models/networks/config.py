"""The description of a network as plain numbers, and the settings that several architectures share.

Imports no torch, so that a form can be filled in before torch is loaded.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import Field, asdict, replace
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from models.errors import Message, UnrolledError
from models.setting import Setting, check_settings, settings_of

if TYPE_CHECKING:
    from models.networks.base import Seq2SeqModel

Config = TypeVar("Config", bound="NetworkConfig")
MAX_WIDTH, MAX_LAYERS = 8192, 64  # far more than one machine can train
MAX_PARAMETERS = 4_000_000_000  # 16 GB in single precision


class ConfigError(UnrolledError, ValueError):
    """An invalid description of a network; the message names the field and its allowed values."""


# Settings of several architectures; a form has each of them once.
D_MODEL = Setting(
    "Model width", "Numbers in a state; memory and time grow with it.", 1, MAX_WIDTH, form=(4, 2048)
)
NUM_LAYERS = Setting(
    "Layers", "Layers of the encoder, and of a recurrent decoder.", 1, MAX_LAYERS, form=(1, 12)
)
DROPOUT = Setting(
    "Dropout", "Share of activations set to zero; more for little data.", 0, 1, below=True, form=(0, 0.9)
)
SHARE_EMBEDDINGS = Setting("Share embeddings", "One table for source and target.")
TIE_OUTPUT = Setting("Tie the output layer", "The output layer uses the target's embeddings.")


class NetworkConfig(ABC):
    """An architecture with its sizes. A subclass is a frozen dataclass, each field of it a `setting`."""

    architecture: ClassVar[str]  # its name in recipes and in `config.json`
    network: ClassVar[str]  # its module and class, loaded to build it: "models.networks.x.model:XModel"
    title: ClassVar[str]  # its title for people
    year: ClassVar[int]  # the year of its paper
    reads_pictures: ClassVar[bool] = False
    offered: ClassVar[tuple[str, ...]] = ()  # the fields that a form offers, in order
    multiplied_share: ClassVar[float] = 0.8  # the share of weights in matrix products
    d_model: int  # width of the decoder's states
    dropout: float
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __post_init__(self) -> None:
        check_settings(self, ConfigError)

    @classmethod
    def settings(cls) -> Mapping[str, Setting]:
        """The setting of each field, by name."""
        return settings_of(cls)

    def build(self, vocab_size: int, pad_id: int) -> Seq2SeqModel:
        """Build the network with random weights. Imports torch."""
        built: Seq2SeqModel = resolve_name(self.network)(self, vocab_size, pad_id)
        return built

    @abstractmethod
    def num_parameters(self, vocab_size: int) -> int:
        """Return `Seq2SeqModel.num_parameters` of the built network."""

    @abstractmethod
    def description(self) -> str:
        """A few English words for a card: "bidirectional GRU, additive attention"."""

    def words(self) -> Message:
        """The kind of network in two or three words: "GRU with attention"."""
        return Message("label", self.title)

    def facts(self) -> tuple[Message, ...]:
        """The properties that tell this network from another run's, in a few words each."""
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
    cells: int  # cells on a side
