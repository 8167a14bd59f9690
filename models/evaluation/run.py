"""Runs systems on a test set, and says how far it has come."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from models.budget import rest
from models.corpus.pairs import DataError
from models.decoding.decode import DecodingError
from models.decoding.limits import check_source
from models.decoding.outputs import Output, outputs
from models.errors import message_of
from models.evaluation.forced import Forced, forced
from models.evaluation.segments import Segments
from models.evaluation.systems import Result, System, Written
from models.metrics.words import unspaced_language
from models.tokenization.tokenizer import Tokenizer
from models.training.loop.process_group import Group

DECODING, FORCED, METRICS = 0.8, 0.1, 0.1  # shares of a system's time, as measured on a CPU


@dataclass(frozen=True)
class Progress:
    """How far a run has come."""

    share: float  # of all systems, 0 to 1
    what: str  # under way: a system, or what is looked for in its outputs
    seconds_left: float | None  # None while nothing can be said


Watch = Callable[[Progress], None]
ALONE = Group()


def run(
    systems: Sequence[System],
    segments: Segments,
    watch: Watch = lambda progress: None,
    group: Group = ALONE,
) -> list[Result]:
    """Each system's result, then one for each column of outputs that the test set has.

    The processes of a group share the segments, and each has all results in the end.
    `watch` may raise to end the run. Raises DecodingError that names the line of a source or a reference
    which a checkpoint cannot read.
    """
    for system in systems:
        _check(system, segments)
    clock = _Clock(len(systems), watch)
    results = [_run(system, segments, clock.of(system, index), group) for index, system in enumerate(systems)]
    language = systems[0].language if systems else ""
    given = (Result(name, written, segments, language) for name, written in segments.outputs.items())
    return [*results, *given]


def given_alone(segments: Segments) -> list[Result]:
    """Outputs made elsewhere, without a system that is run here. Raises DataError without any."""
    if not segments.outputs:
        raise DataError(
            "no_system_to_evaluate",
            "there is nothing to evaluate: choose a checkpoint, or give a column of outputs in the file",
        )
    # No checkpoint says what language they are in, and one without spaces is not counted in words.
    language = unspaced_language(text for texts in segments.references for text in texts)
    return [Result(name, written, segments, language) for name, written in segments.outputs.items()]


def _check(system: System, segments: Segments) -> None:
    checkpoint = system.checkpoint
    limit = checkpoint.model.max_positions
    for segment in segments.all:
        try:
            check_source(checkpoint.model, checkpoint.tokenizer, segment.source)
        except DecodingError as error:
            raise _at_line(segment.line, error) from error
    if limit is None:
        return
    first = len(checkpoint.tokenizer.first_ids)
    for segment in segments.all:
        for ids in checkpoint.tokenizer.target.encode_ids(segment.references):
            if len(ids) + first > limit:
                raise DecodingError(
                    "reference_too_long",
                    "Line {line}: the reference has {count} tokens; {checkpoint} writes at most {limit}. "
                    "Shorten it.",
                    line=segment.line,
                    count=len(ids) + first,
                    checkpoint=checkpoint.name,
                    limit=limit,
                )


def _at_line(line: int, error: DecodingError) -> DecodingError:
    return DecodingError("at_line", "Line {line}: {error}", line=line, error=message_of(error))


def _run(system: System, segments: Segments, tell: Callable[[float], None], group: Group) -> Result:
    checkpoint, tokenizer = system.checkpoint, system.checkpoint.tokenizer
    sources = tokenizer.encode_ids(segments.sources)
    tell(0)
    started = time.perf_counter()
    every = system_outputs(system, segments, lambda share: tell(DECODING * share), group)
    seconds = time.perf_counter() - started
    owners = [index for index, segment in enumerate(segments.all) for _ in segment.references]
    targets = reference_ids(tokenizer, segments)
    own = group.share(list(range(len(targets))))
    passed = forced(
        checkpoint.model,
        [sources[owners[index]] for index in own],
        [targets[index] for index in own],
        tokenizer,
        _share([targets[index] for index in own], DECODING, FORCED, tell),
    )
    by_place = group.gathered(dict(zip(own, passed, strict=True)))
    scored = [by_place[index] for index in range(len(targets))]
    best = _best_references(system, owners, scored)
    unknown = [_unknown(tokenizer, source) for source in segments.sources]
    result = Result(
        name=system.name,
        outputs=tuple(output.text for output in every),
        segments=segments,
        language=system.language,
        system=system,
        written=tuple(_written(item, unknown[index], *best[index]) for index, item in enumerate(every)),
        forced=tuple(scored),
        seconds=seconds,
    )
    for part, entry in enumerate((result.bleu, result.ter, result.sentence_chrf), 1):
        assert entry is not None
        tell(DECODING + FORCED + METRICS * part / 3)
    return result


def system_outputs(
    system: System, segments: Segments, tell: Callable[[float], None], group: Group = ALONE
) -> list[Output]:
    """N, of which each process of the group decodes its share. `tell` is told the share that is done."""
    checkpoint = system.checkpoint
    sources = checkpoint.tokenizer.encode_ids(segments.sources)
    mine = group.share(list(range(len(sources))))
    written = outputs(
        checkpoint.model,
        checkpoint.tokenizer,
        [segments.sources[index] for index in mine],
        system.options,
        language=system.language,
        watch=_share([sources[index] for index in mine], 0, 1, tell),
    )
    result = group.gathered(dict(zip(mine, written, strict=True)))
    return [result[index] for index in range(len(sources))]


def _written(output: Output, unknown: tuple[str, ...], reference_score: float, reference: Forced) -> Written:
    return Written(
        output.log_prob,
        output.score,
        len(output.tokens),
        output.ended,
        unknown,
        reference_score,
        reference.log_prob,
        reference.length,
    )


def reference_ids(tokenizer: Tokenizer, segments: Segments) -> list[tuple[int, ...]]:
    """Token ids of all references of all segments, as an output of the checkpoint begins and ends."""
    texts = [reference for segment in segments.all for reference in segment.references]
    return [(*tokenizer.first_ids, *ids) for ids in tokenizer.target.encode_ids(texts)]


def _unknown(tokenizer: Tokenizer, source: str) -> tuple[str, ...]:
    return tokenizer.encode(source).unknown if tokenizer.picture is None else ()


def _best_references(
    system: System, owners: Iterable[int], scored: Iterable[Forced]
) -> dict[int, tuple[float, Forced]]:
    """Of each segment the reference with the highest score, and that score."""
    best: dict[int, tuple[float, Forced]] = {}
    for owner, item in zip(owners, scored, strict=True):
        score = system.normalizer(item.log_prob, item.length)
        if owner not in best or score > best[owner][0]:
            best[owner] = (score, item)
    return best


def _share(
    sequences: Sequence[Sequence[int]], begin: float, size: float, tell: Callable[[float], None]
) -> Callable[[Sequence[int]], None]:
    """Tells the share of the work that is done, by tokens; threads may call it at once."""
    total, done, lock = sum(map(len, sequences)), 0, threading.Lock()

    def watch(chosen: Sequence[int]) -> None:
        nonlocal done
        with lock:
            done += sum(len(sequences[index]) for index in chosen)
            tell(begin + size * done / total)
        rest()

    return watch


class _Clock:
    """Turns shares of one system into the progress of all."""

    def __init__(self, count: int, watch: Watch) -> None:
        self.count, self.watch, self.started = count, watch, time.perf_counter()

    def of(self, system: System, place: int) -> Callable[[float], None]:
        def tell(share: float) -> None:
            whole = (place + share) / self.count
            passed = time.perf_counter() - self.started
            left = passed * (1 - whole) / whole if whole > 0.02 else None
            self.watch(Progress(whole, system.name, left))

        return tell
