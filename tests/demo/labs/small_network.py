"""One small checkpoint with random weights for the labs."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cache

import torch

from demo.labs.forcing.lab import PAIRS
from demo.widgets.answers.content import Networks
from models.decoding.record.recorder import OnStep
from models.networks.architectures import build_model, network_dict
from models.networks.recurrent.config import RecurrentConfig
from models.registry.checkpoint import Checkpoint, CheckpointConfig
from models.tokenization.tokenizer import Tokenizer

NAME = "letters"


@cache
def checkpoint() -> Checkpoint:
    """A checkpoint that reads and writes the letters of the lab's pair and of tests."""
    tokenizer = Tokenizer.train([*PAIRS["translation", "es", "en"], "perro"], "character", vocab_size=60)
    network = RecurrentConfig(d_embed=8, d_model=8, d_attention=8)
    config = CheckpointConfig(
        network=network_dict(network),
        vocab_size=tokenizer.vocab_size,
        task="translation",
        source_language="es",
        target_language="en",
    )
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = build_model(network, tokenizer.vocab_size, Tokenizer.pad_id).eval()
    return Checkpoint(NAME, config, tokenizer, model)


def small_networks() -> Networks:
    """The networks of a lab: the small checkpoint alone."""

    def open_checkpoint(_: str) -> AbstractContextManager[tuple[Checkpoint, OnStep]]:
        return nullcontext((checkpoint(), lambda step: None))

    return Networks(lambda: [(NAME, checkpoint().config)], open_checkpoint)
