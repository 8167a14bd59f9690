"""From a text to its trace: the door through which an application decodes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from models.batch import pad
from models.decoding.forcing import Intervention, attention_overrides, begun, check_forced
from models.decoding.limits import (
    MAX_OUTPUT_TOKENS,
    MAX_SOURCE_TOKENS,
    DecodingError,
    check_max_length,
    check_source,
)
from models.decoding.options import DecodingOptions
from models.decoding.record.asked import recorded
from models.decoding.record.recorder import Recorder, Recording, Resting, Watch
from models.decoding.record.status import Stop
from models.decoding.search.bans import BannedTokens
from models.decoding.search.beam import Finished
from models.decoding.search.conditions import Constraints, OutputTokens
from models.decoding.search.loop import search
from models.decoding.search.parallel import side_by_side
from models.decoding.search.processors import LogitsProcessor
from models.decoding.search.step import SearchStep
from models.decoding.strategies import DecodingStrategy
from models.decoding.trace import DecodingTrace, Token
from models.networks.base import Seq2SeqModel
from models.tokenization.tokenizer import Encoding, Tokenizer

__all__ = [
    "MAX_OUTPUT_TOKENS",
    "MAX_SOURCE_TOKENS",
    "DecodingError",
    "DecodingOptions",
    "Intervention",
    "Output",
    "check_max_length",
    "check_source",
    "decode",
    "outputs",
    "source_tokens",
    "translate",
]
NOTHING = Intervention()


def decode(
    model: Seq2SeqModel,
    tokenizer: Tokenizer,
    text: str,
    options: DecodingOptions,
    *,
    language: str = "",
    intervention: Intervention = NOTHING,
    watch: Watch = lambda step: None,
) -> DecodingTrace:
    """Decode one text and record everything. Raises DecodingError for what cannot be decoded so.

    `language` is that of the outputs (BCP 47), where one is compared with another. `watch` looks at each
    step and ends the search by a reason to stop, with what is finished by then. If it can `rest`, it is
    told to now and then where what follows the search takes long. The same arguments give the same trace;
    its `checkpoint` is for the caller to fill in.
    """
    encoding = check_source(model, tokenizer, text)
    check_max_length(model, options.max_length)
    forced = begun(intervention.forced, tokenizer)
    check_forced(forced, tokenizer, options.max_length)
    overrides = attention_overrides(intervention.overrides, model, len(encoding.tokens), options.max_length)
    strategy = options.build_strategy(language)
    strategy.check(model.vocab_size, options.max_length - len(forced))
    asked = _Asked(model, tokenizer, options, options.build_processors(tokenizer), forced, overrides)
    recording = asked.record(encoding.ids, strategy, watch)
    rest = watch.rest if isinstance(watch, Resting) else lambda: None
    hypotheses, utilities = strategy.reranked(recording.hypotheses, rest)
    return DecodingTrace(
        checkpoint="",
        source_text=encoding.text,
        source=source_tokens(encoding, tokenizer.unk_id),
        strategy=strategy.name,
        settings=recorded(options),
        steps=recording.steps,
        hypotheses=hypotheses,
        forced=forced if forced != tokenizer.first_ids else (),
        opening=len(tokenizer.first_ids),
        overrides=intervention.overrides,
        exploration=recording.exploration,
        utilities=utilities,
    )


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
    raises ends the decoding.
    """
    strategy = options.build_strategy(language)
    asked = _Asked(model, tokenizer, options, options.build_processors(tokenizer), tokenizer.first_ids)
    sources = tokenizer.encode_ids(texts)
    order = sorted(range(len(sources)), key=lambda i: len(sources[i]))
    found = [NO_OUTPUT] * len(sources)
    size = 1 if strategy.depth_first else max(1, batch_rows // strategy.width)

    def decode_batch(start: int) -> None:
        chosen = order[start : start + size]
        pools = None
        for step in asked.steps([sources[i] for i in chosen], strategy):
            pools = step.pools
        for i, pool in zip(chosen, pools or (), strict=True):
            found[i] = _best(pool.finished, tokenizer, strategy)
        watch(chosen)

    side_by_side(decode_batch, range(0, len(order), size), next(model.parameters()).device)
    return found


def _best(finished: Sequence[Finished], tokenizer: Tokenizer, strategy: DecodingStrategy) -> Output:
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


def source_tokens(encoding: Encoding, unk_id: int) -> tuple[Token, ...]:
    """An encoding as a trace and a page show it."""
    # The cells of a picture are no tokens of the vocabulary: they are numbered.
    ids = encoding.ids if len(encoding.ids) == len(encoding.tokens) else range(len(encoding.tokens))
    is_text = ids is encoding.ids
    return tuple(
        Token(token_id, surface, is_text and token_id == unk_id, start, end)
        for token_id, surface, (start, end) in zip(ids, encoding.tokens, encoding.offsets, strict=True)
    )


@dataclass(frozen=True)
class _Asked:
    """What every search of one call has in common, by whatever strategy it searches."""

    model: Seq2SeqModel
    tokenizer: Tokenizer
    options: DecodingOptions
    processors: tuple[LogitsProcessor, ...]  # the constraints that are switched on
    forced: tuple[int, ...]  # ids of the first tokens of every output
    overrides: Mapping[int, Tensor] = field(default_factory=dict)  # (1, L, H, S) by step

    def record(self, source: Sequence[int], strategy: DecodingStrategy, watch: Watch) -> Recording:
        """The search of one source; one that spent its budget goes on for as long as it learns something."""
        by, budget, spent = self._guided([source], strategy), strategy.budget, 0
        while True:
            recorder = Recorder(self.tokenizer.token, self.tokenizer.decode, by)
            recording = recorder.record(self._search([source], by), watch)
            spent += recording.exploration.expanded
            found = recording.hypotheses if recording.exploration.stop is Stop.BUDGET else ()
            left = (by.budget or 0) - recording.exploration.expanded
            tighter = by.tightened(found[0], left) if found else None
            if tighter is None:
                return replace(
                    recording, exploration=replace(recording.exploration, expanded=spent, budget=budget)
                )
            by = tighter
            del recorder, recording  # they are large, and the next search needs neither

    def steps(self, sources: Sequence[Sequence[int]], strategy: DecodingStrategy) -> Iterable[SearchStep]:
        """The search of all sources together, for the best of each."""
        return self._search(sources, self._guided(sources, strategy), only_best=True)

    def _guided(self, sources: Sequence[Sequence[int]], strategy: DecodingStrategy) -> DecodingStrategy:
        return strategy.guided(lambda by: self._search(sources, by), free_to_end=not self.processors)

    @torch.inference_mode()
    def _search(
        self, sources: Sequence[Sequence[int]], strategy: DecodingStrategy, only_best: bool = False
    ) -> Iterable[SearchStep]:
        tokenizer, model = self.tokenizer, self.model.eval()
        src, src_mask = pad(sources, tokenizer.pad_id)
        device = next(model.parameters()).device
        processors = (BannedTokens(tokenizer.forbidden_ids, tokenizer.eos_id), *self.processors)
        return search(
            model,
            model.encode(src.to(device), src_mask.to(device)),
            strategy,
            OutputTokens(tokenizer.bos_id, tokenizer.eos_id, len(tokenizer.first_ids), tokenizer.closes),
            Constraints(self.options.max_length, processors, self.forced, self.overrides, only_best),
            torch.Generator().manual_seed(self.options.seed),
        )
