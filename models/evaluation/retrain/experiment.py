"""Fine-tune from one start with and without some training pairs, and compare what is written then.

Influence (Koh and Liang 2017) asks what a network would say had it been trained without a pair. There it is
estimated; here it is measured, on an approximation of training from scratch: both arms start from the same
weights, those of a checkpoint, and see the same pairs in the same order with the same coins of dropout, but
that the second arm lacks some, or sees them corrected. What the checkpoint itself had learnt from these pairs
before stays in both arms: so only pairs that are new to it can be undone altogether.
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
from models.evaluation.forced import forced
from models.evaluation.retrain.fine_tuning import (
    Settings,
    Step,
    by_place,
    check_trainable,
    fine_tune,
    readable,
)
from models.evaluation.retrain.propose import WrongOutput
from models.inspection.neighbours.states import Example
from models.metrics.bootstrap import chrf_sentences
from models.registry.checkpoint import Checkpoint

BOTH_ARMS = 2


@dataclass(frozen=True)
class Question:
    """What is looked at in both arms."""

    wrong: WrongOutput
    held_out: tuple[Pair, ...] = ()  # on which what else changed is counted


@dataclass(frozen=True)
class Changes:
    """What an arm sees otherwise than the other: places in the training pairs."""

    dropped: frozenset[int] = frozenset()
    corrected: Mapping[int, Pair] = field(default_factory=dict)


@dataclass(frozen=True)
class Arm:
    """What a fine-tuned network says."""

    output: str  # by greedy search, of the source that is asked about
    wrong_log_prob: float  # of the wrong text, in nats
    wanted_log_prob: float
    held_out: tuple[str, ...]  # outputs


@dataclass(frozen=True)
class Else:
    """What else changed, on the held-out pairs."""

    pairs: int
    changed: int  # outputs that differ between the arms
    before: tuple[float, float, float]  # chrF of all pairs, and its 95 % interval
    after: tuple[float, float, float]
    gained: tuple[float, float, float]  # by how much `after` is higher, of the same resamples


@dataclass(frozen=True)
class Result:
    """Both arms: with all pairs, and with the changes."""

    before: Arm
    after: Arm
    flipped: bool  # the output was not the wanted text, and is it now
    others: Else | None  # None without held-out pairs


@dataclass(frozen=True)
class Progress:
    """Where an experiment stands, told after each step; the last one has the result."""

    share: float  # 0 to 1
    step: Step | None = None
    arm: int = 0  # 0 with all pairs, 1 with the changes
    result: Result | None = None


def retrain(
    start: Checkpoint,
    pairs: Sequence[Pair],
    changes: Changes,
    question: Question,
    settings: Settings,
) -> Iterator[Progress]:
    """Both arms, step by step; whoever stops asking stops it. The start's weights stay as they are.

    Of more pairs than can be seen in so many steps, those that are changed are taken, and others by chance.
    Raises DataError for weights that cannot be trained, and if no pair is left.
    """
    check_trainable(start)
    places = seen_places(len(pairs), changes, settings)
    hits = readable(start, {place: pairs[place] for place in places})
    changed = _with(start, hits, changes)
    arms = []
    for number, those in enumerate((hits, changed)):
        model = copy.deepcopy(start.model)
        # Where it is already: that puts the weights of recurrent layers side by side, as cuDNN wants them.
        model.to(next(model.parameters()).device)
        arm = Checkpoint(start.name, start.config, start.tokenizer, model)
        for step in fine_tune(arm, those, settings, places):
            share = (number * settings.steps + step.number) / (BOTH_ARMS * settings.steps + 1)
            yield Progress(share, step, number)
        arms.append(_asked(arm, question))
    before, after = arms
    wanted = question.wrong.wanted
    flipped = before.output != wanted and after.output == wanted
    result = Result(before, after, flipped, _others(before, after, question.held_out))
    yield Progress(1.0, result=result)


def seen_places(size: int, changes: Changes, settings: Settings) -> Sequence[int]:
    """Which of `size` pairs are fine-tuned on, in their order."""
    if size <= settings.most_pairs:
        return range(size)
    needed = {place for place in (*changes.dropped, *changes.corrected) if place < size}
    others = [place for place in range(size) if place not in needed]
    drawn = random.Random(settings.seed).sample(others, max(0, settings.most_pairs - len(needed)))
    return sorted((*needed, *drawn))


def _with(checkpoint: Checkpoint, found: Mapping[int, Example], changes: Changes) -> dict[int, Example]:
    corrected = by_place(checkpoint, changes.corrected)
    kept = {place: item for place, item in {**found, **corrected}.items() if place not in changes.dropped}
    if not kept:
        raise DataError("no_pair_left", "Without these training pairs none is left to train on: keep some.")
    return kept


def _asked(arm: Checkpoint, question: Question) -> Arm:
    wrong, tokenizer = question.wrong, arm.tokenizer
    most = min(arm.config.max_length, arm.model.max_positions or MAX_LENGTH)
    sources = [wrong.source, *(source for source, _ in question.held_out)]
    options = DecodingOptions(strategy=Greedy.name, max_length=most)
    output, *rest = translate(arm.model, tokenizer, sources, options)
    targets = tokenizer.target.encode_ids([wrong.output, wrong.wanted])
    texts = [(*tokenizer.first_ids, *ids) for ids in targets]
    said = forced(arm.model, tokenizer.encode_ids([wrong.source] * len(texts)), texts, tokenizer)
    return Arm(output, said[0].log_prob, said[1].log_prob, tuple(rest))


def _others(before: Arm, after: Arm, held_out: Sequence[Pair]) -> Else | None:
    if not held_out:
        return None
    references = [[target] for _, target in held_out]
    old, new = (chrf_sentences(arm.held_out, references) for arm in (before, after))
    changed = sum(ours != theirs for ours, theirs in zip(before.held_out, after.held_out, strict=True))
    first, second = ((item.value(), *item.interval()) for item in (old, new))
    return Else(len(held_out), changed, first, second, new.lost(old))
