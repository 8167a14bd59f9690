"""Several batches at once, on a machine with cores that one batch leaves idle, within a memory budget."""

from __future__ import annotations

import gc
import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, is_dataclass
from functools import partial
from math import ceil
from typing import Any

import torch
from torch import Tensor

from models.budget import rows_within
from models.device import batches_at_once, one_thread_each
from models.networks.base import EncoderOutput, Seq2SeqModel
from models.process import WhileAny

OBJECTS_PER_COLLECTION = 50_000  # new objects after which Python looks for reference cycles, instead of 700
_one_at_a_time: ContextVar[bool] = ContextVar("one batch at a time", default=False)
LOGITS_COPIES = 4  # copies of a row's logits that exist at once during a step
STATE_COPIES = 2  # copies of a row's state, before and after a step
STEP_COPIES = 2  # copies of what each step adds to the state, before and after a step


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Let `side_by_side` work on one batch at a time, as a server of many visitors needs it."""
    token = _one_at_a_time.set(True)
    try:
        yield
    finally:
        _one_at_a_time.reset(token)


def _collect_rarely() -> Callable[[], None]:
    thresholds = gc.get_threshold()
    gc.set_threshold(max(thresholds[0], OBJECTS_PER_COLLECTION), *thresholds[1:])
    return partial(gc.set_threshold, *thresholds)


# A step makes thousands of small objects, none in a reference cycle, and frees them at its end. Python's
# garbage collector counts them as new objects and would often search all objects for cycles, which takes a
# tenth of a second each time.
rare_collections = WhileAny(_collect_rarely)


def even_batch_size(number: int, max_size: int, device: torch.device) -> int:
    """Return a batch size of at most `max_size` that spreads several batches evenly over the cores."""
    batches, workers = ceil(number / max_size), concurrent_batches(device)
    if batches > 1:
        batches = ceil(batches / workers) * workers
    return max(1, ceil(number / max(1, batches)))


def concurrent_batches(device: torch.device) -> int:
    """Return how many batches `side_by_side` works on at a time."""
    return 1 if _one_at_a_time.get() else batches_at_once(device)


def side_by_side(work: Callable[[int], None], items: Sequence[int], device: torch.device) -> None:
    """Call `work` with each item, in one thread for each batch that the device works on at a time.

    Raises the first error of `work` once the running calls have ended. `work` must be thread-safe.
    """
    workers = min(concurrent_batches(device), len(items))
    if workers < 2:
        for item in items:
            work(item)
        return
    with one_thread_each(), rare_collections, ThreadPoolExecutor(workers, thread_name_prefix="batch") as pool:
        list(pool.map(work, items))  # its first error cancels the calls that have not begun


@dataclass(frozen=True)
class Footprint:
    """The approximate memory of a row of a search, in bytes."""

    fixed: float  # bytes of its logits and of what its steps add
    per_token: float  # bytes of each token of its source

    def row(self, source: int) -> int:
        """Return the bytes of a row whose source has this number of tokens."""
        return math.ceil(self.fixed + source * self.per_token)

    def sentences(self, source: int, rows: int, max_sentences: int, num_batches: int) -> int:
        """Return how many sentences, at most `max_sentences`, may be searched together.

        source: tokens of the longest source. rows: rows of each sentence. num_batches: batches that are
        searched at the same time.
        """
        return rows_within(rows * self.row(source), max_sentences, num_batches)


@torch.inference_mode()
def footprint(model: Seq2SeqModel, encoded: EncoderOutput, bos_id: int, max_length: int) -> Footprint:
    """Measure one step of a network on encoded sources.

    encoded: at least two rows, since a single one may be stored in another way; bos_id: the id that the
    first step reads; max_length: the most steps that a search may take.
    """
    rows, length = encoded.mask.shape
    output = model.step(
        torch.full((rows,), bos_id, device=encoded.memory.device), model.initial_state(encoded)
    )
    newest_bytes = _bytes(output.state.newest()) / rows
    row_bytes = (_bytes(output.state) + _bytes(encoded)) / rows
    logits = LOGITS_COPIES * 4 * model.vocab_size
    return Footprint(logits + STEP_COPIES * max_length * newest_bytes, STATE_COPIES * row_bytes / length)


def _bytes(value: Any) -> int:
    """Memory of all tensors within dataclasses, lists and tuples."""
    if isinstance(value, Tensor):
        return value.numel() * value.element_size()
    if is_dataclass(value):
        return sum(_bytes(getattr(value, field.name)) for field in fields(value))
    return sum(map(_bytes, value)) if isinstance(value, Sequence) and not isinstance(value, str) else 0
