"""Looks at a visitor's data: few at once, in turns with all other work, kept for who changes one setting."""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict
from collections.abc import Hashable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Lock, Timer
from typing import Generic, TypeVar

from demo.i18n import language
from demo.operator.work import DATA
from demo.requests.checks import RequestError
from demo.requests.full import LEFT
from demo.service.decoding.turns import CLOSED, Turns
from demo.service.decoding.watch import Watch
from demo.service.training.order import Order
from demo.service.training.preview import DataPreview, preview
from demo.service.training.source import Prepared
from demo.service.training.workload import Workload
from models.budget import rest, resting
from models.corpus.corrections import CorrectionSet
from models.corpus.statistics import CorpusStatistics, corpus_statistics
from models.tokenization.tokenizer import Tokenizer

MAX_FETCHING = 4  # files of the Hub at once
KEPT_DATA, KEPT_PREVIEWS = 1, 16
KEPT_SECONDS = 60.0  # for which somebody may try another setting; of 300,000 pairs it is 100 MB
Value = TypeVar("Value")

Data = tuple[Prepared, CorpusStatistics]


class Looks:
    """Whoever looks at data waits in a line for those who read some, then for turns at the processor."""

    def __init__(self) -> None:
        self._fetching, self._reading = Turns(MAX_FETCHING), Turns(DATA.running)
        self._read_pairs: _Kept[Data] = _Kept(KEPT_DATA)
        self._previews: _Kept[tuple[DataPreview, Workload]] = _Kept(KEPT_PREVIEWS)

    def look(
        self, turns: Turns, order: Order, corrections: CorrectionSet | None, tokenizer: Tokenizer | None
    ) -> tuple[Prepared, DataPreview, Workload]:
        """The pairs, their look in tokens of `tokenizer` or of those that the run will learn, and how many.

        Raises DataError, RequestError, TokenizerError.
        """
        if order.source.kind == "hub":
            with self._fetching.turn(Watch()):  # which takes nothing of the processor
                order = replace(order, source=order.source.fetched())
        with self._turn(turns):
            key = _content(order)
            prepared, counted = self._read_pairs.get(key) or self._read(order, corrections, key)
            config = order.config
            # The tokenizer itself, not its name: a run may write another one under that.
            asked = None if key is None else (key, config.tokenizer, tokenizer, config.data.max_pieces)
            shown = self._previews.get(asked)
            if shown is None:
                shown = preview(prepared, counted, config.tokenizer, tokenizer, config.data.max_pieces)
                self._previews.keep(asked, shown)
            return prepared, *shown

    def close(self) -> None:
        """Let nobody begin any more."""
        for line in (self._fetching, self._reading):
            line.close(0)

    def _read(self, order: Order, corrections: CorrectionSet | None, key: Hashable) -> Data:
        prepared = order.prepared(corrections)
        rest()
        data = prepared, corpus_statistics(prepared.train, valid=prepared.valid)
        rest()
        self._read_pairs.keep(key, data)
        return data

    @contextmanager
    def _turn(self, turns: Turns) -> Iterator[None]:
        watch = Watch()
        # What was read stays in memory while others have their turn: so few at once.
        with self._reading.turn(watch), turns.turn(watch), resting(partial(_go_on, watch)):
            yield


def _go_on(watch: Watch) -> None:
    """Between two steps: others first, if they wait. Raises RequestError if nobody wants it any more."""
    watch.rest()
    if watch.cancelled.is_set():
        raise RequestError(CLOSED if watch.shuts_down else LEFT)


def _content(order: Order) -> Hashable:
    """All that the pairs and what is said of them depend on; None for data that may change meanwhile."""
    source, config = order.source, order.config
    if source.kind == "corrections":
        return None
    digest = b""
    if source.kind == "file":
        with suppress(OSError):  # who reads it will say so
            digest = hashlib.sha256(Path(source.path).read_bytes()).digest()
    plain = replace(source, path=Path(source.path).name, skip_malformed=False)
    return plain, digest, config.data.train_size, config.data.valid_size, config.seed, language()


class _Kept(Generic[Value]):
    """The values that were asked for last, each for a while."""

    def __init__(self, most: int, seconds: float = KEPT_SECONDS) -> None:
        self._most, self._seconds, self._lock = most, seconds, Lock()
        self._values: OrderedDict[Hashable, tuple[Value, float]] = OrderedDict()  # until when each is kept
        self._sweeps = False

    def get(self, key: Hashable) -> Value | None:
        """None if it is not kept."""
        with self._lock:
            return self._values[key][0] if key in self._values else None

    def keep(self, key: Hashable, value: Value) -> None:
        """Under the key None nothing is kept."""
        if key is None:
            return
        with self._lock:
            self._values[key] = value, time.monotonic() + self._seconds
            self._values.move_to_end(key)
            while len(self._values) > self._most:
                self._values.popitem(last=False)
            self._sweep_later()

    def _sweep(self) -> None:
        with self._lock:
            self._sweeps, now = False, time.monotonic()
            for key in [key for key, (_, until) in self._values.items() if until <= now]:
                del self._values[key]
            self._sweep_later()

    def _sweep_later(self) -> None:
        if self._values and not self._sweeps:
            self._sweeps = True
            timer = Timer(self._seconds, self._sweep)
            timer.daemon = True
            timer.start()
