"""States to search while a reader inspects a step: stored ones, or some that are computed at once."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from models.batch import Batch
from models.corpus.generated.all_tasks import TASKS, generate
from models.corpus.pairs import Pair
from models.decoding.limits import MAX_LENGTH
from models.decoding.options import DecodingOptions
from models.decoding.outputs import translate
from models.decoding.strategies.greedy import Greedy
from models.errors import Message
from models.inspection.neighbours.states import CONTEXT_STATES, DECODER_STATES, unroll
from models.inspection.neighbours.store import (
    STORE_INDEX,
    StateStore,
    StateStoreError,
    fingerprint,
    folder_of,
    open_states,
    states_at_once,
)
from models.inspection.question import Question
from models.lru_cache import LruCache
from models.registry.checkpoint import Checkpoint
from models.tokenization.pictures import PictureError

STORED_STATES, STATES_OF_GENERATED, STATES_OF_EXAMPLES = "kept", "generated", "examples"
GENERATED_SEED = 17
GENERATED_PAIRS, GENERATED_PICTURES = 300, 120  # computed in less than a second
MAX_LINES = 40  # lines that a reader typed
MAX_CACHED_STORES = 8


@dataclass(frozen=True)
class AvailableStates:
    """States to search, and their origin."""

    store: StateStore
    origin: str  # STORED_STATES, STATES_OF_GENERATED or STATES_OF_EXAMPLES
    problem: Message | str = ""  # why stored states cannot be used


class StateStores:
    """A thread-safe cache of stores by checkpoint."""

    def __init__(self, max_stores: int = MAX_CACHED_STORES) -> None:
        self._stores: LruCache[Hashable, StateStore | None] = LruCache(max_stores)

    def __len__(self) -> int:
        return len(self._stores)

    def of(
        self, checkpoint: Checkpoint, root: Path, lines: Sequence[str] = (), sentences: Sequence[Pair] = ()
    ) -> AvailableStates:
        """Return the states stored under `root`, or those of generated pairs, or those of the examples.

        Generated pairs exist only for a generated task. `sentences`, pairs that depend only on the
        checkpoint, are added to the examples. `lines` of the reader are added in every case: a source, for
        which the network writes the output, or a source, a tab and an output.
        """
        network, problem, stored = fingerprint(checkpoint), "", None
        try:
            index = folder_of(root, checkpoint.name) / STORE_INDEX
            modified = index.stat().st_mtime_ns if index.exists() else 0
            stored = self._stores.get_or_make(
                (network, index, modified), lambda: open_states(root, checkpoint)
            )
        except StateStoreError as error:
            problem = error.message
        except OSError:  # the folder cannot be read
            pass
        typed = tuple(line for line in map(str.strip, lines) if line)[:MAX_LINES]

        def store_of(key: Hashable, pairs: Callable[[], Sequence[Pair]]) -> StateStore:
            store = self._stores.get_or_make((network, key), lambda: states_at_once(checkpoint, pairs()))
            assert store is not None
            return store

        if stored is not None:
            base, origin = stored, STORED_STATES
        elif checkpoint.config.task in TASKS:
            origin = STATES_OF_GENERATED
            base = store_of(origin, lambda: generated_pairs(checkpoint))
        else:
            origin = STATES_OF_EXAMPLES
            key = origin, tuple(sentences)
            base = store_of(key, lambda: (*_with_outputs(checkpoint, checkpoint.config.examples), *sentences))
        if not typed:
            return AvailableStates(base, origin, problem)
        typed_store = store_of(typed, lambda: line_pairs(checkpoint, typed))
        return AvailableStates(StateStore((*base.parts, *typed_store.parts)), origin, problem)


def generated_pairs(checkpoint: Checkpoint) -> tuple[Pair, ...]:
    """Generated pairs of the checkpoint's task, always the same ones."""
    count = GENERATED_PICTURES if checkpoint.tokenizer.picture is not None else GENERATED_PAIRS
    return generate(checkpoint.config.task, count, random.Random(GENERATED_SEED))


def line_pairs(checkpoint: Checkpoint, lines: Sequence[str]) -> tuple[Pair, ...]:
    """A pair for each line: a source with the output after a tab, or with the network's output."""
    columns = [line.split("\t") for line in lines]
    bare_sources = [line[0].strip() for line in columns if len(line) == 1]
    outputs = dict(_with_outputs(checkpoint, bare_sources))
    pairs = []
    for source, *target in columns:
        if target:
            pairs.append((source.strip(), target[0].strip()))
        elif source.strip() in outputs:
            pairs.append((source.strip(), outputs[source.strip()]))
    return tuple(pairs)


def _with_outputs(checkpoint: Checkpoint, sources: Sequence[str]) -> tuple[Pair, ...]:
    """Sources with their greedy outputs; those that the network cannot read are left out."""
    max_length = checkpoint.model.max_positions or MAX_LENGTH
    fitting = [text for text in dict.fromkeys(sources) if _fits(checkpoint, text, max_length)]
    options = DecodingOptions(strategy=Greedy.name, max_length=min(checkpoint.config.max_length, max_length))
    outputs = translate(checkpoint.model, checkpoint.tokenizer, fitting, options)
    return tuple(zip(fitting, outputs, strict=True))


def _fits(checkpoint: Checkpoint, text: str, max_length: int) -> bool:
    try:
        return bool(text) and len(checkpoint.tokenizer.encode(text).tokens) <= max_length
    except PictureError:
        return False


@dataclass(frozen=True)
class StepStates:
    """The states of one step of an output."""

    of_step: dict[str, Tensor]  # (D,), DECODER_STATES and, with attention, CONTEXT_STATES
    of_source: Tensor  # (S, D)
    log_probs: Tensor  # (V,) nats


def states_of(checkpoint: Checkpoint, question: Question) -> StepStates:
    """The states of a network at the step that a question explains."""
    target = (*question.prefix[1:], question.token)
    tokenizer, device = checkpoint.tokenizer, next(checkpoint.model.parameters()).device
    batch = Batch.from_ids([question.source], [target], bos_id=question.prefix[0], pad_id=tokenizer.pad_id)
    unrolled = unroll(checkpoint.model, batch.to(device))
    features = unrolled.features[:, -1]  # a row, as packed weights need it
    with torch.inference_mode():
        log_probs = checkpoint.model.log_probs(checkpoint.model.project(features)[0])
    of_step = {DECODER_STATES: features[0].float().cpu()}
    if unrolled.context is not None:
        of_step[CONTEXT_STATES] = unrolled.context[0, -1].float().cpu()
    return StepStates(of_step, unrolled.memory[0].float().cpu(), log_probs.cpu())
