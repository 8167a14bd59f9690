"""Fine-tuning of a checkpoint for some steps, in which two arms see the same pairs in the same order."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import nn

from models.corpus.pairs import DataError, Pair
from models.errors import not_whole_within, not_within
from models.inspection.neighbours.states import Example, batch_of, examples
from models.networks.packed import is_packed
from models.registry.checkpoint import Checkpoint, CheckpointConfig
from models.registry.hugging_face.files import is_hugging_face
from models.training.loop.objective import Objective
from models.training.loop.optimizer import build_optimizer
from models.training.loop.schedules import learning_rate
from models.training.recipe.sections import OptimizerConfig

MAX_FINE_TUNING_STEPS, MAX_BATCH_PAIRS, MAX_LEARNING_RATE = 1000, 256, 0.1
WARM_UP_STEPS = 10


@dataclass(frozen=True)
class FineTuningSettings:
    """The settings of fine-tuning, the same for both arms."""

    steps: int = 100  # they use about 3,000 pairs once, and take two minutes for the shipped checkpoints
    batch_pairs: int = 32
    learning_rate: float = 3e-4  # at 1e-3 a network begins to forget what the pairs do not show
    seed: int = 0

    def __post_init__(self) -> None:
        """Raise DataError for a value out of bounds."""
        for name, low, high in (
            ("steps", 1, MAX_FINE_TUNING_STEPS),
            ("batch_pairs", 1, MAX_BATCH_PAIRS),
            ("seed", 0, 2**31),
        ):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
                raise DataError(not_whole_within(name, low, high, value))
        if not isinstance(self.learning_rate, float) or not 0 < self.learning_rate <= MAX_LEARNING_RATE:
            raise DataError(not_within("learning_rate", 0, MAX_LEARNING_RATE, self.learning_rate))

    @property
    def max_pairs(self) -> int:
        """The number of pairs that the steps can use."""
        return self.steps * self.batch_pairs


@dataclass(frozen=True)
class FineTuningStep:
    """One step of one arm."""

    number: int  # 1 for the first step
    loss: float  # nats per target token; 0 for an empty batch
    tokens: int  # tokens of the targets


def check_own_network(name: str, config: CheckpointConfig) -> None:
    """Raise DataError for networks that read pictures, and for those of the transformers library."""
    if config.reads_pictures:
        raise DataError(
            "pictures_not_retrained",
            "{name} reads pictures: choose a checkpoint that reads texts.",
            name=name,
        )
    if is_hugging_face(config):
        raise DataError(
            "foreign_not_retrained",
            "{name} comes from elsewhere, and only networks trained by this program can be trained further "
            "here. Choose another checkpoint.",
            name=name,
        )


def check_trainable(checkpoint: Checkpoint) -> None:
    """Raise DataError for packed weights, and like `check_own_network`."""
    check_own_network(checkpoint.name, checkpoint.config)
    if is_packed(checkpoint.model):
        raise DataError(
            "packed_weights_not_trained",
            "{name} has packed weights, which cannot be trained. "
            "Choose the checkpoint with its full weights.",
            name=checkpoint.name,
        )


def readable_examples(checkpoint: Checkpoint, pairs: Mapping[int, Pair]) -> dict[int, Example]:
    """The pairs that fit the network, by index. Raises DataError if none does."""
    fitting_pairs = examples_by_index(checkpoint, pairs)
    if not fitting_pairs:
        raise DataError(
            "no_pair_to_retrain",
            "none of the {count} training pairs fits the network: choose other pairs",
            count=f"{len(pairs):,}",
        )
    return fitting_pairs


def examples_by_index(checkpoint: Checkpoint, pairs: Mapping[int, Pair]) -> dict[int, Example]:
    """The pairs that fit the network, by index."""
    return {index: example for index, pair in pairs.items() for example in examples(checkpoint, [pair])}


def fine_tune(
    checkpoint: Checkpoint, pairs: Mapping[int, Example], settings: FineTuningSettings, indices: Sequence[int]
) -> Iterator[FineTuningStep]:
    """Fine-tune the weights in place on pairs by index; yield each step that is done.

    The order of `indices` depends on the seed alone. An index without a pair leaves a gap in its batch, so
    the other pairs keep their steps.
    """
    optimizing = OptimizerConfig(
        learning_rate=settings.learning_rate,
        warmup_steps=min(WARM_UP_STEPS, settings.steps),
        compile=False,
        bf16=False,
    )
    model = checkpoint.model.requires_grad_(True)
    parameters = list(model.parameters())
    optimizer = build_optimizer(parameters, optimizing, parameters[0].device)
    objective = Objective(model, optimizing)
    batches = _shuffled_batches(indices, settings)
    for step in range(1, settings.steps + 1):
        loss, tokens = 0.0, 0
        examples_of_step = [pairs[index] for index in next(batches) if index in pairs]
        if examples_of_step:
            with torch.inference_mode(False), torch.enable_grad(), torch.random.fork_rng(devices=[]):
                # Dropout is the same in both arms.
                torch.manual_seed(settings.seed * MAX_FINE_TUNING_STEPS + step)
                model.train()
                batch = batch_of(checkpoint, examples_of_step)
                optimizer.zero_grad(set_to_none=True)
                mean = objective(batch) / batch.num_tokens
                mean.backward()
                nn.utils.clip_grad_norm_(parameters, optimizing.clip_norm)
                for group in optimizer.param_groups:
                    group["lr"] = learning_rate(optimizing, step, settings.steps)
                optimizer.step()
            loss, tokens = float(mean.detach()), int(batch.num_tokens)
        yield FineTuningStep(step, loss, tokens)
    model.eval()


def _shuffled_batches(indices: Sequence[int], settings: FineTuningSettings) -> Iterator[list[int]]:
    """Yield batches of indices without end. Every index occurs once before any occurs again."""
    rng, queue = random.Random(settings.seed), list[int]()
    batch = min(settings.batch_pairs, len(indices))
    while True:
        while len(queue) < batch:
            queue += rng.sample(indices, len(indices))
        yield queue[:batch]
        queue = queue[batch:]
