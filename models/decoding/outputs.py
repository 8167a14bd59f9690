"""The best outputs of many texts, without their traces.

On a CPU a greedy pass runs ahead of a beam search: if it proves that its output is the best, it saves the
beam.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from models.budget import let_others_run
from models.decoding.options import DecodingOptions
from models.decoding.request import SearchRequest, constraints_of, words_of
from models.decoding.search.beam import NEG_INF, BeamHypotheses, FinishedSequence, Ranking, Selection
from models.decoding.search.constraints import Constraint, TokenBan
from models.decoding.search.parallel import (
    Footprint,
    concurrent_batches,
    even_batch_size,
    footprint,
    side_by_side,
)
from models.decoding.search.step import SearchStep
from models.decoding.search.strategy import DecodingStrategy
from models.decoding.strategies.beam_search import BeamSearch
from models.device import is_faster_with_few_rows
from models.networks.base import Seq2SeqModel
from models.tokenization.tokenizer import Tokenizer


@dataclass(frozen=True)
class Output:
    """The best hypothesis of a text, without a trace."""

    text: str
    tokens: tuple[int, ...]  # T, the end token included if it has one
    log_prob: float  # the model's own, in nats
    score: float  # `log_prob`, length-normalised
    ended: bool  # False: cut off at the length limit


# Receives the indices of sources, and the finished sequences of each, best first.
OnFound = Callable[[Sequence[int], Sequence[list[FinishedSequence]]], None]
MIN_FIRST_PASS_TEXTS = 8  # a step of fewer rows takes hardly longer than a step of one row
# The least lead of a proven output: a share of its key, or of 1 if the key is nearer to 0. Rounding changes
# keys by far less.
MIN_LEAD = 1e-4
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
    """Return the text of the best hypothesis of each text; see `outputs`."""
    results = outputs(model, tokenizer, texts, options, language=language, batch_rows=batch_rows)
    return [output.text for output in results]


def outputs(
    model: Seq2SeqModel,
    tokenizer: Tokenizer,
    texts: Sequence[str],
    options: DecodingOptions,
    *,
    language: str = "",
    batch_rows: int = 256,
    on_batch: Callable[[Sequence[int]], None] = lambda indices: None,
) -> list[Output]:
    """Return the best hypothesis of each text, decoded in batches of similar length, without a trace.

    `on_batch` receives the indices of the texts of each finished batch, in the thread of the batch; an
    exception from it ends the decoding. Raises DecodingError for texts or options that do not fit the model.
    """
    strategy = options.build_strategy(language)
    strategy.check(model.vocab_size, options.max_length)
    constraints, words = constraints_of(options, tokenizer), words_of(options, tokenizer)
    request = SearchRequest(model, tokenizer, options, constraints, tokenizer.first_ids, words=words)
    sources = tokenizer.encode_ids(texts)
    results: list[Output | None] = [None] * len(sources)
    batches = _Batches(request, sources, batch_rows)

    def finish(indices: Sequence[int], outputs_of_texts: Iterable[Sequence[FinishedSequence]]) -> None:
        for index, sequences in zip(indices, outputs_of_texts, strict=True):
            results[index] = _output(sequences, tokenizer, strategy)
        on_batch(indices)

    def keep_proven(indices: Sequence[int], outputs_of_texts: Sequence[list[FinishedSequence]]) -> None:
        best_of = {
            index: proven(sequences, strategy, options.max_length)
            for index, sequences in zip(indices, outputs_of_texts, strict=True)
        }
        proven_outputs = {index: [best] for index, best in best_of.items() if best is not None}
        finish(list(proven_outputs), proven_outputs.values())

    may_be_faster = (
        words is None and is_faster_with_few_rows(request.device) and len(sources) >= MIN_FIRST_PASS_TEXTS
    )
    greedy = first_pass(strategy, constraints) if may_be_faster else None
    if greedy is not None:
        batches.search(range(len(sources)), greedy, keep_proven)
    batches.search([index for index, output in enumerate(results) if output is None], strategy, finish)
    return [output or NO_OUTPUT for output in results]


class _Batches:
    """Sources in batches of similar length that fit into the memory budget."""

    def __init__(self, request: SearchRequest, sources: Sequence[Sequence[int]], batch_rows: int) -> None:
        self._request, self._sources, self._batch_rows = request, sources, batch_rows
        self._footprint: Footprint | None = None
        if len(sources) > 1:
            longest = max(sources, key=len)
            encoded = request.encode([longest, longest])
            first, steps = request.tokenizer.bos_id, request.options.max_length
            self._footprint = footprint(request.model, encoded, first, steps)

    def search(self, indices: Sequence[int], strategy: DecodingStrategy, keep: OnFound) -> None:
        """Search the sources at these indices, and pass what each batch has found to `keep`."""
        device = self._request.device
        by_length = sorted(indices, key=lambda index: len(self._sources[index]))
        max_sentences = 1 if strategy.depth_first else max(1, self._batch_rows // strategy.width)
        size = even_batch_size(len(by_length), max_sentences, device)

        def search_batch(start: int) -> None:
            for part in self._parts(by_length[start : start + size], strategy.width):
                steps = self._request.steps([self._sources[index] for index in part], strategy)
                keep(part, _finished_sequences(steps))

        # The longest come first, so that the core that ends last has a short batch.
        side_by_side(search_batch, range(0, len(by_length), size)[::-1], device)

    def _parts(self, batch: Sequence[int], rows: int) -> Iterator[Sequence[int]]:
        """Cut a batch into parts that fit into the memory budget; rows: the rows of each sentence."""
        size, longest = len(batch), len(self._sources[batch[-1]])
        if self._footprint is not None and size > 1:
            size = self._footprint.sentences(longest, rows, size, concurrent_batches(self._request.device))
        return (batch[first : first + size] for first in range(0, len(batch), size))


def _finished_sequences(steps: Iterable[SearchStep]) -> list[list[FinishedSequence]]:
    """Run a search and return the finished sequences of each source, best first."""
    for step in steps:
        let_others_run()
        pools = step.pools
    return [pool.sequences for pool in pools]


def _output(
    sequences: Sequence[FinishedSequence], tokenizer: Tokenizer, strategy: DecodingStrategy
) -> Output:
    decoded: list[str] = []

    def texts() -> Iterator[str]:
        for sequence in sequences:  # most strategies read only the first text
            decoded.append(tokenizer.decode(sequence.tokens))
            yield decoded[-1]

    text = strategy.best_text(texts())
    if not decoded:
        return NO_OUTPUT
    best = sequences[decoded.index(text)]
    return Output(text, best.tokens, best.log_prob, best.score, best.ended)


@dataclass(frozen=True)
class GreedyProof(BeamSearch):
    """Greedy search that tries to prove its output the best. Its pool also holds the best runner-up.

    A runner-up is the second candidate of a step; it is pooled as if it had ended there. No further
    token raises a log-probability, so no output that begins with a runner-up is more probable than it. A
    sentence ends early if a runner-up is at least as probable as the greedy prefix: then nothing can be
    proven.
    """

    beam_size: int = 1

    @property
    def pool_size(self) -> int:
        """Return 2, for the greedy output and the best runner-up."""
        return 2

    def select(self, ranking: Ranking, hypotheses: BeamHypotheses) -> Selection:
        """Select the first candidate, and pool the second if it is the most probable runner-up so far."""
        best_so_far = hypotheses.sequences[0].log_prob if hypotheses.sequences else NEG_INF
        runner_up = [1] if max(ranking.rank_scores[1:], default=NEG_INF) > best_so_far else []
        return Selection([], [0, *runner_up]) if ranking.ends[0] else Selection([0], runner_up)


def first_pass(strategy: DecodingStrategy, constraints: Iterable[Constraint]) -> GreedyProof | None:
    """Return a greedy pass that may make the search unnecessary, or None if it could prove nothing.

    A proof needs a beam that does not stop early, and log-probabilities that no constraint but a ban changes.
    """
    if not isinstance(strategy, BeamSearch) or type(strategy).expand is not BeamSearch.expand:
        return None
    longer_is_never_better = strategy.normalizer.kind == "none" or strategy.normalizer.alpha <= 0
    no_early_stop = strategy.early_stopping == "never" or (
        strategy.early_stopping is False and longer_is_never_better
    )
    single_group = strategy.num_groups == 1 and not strategy.modifies_scores
    bans_only = all(isinstance(constraint, TokenBan) for constraint in constraints)
    return GreedyProof() if strategy.beam_size > 1 and no_early_stop and single_group and bans_only else None


def proven(
    sequences: Sequence[FinishedSequence], strategy: DecodingStrategy, max_length: int
) -> FinishedSequence | None:
    """Return the proven output of a sentence, or None where a search by `strategy` may find another.

    sequences: the pool of the first pass.
    """
    best, *runners_up = sequences
    if best.rank != 0:
        return None
    key = strategy.normalizer(best.log_prob, len(best.tokens))
    penalty = strategy.greatest_penalty(0, max_length)
    assert penalty is not None  # a beam search has one
    bound = max((other.log_prob for other in runners_up), default=NEG_INF) / penalty
    return replace(best, score=key, key=key) if bound < key - MIN_LEAD * max(1.0, abs(key)) else None
