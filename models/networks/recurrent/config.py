"""The description of a `RecurrentModel`. Imports no torch."""

from __future__ import annotations

from dataclasses import dataclass

from models.errors import Message
from models.networks.cells import CELLS
from models.networks.config import (
    D_MODEL,
    DROPOUT,
    MAX_WIDTH,
    NUM_LAYERS,
    SHARE_EMBEDDINGS,
    TIE_OUTPUT,
    ConfigError,
    NetworkConfig,
)
from models.setting import Setting, labels, setting

# Alignment scores of the decoder's attention, with their names for people.
SCORE_TITLES = {"additive": "additive", "dot": "dot", "scaled_dot": "scaled dot", "general": "general"}
CELL = Setting(
    "Cell", "An Elman RNN forgets soonest.", offers=labels({name: cell.title for name, cell in CELLS.items()})
)
D_EMBED = Setting("Embedding width", "Numbers for each token.", 1, MAX_WIDTH, form=(4, 1024))
BIDIRECTIONAL = Setting("Bidirectional encoder", "Reads the source from both ends; needs an even width.")
CONTEXT_SETTING = Setting(
    "Context",
    "The decoder gets the encoder's last state once, or at every step.",
    offers=labels({"initial": "initial state", "concat": "every step"}),
)
ATTENTION_SETTING = Setting(
    "Attention",
    "How decoder and source states are compared; “none” shows the bottleneck.",
    offers=labels({"none": "none", **SCORE_TITLES}),
)
D_ATTENTION = Setting("Attention width", "Inner width of additive attention.", 1, MAX_WIDTH, form=(4, 1024))


@dataclass(frozen=True, kw_only=True)
class RecurrentConfig(NetworkConfig):
    """A `RecurrentModel`."""

    architecture = "recurrent"
    network = "models.networks.recurrent.model:RecurrentModel"
    title = "Recurrent"
    year = 2014
    offered = (
        *("cell", "attention", "d_embed", "d_model", "d_attention", "num_layers", "context"),
        *("bidirectional", "dropout", "share_embeddings", "tie_output"),
    )
    multiplied_share = 0.7

    cell: str = setting("gru", CELL)
    d_embed: int = setting(256, D_EMBED)
    d_model: int = setting(512, D_MODEL)  # width of the decoder's state and of the source memory
    num_layers: int = setting(1, NUM_LAYERS)  # layers of the encoder and of the decoder
    bidirectional: bool = setting(True, BIDIRECTIONAL)  # the encoder; each direction has half of d_model
    context: str = setting("initial", CONTEXT_SETTING)  # concat: also feed the final state to every step
    attention: str = setting("additive", ATTENTION_SETTING)
    d_attention: int = setting(256, D_ATTENTION)  # inner width of additive attention
    dropout: float = setting(0.0, DROPOUT)
    share_embeddings: bool = setting(False, SHARE_EMBEDDINGS)
    tie_output: bool = setting(False, TIE_OUTPUT)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.bidirectional and self.d_model % 2:
            raise ConfigError(
                "odd_directions",
                "d_model must be even for a bidirectional encoder; got {width}",
                width=self.d_model,
            )

    def num_parameters(self, vocab_size: int) -> int:
        cell, directions = CELLS[self.cell], 2 if self.bidirectional else 1
        width, deeper = self.d_model // directions, self.num_layers - 1
        encoder = cell.num_parameters(self.d_embed, width) + deeper * cell.num_parameters(self.d_model, width)
        source_table = 0 if self.share_embeddings else vocab_size * self.d_embed
        return directions * encoder + source_table + self.decoder_parameters(vocab_size)

    def description(self) -> str:
        direction = "bidirectional " if self.bidirectional else ""
        kind = "no" if self.attention == "none" else SCORE_TITLES[self.attention]
        context = ", context at every step" if self.context == "concat" else ""
        return f"{direction}{CELLS[self.cell].title}, {kind} attention{context}"

    def words(self) -> Message:
        cell = Message("label", CELLS[self.cell].title)
        if self.attention == "none":
            return Message("cell_without_attention", "{cell} without attention", cell=cell)
        return Message("cell_with_attention", "{cell} with attention", cell=cell)

    def facts(self) -> tuple[Message, ...]:
        depth = (self._depth(self.num_layers),) if self.num_layers > 1 else ()
        attention = Message("no_attention", "no attention")
        if self.attention != "none":
            kind = Message("label", SCORE_TITLES[self.attention])
            attention = Message("kind_of_attention", "{kind} attention", kind=kind)
        return Message("label", CELLS[self.cell].title), *depth, self._width(), attention

    def decoder_parameters(self, vocab_size: int) -> int:
        """The number of parameters of the `RecurrentDecoder`."""
        width, embed = self.d_model, self.d_embed
        cell, deeper = CELLS[self.cell], self.num_layers - 1
        inputs = embed + width if self.context == "concat" else embed
        layers = cell.num_parameters(inputs, width) + deeper * cell.num_parameters(width, width)
        scores = {"general": width * width, "additive": self.d_attention * (2 * width + 2)}
        attends = self.attention != "none"
        has_readout = attends or (self.tie_output and width != embed)
        readout = embed * ((2 * width if attends else width) + 1) if has_readout else 0
        output = vocab_size * (1 + (0 if self.tie_output else embed if has_readout else width))
        return vocab_size * embed + layers + scores.get(self.attention, 0) + readout + output
