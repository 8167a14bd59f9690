"""The settings of a network."""

from __future__ import annotations

from demo.training.fields.field import Field, choices_of
from models.networks.config import ACTIVATIONS, CELLS, SCORES

CELL_TITLES = {"rnn": "Elman RNN", "lstm": "LSTM", "gru": "GRU"}
SCORE_TITLES = {"none": "none", "scaled_dot": "scaled dot"}
NETWORK = "Network"

NETWORK_FIELDS: tuple[Field, ...] = (
    Field(
        "network.architecture",
        "Architecture",
        "What reads the source and writes the target.",
        NETWORK,
        "choice",
        choices=(("Recurrent", "recurrent"), ("Transformer", "transformer")),
    ),
    Field(
        "network.cell",
        "Cell",
        "The recurrent unit. An Elman RNN forgets soonest.",
        NETWORK,
        "choice",
        choices=choices_of(CELLS, CELL_TITLES),
        only="recurrent",
    ),
    Field(
        "network.attention",
        "Attention",
        "How decoder states are matched with source states; none shows the bottleneck.",
        NETWORK,
        "choice",
        choices=choices_of(("none", *SCORES), SCORE_TITLES),
        only="recurrent",
    ),
    Field(
        "network.d_embed",
        "Embedding width",
        "Numbers for each token.",
        NETWORK,
        low=4,
        high=1024,
        only="recurrent",
    ),
    Field(
        "network.d_model",
        "Model width",
        "Numbers in a state; memory and time grow with it.",
        NETWORK,
        low=4,
        high=2048,
    ),
    Field(
        "network.d_attention",
        "Attention width",
        "Inner width of additive attention.",
        NETWORK,
        low=4,
        high=1024,
        only="recurrent",
    ),
    Field(
        "network.num_layers", "Layers", "Of the encoder; of a recurrent decoder too.", NETWORK, low=1, high=12
    ),
    Field(
        "network.num_decoder_layers",
        "Decoder layers",
        "Each decoding step runs through all of them.",
        NETWORK,
        low=1,
        high=12,
        only="transformer",
    ),
    Field(
        "network.num_heads",
        "Heads",
        "The width must be a multiple of them.",
        NETWORK,
        low=1,
        high=32,
        only="transformer",
    ),
    Field(
        "network.d_ff",
        "Feed-forward width",
        "Usually two to four model widths.",
        NETWORK,
        low=4,
        high=8192,
        only="transformer",
    ),
    Field(
        "network.activation",
        "Activation",
        "Between the two feed-forward layers.",
        NETWORK,
        "choice",
        choices=choices_of(ACTIVATIONS, {"relu": "ReLU", "gelu": "GELU", "swish": "Swish"}),
        only="transformer",
    ),
    Field(
        "network.context",
        "Context",
        "Hand the encoder's last state over once, or feed it to every step.",
        NETWORK,
        "choice",
        choices=(("initial state", "initial"), ("every step", "concat")),
        only="recurrent",
    ),
    Field(
        "network.bidirectional",
        "Bidirectional encoder",
        "Reads the source from both ends; needs an even width.",
        NETWORK,
        "switch",
        only="recurrent",
    ),
    Field(
        "network.pre_norm",
        "Norm first",
        "Trains more calmly than normalising last.",
        NETWORK,
        "switch",
        only="transformer",
    ),
    Field(
        "network.dropout",
        "Dropout",
        "Share of activations silenced in training; more for little data.",
        NETWORK,
        "number",
        0,
        0.9,
    ),
    Field(
        "network.share_embeddings", "Share embeddings", "One table for source and target.", NETWORK, "switch"
    ),
    Field(
        "network.tie_output",
        "Tie the output layer",
        "It reuses the target's embeddings: fewer parameters.",
        NETWORK,
        "switch",
    ),
)
