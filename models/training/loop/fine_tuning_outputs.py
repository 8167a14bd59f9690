"""The outputs of a network for training pairs: before the first step of fine-tuning, and at the end."""

from __future__ import annotations

from models.decoding.limits import MAX_LENGTH
from models.decoding.options import DecodingOptions
from models.decoding.outputs import translate
from models.networks.base import Seq2SeqModel
from models.training.data.training_data import TrainingData
from models.training.events import Emit, TrainingPairDecoded
from models.training.recipe.config import TrainingConfig

MAX_PAIRS = 8  # a reader takes in this many at a glance


def decode_training_pairs(
    config: TrainingConfig, model: Seq2SeqModel, data: TrainingData, step: int, emit: Emit
) -> None:
    """Emit the greedy output for each of the first training pairs; no source comes twice.

    Emits nothing for a run from scratch, or for pictures, which no table of texts shows.
    """
    if not config.start or config.network.reads_pictures:
        return
    targets: dict[str, str] = {}
    for source, target in data.pairs:
        if len(targets) < MAX_PAIRS:
            targets.setdefault(source, target)
    model.eval()
    greedy = DecodingOptions("greedy", max_length=min(config.max_length, MAX_LENGTH))
    outputs = translate(model, data.tokenizer, list(targets), greedy)
    for (source, target), output in zip(targets.items(), outputs, strict=True):
        emit(TrainingPairDecoded(step, source, target, output))
