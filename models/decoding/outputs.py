"""The best outputs of many texts, without their traces."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import torch

from models.budget import rest
from models.decoding.options import DecodingOptions
from models.decoding.request import Request
from models.decoding.search.bans import TokenBan
from models.decoding.search.beam import Finished, Pool
from models.decoding.search.footprint import footprint
from models.decoding.search.frontier.beside_scout import BesideScout
from models.decoding.search.frontier.ways import KeptWays
from models.decoding.search.parallel import at_once, even_share, side_by_side
from models.decoding.search.scout import scouted
from models.decoding.search.step import SearchStep
from models.decoding.strategies import DecodingStrategy
from models.device import pays_by_the_row
from models.networks.base import Seq2SeqModel
from models.tokenization.tokenizer import Tokenizer

FEWEST_SCOUTED = 8  # texts: a step of a few rows takes hardly longer than one of a single row


@dataclass(frozen=True)
class Output:
    """The best hypothesis of a text, without a trace."""

    text: str
    tokens: tuple[int, ...]  # T, the end token included if it has one
    log_prob: float  # the model's own, in nats
    score: float  # length-normalised
    ended: bool  # False: cut off at the length limit


NO_OUTPUT = Output("", (), -math.inf, -math.inf, ended=False)


def translate(
    model: Seq2SeqModel,
    tokenizer: Tokenizer,
    texts: Sequence[str],
    options: DecodingOptions,
    *,
    language: str = "",
    batch_rows: int = 256,
) -> list[str]:
    """The texts of `outputs`."""
    found = outputs(model, tokenizer, texts, options, language=language, batch_rows=batch_rows)
    return [output.text for output in found]


def outputs(
    model: Seq2SeqModel,
    tokenizer: Tokenizer,
    texts: Sequence[str],
    options: DecodingOptions,
    *,
    language: str = "",
    batch_rows: int = 256,
    watch: Callable[[Sequence[int]], None] = lambda chosen: None,
) -> list[Output]:
    """The best hypothesis of each text, in batches of like length, side by side, without a trace.

    `watch` is told the places of the texts of each batch that is done, from the thread that did it; what it
    raises ends the decoding. Raises DecodingError for what cannot be decoded so.
    """
    strategy = options.build_strategy(language)
    strategy.check(model.vocab_size, options.max_length)
    processors, words = options.build_processors(tokenizer), options.build_words(tokenizer)
    request = Request(model, tokenizer, options, processors, tokenizer.first_ids, words=words)
    sources = tokenizer.encode_ids(texts)
    order = sorted(range(len(sources)), key=lambda i: len(sources[i]))
    found = [NO_OUTPUT] * len(sources)
    scout = _scout(request, strategy, len(sources))
    # A scout has one row for each text, and the search behind it asks about hardly more.
    rows = 1 if scout else strategy.width
    most = 1 if strategy.depth_first else max(1, batch_rows // rows)
    size = even_share(len(order), most, request.device)
    room = _Room(request, max(sources, key=len, default=())) if size > 1 else None

    def decode_batch(start: int) -> None:
        batch = order[start : start + size]
        for chosen in room.parts(batch, len(sources[batch[-1]]), rows) if room else [batch]:
            some = [sources[i] for i in chosen]
            best = (
                _pruned(request, some, strategy, scout, room) if scout else _searched(request, some, strategy)
            )
            for i, finished in zip(chosen, best, strict=True):
                found[i] = _output(finished, tokenizer, strategy)
            watch(chosen)

    # The longest first: whichever core ends last has a short batch then.
    side_by_side(decode_batch, range(0, len(order), size)[::-1], request.device)
    return found


class _Room:
    """Cuts batches into parts of which as many fit into the budget as are searched at a time."""

    def __init__(self, request: Request, longest: Sequence[int]) -> None:
        encoded = request.encoded([longest, longest])
        first, steps = request.tokenizer.bos_id, request.options.max_length
        self._footprint = footprint(request.model, encoded, first, steps)
        self._share = at_once(request.device)

    def parts(self, batch: Sequence[int], source: int, rows: int) -> Iterator[Sequence[int]]:
        """Parts of a batch of sentences of at most `source` tokens, each of which has so many rows."""
        size = self._footprint.sentences(source, rows, len(batch), self._share)
        return (batch[first : first + size] for first in range(0, len(batch), size))


def _scout(request: Request, strategy: DecodingStrategy, texts: int) -> DecodingStrategy | None:
    """What looks ahead of the search; None where that can tell it nothing, or spares less than it costs."""
    only_bans = all(isinstance(each, TokenBan) for each in request.processors) and request.words is None
    pays = texts >= FEWEST_SCOUTED and pays_by_the_row(request.device)
    return strategy.narrow() if only_bans and pays else None


def _searched(
    request: Request, sources: Sequence[Sequence[int]], strategy: DecodingStrategy
) -> list[list[Finished]]:
    """What is finished of each source, best first."""
    return _finished(request.steps(sources, strategy))


def _pruned(
    request: Request,
    sources: Sequence[Sequence[int]],
    strategy: DecodingStrategy,
    scout: DecodingStrategy,
    room: _Room | None,
) -> list[list[Finished]]:
    """The best of what `_searched` finds, by branch and bound: what may beat the find of the scout."""

    def parts(places: Sequence[int]) -> Iterable[Sequence[int]]:
        longest = max((len(sources[place]) for place in places), default=0)
        if not places:
            return []
        return room.parts(places, longest, strategy.width) if room else [places]

    encoded = request.encoded(sources)
    kept = KeptWays()
    steps = request.search(encoded, scout, only_best=True, frontier=kept)
    known = scouted(steps, strategy, request.options.max_length)
    found = [[each.best] if each.best and each.is_proven else [] for each in known]
    open_ = [place for place, each in enumerate(known) if each.best and not each.is_proven]
    for part in parts(open_):
        assert kept.ways  # a scout that found something has taken a step
        beside = BesideScout(kept.ways, part)
        pools = _finished(request.search(encoded, strategy, only_best=True, scouted=known, frontier=beside))
        for place in part:
            if pools[place] and pools[place][0].key >= known[place].floor:
                found[place] = pools[place]
    # Where the scout found nothing, or a beam loses what it found and finds nothing as good.
    lost = [place for place, best in enumerate(found) if not best]
    for part in parts(lost):
        rows = torch.tensor(part, device=request.device)
        some = encoded.rows(rows, encoded.mask.index_select(0, rows))
        for place, best in zip(part, _finished(request.search(some, strategy, only_best=True)), strict=True):
            found[place] = best
    return found


def _finished(steps: Iterable[SearchStep]) -> list[list[Finished]]:
    pools: Sequence[Pool] = ()
    for step in steps:
        pools = step.pools
        rest()
    return [pool.finished for pool in pools]


def _output(finished: Sequence[Finished], tokenizer: Tokenizer, strategy: DecodingStrategy) -> Output:
    written: list[str] = []

    def texts() -> Iterator[str]:
        for sequence in finished:  # most strategies ask for the first alone
            written.append(tokenizer.decode(sequence.tokens))
            yield written[-1]

    text = strategy.best_text(texts())
    if not written:
        return NO_OUTPUT
    best = finished[written.index(text)]
    return Output(text, best.tokens, best.log_prob, best.score, best.ended)
