"""Previews of training data: counts, lengths, some pairs, malformed rows.

Few are made at once, in turns with all other work, and they are cached while settings change.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from threading import Timer

from demo.i18n import language, later, message_text, say
from demo.i18n.display import percent_text
from demo.training.work.order import TrainingOrder
from demo.training.work.source import Prepared
from demo.training.work.workload import Workload
from demo.widgets.captions.run import few_pairs_sentence
from demo.work.operator.caps import DATA
from demo.work.requests.caller import LEFT_QUEUE
from demo.work.requests.checks import RequestError
from demo.work.turns import SHUTTING_DOWN, Turns
from demo.work.watch import Watch
from models.budget import let_others_run, letting_others_run
from models.corpus.corrections import CorrectionSet
from models.corpus.files.table import Malformed
from models.corpus.pairs import Pair
from models.corpus.statistics import CorpusStatistics, corpus_statistics, in_tokens, sample, token_lengths
from models.lru_cache import LruCache
from models.tokenization.tokenizer import Tokenizer
from models.training.recipe.config import learnt_tokenizer
from models.training.recipe.sections import TokenizerConfig

MAX_FETCHING = 4  # files of the Hub at once
KEPT_DATA, KEPT_PREVIEWS = 1, 16
CACHE_SECONDS = 60.0  # since the last preview: 300,000 pairs take 100 MB
Data = tuple[Prepared, CorpusStatistics]
SHOWN_PAIRS = 8
SHOWN_MALFORMED = 50
ESTIMATED_TOKENS = later("Numbers of tokens are estimated from {count} pairs, spread over the data.")
UNKNOWN_SOURCE = later(
    "{share} of the source tokens are not in the vocabulary: the model reads {unknown} there. "
    "Enlarge the vocabulary or take another kind of tokens."
)
UNKNOWN_TARGET = later(
    "{share} of the target tokens are not in the vocabulary: the model reads {unknown} there. "
    "Enlarge the vocabulary or take another kind of tokens."
)


@dataclass(frozen=True)
class DataPreview:
    """The preview that the page draws."""

    description: str
    notes: tuple[str, ...]
    pairs: tuple[Pair, ...]  # some of the training pairs, evenly spaced
    statistics: CorpusStatistics
    vocab_size: int
    encoding: str  # the encoding of the file; "" if there is no file
    trainable: int  # training pairs that are short enough; an estimate where not all were tokenized
    malformed: tuple[Malformed, ...]
    malformed_count: int


def preview(
    prepared: Prepared,
    token_counts: CorpusStatistics,
    settings: TokenizerConfig,
    tokenizer: Tokenizer | None,
    max_pieces: int,
) -> tuple[DataPreview, Workload]:
    """Preview the pairs with their counts, in tokens of `tokenizer` or of one learnt from them.

    With many pairs, figures in tokens are estimated from a sample, and a note says so. Raises
    TokenizerError.
    """
    some = sample(prepared.train)
    if tokenizer is None:
        tokenizer = learnt_tokenizer(settings, some)
        let_others_run()
    lengths = token_lengths(some, tokenizer)
    statistics = in_tokens(token_counts, lengths, max_pieces)
    share = (statistics.short_enough or 0) / len(some)
    data_preview = DataPreview(
        description=prepared.description,
        notes=tuple(filter(None, (message_text(prepared.note), *_warnings(statistics, len(prepared.valid))))),
        pairs=tuple(prepared.train[:: max(1, len(prepared.train) // SHOWN_PAIRS)][:SHOWN_PAIRS]),
        statistics=statistics,
        vocab_size=tokenizer.vocab_size,
        encoding=prepared.encoding,
        trainable=round(share * len(prepared.train)),
        malformed=tuple(
            replace(row, reason=message_text(row.reason)) for row in prepared.malformed[:SHOWN_MALFORMED]
        ),
        malformed_count=prepared.malformed_count,
    )
    return data_preview, Workload(lengths, -(-len(prepared.train) // len(some)))


def _warnings(statistics: CorpusStatistics, valid_pairs: int) -> list[str]:
    """Warnings about suspicious numbers."""
    result = [few_pairs_sentence(valid_pairs)]
    if statistics.source.tokenized < statistics.pairs:
        result.append(say(ESTIMATED_TOKENS, count=f"{statistics.source.tokenized:,}"))
    if statistics.leaked_sources:
        result.append(
            say(
                "Validation sources that occur in training: {count}. The figures will be too good.",
                count=f"{statistics.leaked_sources:,}",
            )
        )
    for warning, side in ((UNKNOWN_SOURCE, statistics.source), (UNKNOWN_TARGET, statistics.target)):
        if side.unknown_rate and side.unknown_rate > 0.01:
            result.append(say(warning, share=percent_text(side.unknown_rate), unknown="<unk>"))
    if statistics.identical > 0.2 * statistics.pairs:
        result.append(
            say("Pairs with the same text on both sides: {count}.", count=f"{statistics.identical:,}")
        )
    return result


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
