"""An experiment: fine-tune a checkpoint with and without some training pairs, and compare the outputs.

The influence of a training pair (Koh and Liang 2017) is how the output would change without it. They estimate
it; here it is measured, with fine-tuning instead of training from scratch. Both arms start from the same
weights and see the same pairs in the same order with the same dropout, but the second arm lacks some pairs,
or sees them corrected. If the checkpoint was trained on these pairs before, both arms keep what it
learnt from them; only pairs that are new to it can be undone completely.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from models.corpus.pairs import DataError, Pair
from models.decoding.limits import MAX_LENGTH
from models.decoding.options import DecodingOptions
from models.decoding.outputs import translate
from models.decoding.strategies.greedy import Greedy
from models.evaluation.retrain.fine_tuning import (
    FineTuningSettings,
    FineTuningStep,
    check_trainable,
    examples_by_index,
    fine_tune,
    readable_examples,
)
from models.evaluation.retrain.propose import WrongOutput
from models.evaluation.text_scores import score_texts
from models.inspection.neighbours.states import Example
from models.metrics.bootstrap import chrf_statistics
from models.registry.checkpoint import Checkpoint

BOTH_ARMS = 2


@dataclass(frozen=True)
class ExperimentTestSet:
    """The sources that both arms decode."""

    wrong: WrongOutput
    held_out: tuple[Pair, ...] = ()  # pairs that show the effect on other sources


@dataclass(frozen=True)
class Changes:
    """The differences of the second arm, by index of the training pair."""

    dropped: frozenset[int] = frozenset()
    corrected: Mapping[int, Pair] = field(default_factory=dict)


@dataclass(frozen=True)
class Arm:
    """The outputs and scores of a fine-tuned network."""

    output: str  # the greedy output for the source of the wrong output
    wrong_log_prob: float  # the log-probability of the wrong text, in nats
    wanted_log_prob: float
    held_out: tuple[str, ...]  # outputs


@dataclass(frozen=True)
class HeldOutScores:
    """The changes on the held-out pairs."""

    pairs: int
    changed: int  # outputs that differ between the arms
    before: tuple[float, float, float]  # chrF of all pairs, and its 95 % interval
    after: tuple[float, float, float]
    gained: tuple[float, float, float]  # `after` minus `before`, with the same resamples


@dataclass(frozen=True)
class ExperimentResult:
    """Both arms: with all pairs, and with the changes."""

    before: Arm
    after: Arm
    flipped: bool  # True: the second arm writes the wanted text and the first does not
    held_out_scores: HeldOutScores | None  # None without held-out pairs


@dataclass(frozen=True)
class ExperimentProgress:
    """The progress of an experiment after a step; the last one has the result."""

    share: float  # 0 to 1
    step: FineTuningStep | None = None
    arm: int = 0  # 0 with all pairs, 1 with the changes
    result: ExperimentResult | None = None


def retrain(
    start: Checkpoint,
    pairs: Sequence[Pair],
    changes: Changes,
    test_set: ExperimentTestSet,
    settings: FineTuningSettings,
) -> Iterator[ExperimentProgress]:
    """Train both arms step by step, on copies of the start's weights, and yield the progress.

    If the steps are too few for all pairs, the arms use the changed pairs and a random sample of the others.
    Raises DataError for weights that cannot be trained, and if no pair is left.
    """
    check_trainable(start)
    indices = used_indices(len(pairs), changes, settings)
    original = readable_examples(start, {index: pairs[index] for index in indices})
    changed = _apply_changes(start, original, changes)
    arms = []
    for number, selected in enumerate((original, changed)):
        model = copy.deepcopy(start.model)
        # A move to its own device makes the weights of recurrent layers contiguous, as cuDNN needs them.
        model.to(next(model.parameters()).device)
        arm = Checkpoint(start.name, start.config, start.tokenizer, model)
        for step in fine_tune(arm, selected, settings, indices):
            share = (number * settings.steps + step.number) / (BOTH_ARMS * settings.steps + 1)
            yield ExperimentProgress(share, step, number)
        arms.append(_test(arm, test_set))
    before, after = arms
    wanted_output = test_set.wrong.wanted
    flipped = before.output != wanted_output and after.output == wanted_output
    result = ExperimentResult(before, after, flipped, _held_out_scores(before, after, test_set.held_out))
    yield ExperimentProgress(1.0, result=result)


def used_indices(size: int, changes: Changes, settings: FineTuningSettings) -> Sequence[int]:
    """The indices of the pairs that the arms use, out of `size` pairs, ascending."""
    if size <= settings.max_pairs:
        return range(size)
    changed = {index for index in (*changes.dropped, *changes.corrected) if index < size}
    unchanged_indices = [index for index in range(size) if index not in changed]
    sample = random.Random(settings.seed).sample(unchanged_indices, max(0, settings.max_pairs - len(changed)))
    return sorted((*changed, *sample))


def _apply_changes(
    checkpoint: Checkpoint, pairs: Mapping[int, Example], changes: Changes
) -> dict[int, Example]:
    corrected = examples_by_index(checkpoint, changes.corrected)
    pairs = {index: pair for index, pair in {**pairs, **corrected}.items() if index not in changes.dropped}
    if not pairs:
        raise DataError("no_pair_left", "Without these training pairs none is left to train on: keep some.")
    return pairs


def _test(arm: Checkpoint, test_set: ExperimentTestSet) -> Arm:
    wrong, tokenizer = test_set.wrong, arm.tokenizer
    max_length = min(arm.config.max_length, arm.model.max_positions or MAX_LENGTH)
    sources = [wrong.source, *(source for source, _ in test_set.held_out)]
    options = DecodingOptions(strategy=Greedy.name, max_length=max_length)
    output, *held_out_outputs = translate(arm.model, tokenizer, sources, options)
    targets = tokenizer.target.encode_ids([wrong.output, wrong.wanted])
    texts = [(*tokenizer.first_ids, *ids) for ids in targets]
    scored = score_texts(arm.model, tokenizer.encode_ids([wrong.source] * len(texts)), texts, tokenizer)
    return Arm(output, scored[0].log_prob, scored[1].log_prob, tuple(held_out_outputs))


def _held_out_scores(before: Arm, after: Arm, held_out: Sequence[Pair]) -> HeldOutScores | None:
    if not held_out:
        return None
    references = [[target] for _, target in held_out]
    before_scores, after_scores = (chrf_statistics(arm.held_out, references) for arm in (before, after))
    changed = sum(
        before_output != after_output
        for before_output, after_output in zip(before.held_out, after.held_out, strict=True)
    )
    before_values, after_values = (
        (sentences.value(), *sentences.interval()) for sentences in (before_scores, after_scores)
    )
    return HeldOutScores(
        len(held_out), changed, before_values, after_values, after_scores.paired_difference(before_scores)
    )
