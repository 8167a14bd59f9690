"""What to expect of a run before it starts: how large, how long, in one sentence."""

from __future__ import annotations

import math

from demo.i18n import later, say
from models.networks.config import NetworkConfig, RecurrentConfig, TransformerConfig
from models.training.config import TrainingConfig

CPU_RATE = 5e10  # floating-point operations a second that training reaches on two cores: 3 to 8 here
GPU_RATE = 3e13
FEW_STEPS = 20
OPERATIONS = 6  # for each weight and target token: forward, and twice that backward (Kaplan et al. 2020)


UNITS = (  # up to so many seconds, in words, seconds
    (90, later("1 second"), later("{count} seconds"), 1),
    (5400, later("1 minute"), later("{count} minutes"), 60),
    (172_800, later("1 hour"), later("{count} hours"), 3600),
)


def expectation(config: TrainingConfig, target_tokens: int, vocab_size: int, on_cpu: bool) -> str:
    """A sentence for the start button; `target_tokens` are those of one epoch."""
    weights = num_parameters(config.network, vocab_size)
    total = target_tokens * config.epochs
    steps = math.ceil(target_tokens / config.batch_tokens) * config.epochs
    seconds = (
        OPERATIONS * weights * total * _source_share(config.network) / (CPU_RATE if on_cpu else GPU_RATE)
    )
    time = _roughly(max(seconds, 10))
    values = {"weights": f"{weights / 1e6:.1f}", "steps": f"{steps:,}", "time": time}
    sentence = (
        say("About {weights} million weights and {steps} steps: at a guess {time} on this CPU.", **values)
        if on_cpu
        else say(
            "About {weights} million weights and {steps} steps: at a guess {time} on this GPU.", **values
        )
    )
    if steps < FEW_STEPS:
        sentence += " " + say("That is hardly any training: raise the epochs, or make the batches smaller.")
    if on_cpu and seconds > 4 * 3600:
        sentence += " " + say("Take a smaller network, fewer epochs or a GPU.")
    return sentence


def num_parameters(network: NetworkConfig, vocab_size: int) -> int:
    """Weights of a network, to within a few per cent: matrices only."""
    if isinstance(network, TransformerConfig):
        layer = 4 * network.d_model**2 + 2 * network.d_model * network.d_ff
        decoder_layer = layer + 4 * network.d_model**2
        tables = 3 - network.share_embeddings - network.tie_output
        return (
            network.num_layers * layer
            + network.num_decoder_layers * decoder_layer
            + tables * vocab_size * network.d_model
        )
    return _recurrent_parameters(network, vocab_size)


def _recurrent_parameters(network: RecurrentConfig, vocab_size: int) -> int:
    gates = {"rnn": 1, "gru": 3, "lstm": 4}[network.cell]
    width, embed = network.d_model, network.d_embed
    encoder_width = width // 2 if network.bidirectional else width
    directions = 2 if network.bidirectional else 1
    encoder = directions * gates * encoder_width * (embed + encoder_width)
    decoder = gates * width * (embed + width + (width if network.context == "concat" else 0))
    deeper = (network.num_layers - 1) * (
        directions * gates * encoder_width * (width + encoder_width) + gates * width * 2 * width
    )
    attention = 0 if network.attention == "none" else 2 * width * network.d_attention
    readout = 2 * width * embed if network.attention != "none" else 0
    tables = 3 - network.share_embeddings - network.tie_output
    return encoder + decoder + deeper + attention + readout + tables * vocab_size * embed


def _source_share(network: NetworkConfig) -> float:
    """An embedding costs nothing to multiply with: a part of the weights is only looked up."""
    return 0.8 if isinstance(network, TransformerConfig) else 0.7


def _roughly(seconds: float) -> str:
    for limit, one, many, size in UNITS:
        if seconds < limit:
            number = max(1, round(seconds / size))
            return say(one) if number == 1 else say(many, count=number)
    return say("{count} days", count=round(seconds / 86_400))
