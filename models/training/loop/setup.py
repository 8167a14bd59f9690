"""The beginning of a run: its folders, the checkpoint that it fine-tunes, its network and its tokenizer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import torch

from models.corpus.pairs import Split
from models.networks.architectures import build_model, network_config
from models.networks.base import Seq2SeqModel
from models.networks.config import ConfigError
from models.registry.checkpoint import TOKENIZER, Checkpoint, load_checkpoint
from models.tokenization.pictures import MAX_PICTURE_CHARACTERS
from models.tokenization.tokenizer import Tokenizer
from models.training.process_group import Group
from models.training.recipe.config import TrainingConfig, learnt_tokenizer

RECIPE = "recipe.json"
EXAMPLES, EXAMPLES_FROM, EXAMPLE_CHARACTERS = 5, 15, 80


@dataclass(frozen=True)
class RunFolders:
    """The folders of one run."""

    output: Path  # gets `best` and `last`, both checkpoints, and `state.safetensors`
    data: Path = Path()  # the recipe's files are relative to it
    recipe: Path = Path()  # the recipe's supplement is relative to it
    start: Path | None = None  # the checkpoint to fine-tune; None = from scratch


def starting_checkpoint(config: TrainingConfig, folder: Path | None) -> Checkpoint | None:
    """The checkpoint to fine-tune, None for a run from scratch. Raises ConfigError, CheckpointError."""
    if not config.start:
        return None
    if folder is None:
        raise ConfigError(
            "start_without_folder",
            "start is {name}, so the folder of that checkpoint must be given too",
            name=repr(config.start),
        )
    return load_checkpoint(folder, torch.device("cpu"))


def effective_config(
    config: TrainingConfig, start: Checkpoint | None, resumed: Path | None
) -> TrainingConfig:
    """The recipe with the network that is trained: that of the start, with the recipe's dropout.

    `resumed` is the run folder of an earlier part. Raises ConfigError.
    """
    if start is None:
        if resumed is None or not config.start:
            return config
        return replace(config, network=TrainingConfig.load(resumed / RECIPE).network)
    network = network_config(start.config.network).with_dropout(config.network.dropout)
    data = replace(
        config.data,
        source_language=config.data.source_language or start.config.source_language,
        target_language=config.data.target_language or start.config.target_language,
    )
    return replace(config, network=network, data=data)


def with_examples(config: TrainingConfig, corpus: Split) -> TrainingConfig:
    """The recipe with source texts that the checkpoint shows first: some of validation if it has none."""
    if config.examples:
        return config
    has_pictures = config.network.reads_pictures
    longest = MAX_PICTURE_CHARACTERS if has_pictures else EXAMPLE_CHARACTERS
    outputs = {source: output for source, output in corpus.valid if len(source) <= longest}
    # The length of a picture as a text says nothing of what is in it: that of its caption does.
    length = {source: len(output if has_pictures else source) for source, output in outputs.items()}
    longest_first = sorted(list(outputs)[:EXAMPLES_FROM], key=lambda source: -length[source])
    return replace(config, examples=tuple(longest_first[:EXAMPLES]))


def build_network(config: TrainingConfig, vocab_size: int, start: Checkpoint | None) -> Seq2SeqModel:
    """The network with random weights, or with those of the start."""
    model = build_model(config.network, vocab_size, Tokenizer.pad_id)
    if start is not None:
        model.load_state_dict(start.model.state_dict())
    return model


def run_tokenizer(
    config: TrainingConfig, corpus: Split, output: Path, start: Checkpoint | None, resume: bool, group: Group
) -> Tokenizer:
    """The tokenizer of the start or of an earlier part of the run, else one learnt from the pairs."""
    path = output / TOKENIZER
    if resume:
        return Tokenizer.load(path)
    if start is not None:
        tokenizer = start.tokenizer
    else:
        tokenizer = learnt_tokenizer(config.tokenizer, corpus.train, config.network)
    if group.is_first:
        tokenizer.save(path)
    return tokenizer
