"""A recipe in a few words, for cards and lists. Knows no torch."""

from __future__ import annotations

from models.corpus.generated.tasks import TASKS
from models.networks.config import CaptionerConfig, NetworkConfig, RecurrentConfig
from models.training.config import FILES, TrainingConfig

CELL_NAMES = {"rnn": "Elman RNN", "lstm": "LSTM", "gru": "GRU"}


def architecture(network: NetworkConfig) -> str:
    """A network in a few words: "bidirectional GRU, additive attention"."""
    if isinstance(network, CaptionerConfig):
        return f"CNN, GRU, additive attention over {network.cells} x {network.cells} cells"
    if not isinstance(network, RecurrentConfig):
        layers = f"{network.num_layers} + {network.num_decoder_layers} layers"
        return f"Transformer, {layers}, {network.num_heads} heads"
    direction = "bidirectional " if network.bidirectional else ""
    attention = (
        "no attention" if network.attention == "none" else f"{network.attention.replace('_', ' ')} attention"
    )
    context = ", context at every step" if network.context == "concat" else ""
    return f"{direction}{CELL_NAMES[network.cell]}, {attention}{context}"


def data_description(config: TrainingConfig) -> str:
    """Where the pairs came from, in one sentence."""
    data = config.data
    if data.task != FILES:
        task = TASKS[data.task]
        options = ", ".join(f"{name} {value}" for name, value in (task.defaults | dict(data.options)).items())
        return f"Generated: {task.title.lower()} ({options})"
    return "Pairs of texts that were given to the run"
