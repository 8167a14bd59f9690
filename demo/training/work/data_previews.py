"""Previews of training data: few at once, in turns with all other work, cached while settings change."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Timer

from demo.i18n import language
from demo.training.work.order import TrainingOrder
from demo.training.work.preview import DataPreview, preview
from demo.training.work.source import Prepared
from demo.training.work.workload import Workload
from demo.work.operator.caps import DATA
from demo.work.requests.caller import LEFT_QUEUE
from demo.work.requests.checks import RequestError
from demo.work.turns import SHUTTING_DOWN, Turns
from demo.work.watch import Watch
from models.budget import let_others_run, letting_others_run
from models.corpus.corrections import CorrectionSet
from models.corpus.statistics import CorpusStatistics, corpus_statistics
from models.lru_cache import LruCache
from models.tokenization.tokenizer import Tokenizer

MAX_FETCHING = 4  # files of the Hub at once
KEPT_DATA, KEPT_PREVIEWS = 1, 16
CACHE_SECONDS = 60.0  # since the last preview: 300,000 pairs take 100 MB

Data = tuple[Prepared, CorpusStatistics]


class DataPreviews:
    """Previews for all visitors, who wait in a queue of their own, then for a turn at the processor."""

    def __init__(self) -> None:
        self._fetching, self._reading = Turns(MAX_FETCHING), Turns(DATA.running)
        self._contents: LruCache[Hashable, Data] = LruCache(KEPT_DATA)
        self._previews: LruCache[Hashable, tuple[DataPreview, Workload]] = LruCache(KEPT_PREVIEWS)
        self._timer: Timer | None = None  # clears the caches at its end

    def preview(
        self,
        turns: Turns,
        order: TrainingOrder,
        corrections: CorrectionSet | None,
        tokenizer: Tokenizer | None,
    ) -> tuple[Prepared, DataPreview, Workload]:
        """The pairs, their preview in tokens of `tokenizer` or of the one to be learnt, and the workload.

        Raises DataError, RequestError, TokenizerError.
        """
        if order.source.kind == "hub":
            with self._fetching.turn(Watch()):  # fetching takes nothing of the processor
                order = replace(order, source=order.source.fetch())
        watch = Watch()
        # The data of a preview stays in memory while others have their turn, so few run at once.
        with self._reading.turn(watch), turns.turn(watch), letting_others_run(partial(_go_on, watch)):
            content = _content(order)
            if content is None:
                prepared, statistics = _read(order, corrections)
            else:
                prepared, statistics = self._contents.get_or_make(content, lambda: _read(order, corrections))
            config = order.config
            data = config.tokenizer, tokenizer, config.data.max_pieces
            # The key has the tokenizer, not its name: a run may write another tokenizer under the name.
            key = None if content is None else (content, *data)
            cached = None if key is None else self._previews.get(key)
            if cached is None:
                cached = preview(prepared, statistics, *data)
            if key is not None:
                self._previews[key] = cached
                self._clear_later()
            return prepared, *cached

    def close(self) -> None:
        """Begin no further preview."""
        for turns in (self._fetching, self._reading):
            turns.close(0)

    def _clear_later(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = Timer(CACHE_SECONDS, self._clear)
        self._timer.daemon = True
        self._timer.start()

    def _clear(self) -> None:
        self._contents.clear()
        self._previews.clear()


def _read(order: TrainingOrder, corrections: CorrectionSet | None) -> Data:
    prepared = order.prepare(corrections)
    let_others_run()
    data = prepared, corpus_statistics(prepared.train, valid=prepared.valid)
    let_others_run()
    return data


def _go_on(watch: Watch) -> None:
    """Let waiting work go first, between two steps. Raises RequestError if the preview was cancelled."""
    watch.let_others_run()
    if watch.cancelled.is_set():
        raise RequestError(SHUTTING_DOWN if watch.shuts_down else LEFT_QUEUE)


def _content(order: TrainingOrder) -> Hashable:
    """All that the pairs and their preview depend on; None for data that may change meanwhile."""
    source, config = order.source, order.config
    if source.kind == "corrections":
        return None
    digest = b""
    if source.kind == "file":
        with suppress(OSError):  # reading it raises the error
            digest = b"".join(hashlib.sha256(Path(path).read_bytes()).digest() for path in source.paths)
    names = tuple(Path(path).name for path in source.paths)
    without_paths = replace(source, paths=names, skip_malformed=False)
    return without_paths, digest, config.data.train_size, config.data.valid_size, config.seed, language()
