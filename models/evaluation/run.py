"""A run of systems on a test set, with its progress."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from models.budget import let_others_run
from models.corpus.pairs import DataError
from models.decoding.limits import DecodingError, check_source
from models.decoding.outputs import Output, outputs
from models.errors import message_of
from models.evaluation.segments import Segments
from models.evaluation.systems import OutputScores, System, SystemResult
from models.evaluation.text_scores import TextScores, score_texts
from models.metrics.sentence import unspaced_language
from models.tokenization.tokenizer import Tokenizer
from models.training.process_group import Group

# The parts of a system's time, measured on a CPU.
DECODING_SHARE, SCORING_SHARE, METRICS_SHARE = 0.8, 0.1, 0.1


@dataclass(frozen=True)
class EvaluationProgress:
    """The progress of a run."""

    share: float  # the share of the work of all systems, 0 to 1
    activity: str  # the name of the system that is being run, or a Message
    seconds_left: float | None  # None while there is no estimate


OnProgress = Callable[[EvaluationProgress], None]
ONE_PROCESS = Group()


def run(
    systems: Sequence[System],
    segments: Segments,
    on_progress: OnProgress = lambda progress: None,
    group: Group = ONE_PROCESS,
) -> list[SystemResult]:
    """Decode and score the segments by each system; add a result for each column of outputs.

    The processes of a group share the segments, and each returns all results. `on_progress` may raise to end
    the run. Raises DecodingError, with the line, for a source or reference that a checkpoint cannot read.
    """
    for system in systems:
        _check(system, segments)
    started = time.perf_counter()

    def report(index: int, share: float) -> None:
        total_share = (index + share) / len(systems)
        elapsed = time.perf_counter() - started
        seconds_left = elapsed * (1 - total_share) / total_share if total_share > 0.02 else None
        on_progress(EvaluationProgress(total_share, systems[index].name, seconds_left))

    results = [_run(system, segments, partial(report, index), group) for index, system in enumerate(systems)]
    language = systems[0].language if systems else ""
    columns = (SystemResult(name, outputs, segments, language) for name, outputs in segments.outputs.items())
    return [*results, *columns]


def results_of_columns(segments: Segments) -> list[SystemResult]:
    """The results of the columns of outputs, if no system is run here. Raises DataError if there are none."""
    if not segments.outputs:
        raise DataError(
            "no_system_to_evaluate",
            "there is nothing to evaluate: choose a checkpoint, or give a column of outputs in the file",
        )
    # No checkpoint names the language. Only a language without spaces needs another tokenizer.
    language = unspaced_language(text for texts in segments.references for text in texts)
    return [SystemResult(name, outputs, segments, language) for name, outputs in segments.outputs.items()]


def _check(system: System, segments: Segments) -> None:
    checkpoint = system.checkpoint
    for segment in segments.all:
        try:
            check_source(checkpoint.model, checkpoint.tokenizer, segment.source)
        except DecodingError as error:
            raise DecodingError(
                "at_line", "Line {line}: {error}", line=segment.line, error=message_of(error)
            ) from error
    limit = checkpoint.model.max_positions
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


def _run(system: System, segments: Segments, on_share: Callable[[float], None], group: Group) -> SystemResult:
    checkpoint, tokenizer = system.checkpoint, system.checkpoint.tokenizer
    sources = tokenizer.encode_ids(segments.sources)
    on_share(0)
    started = time.perf_counter()
    decoded = system_outputs(system, segments, lambda share: on_share(DECODING_SHARE * share), group)
    seconds = time.perf_counter() - started
    owners = [index for index, segment in enumerate(segments.all) for _ in segment.references]
    targets = reference_ids(tokenizer, segments)
    indices = group.share(list(range(len(targets))))
    scored = score_texts(
        checkpoint.model,
        [sources[owners[index]] for index in indices],
        [targets[index] for index in indices],
        tokenizer,
        _listener([targets[index] for index in indices], DECODING_SHARE, SCORING_SHARE, on_share),
    )
    gathered = group.gather(dict(zip(indices, scored, strict=True)))
    references = [gathered[index] for index in range(len(targets))]
    best = _best_references(system, owners, references)
    result = SystemResult(
        name=system.name,
        outputs=tuple(output.text for output in decoded),
        segments=segments,
        language=system.language,
        system=system,
        output_scores=tuple(
            OutputScores(
                output.log_prob,
                output.score,
                len(output.tokens),
                output.ended,
                unknown=tokenizer.encode(source).unknown if tokenizer.picture is None else (),
                reference_score=score,
                reference_log_prob=reference.log_prob,
                reference_tokens=reference.length,
            )
            for output, source, (score, reference) in zip(decoded, segments.sources, best, strict=True)
        ),
        reference_scores=tuple(references),
        seconds=seconds,
    )
    for part, computed in enumerate((result.bleu, result.ter, result.sentence_chrf), 1):
        assert computed is not None
        on_share(DECODING_SHARE + SCORING_SHARE + METRICS_SHARE * part / 3)
    return result


def system_outputs(
    system: System, segments: Segments, on_share: Callable[[float], None], group: Group = ONE_PROCESS
) -> list[Output]:
    """Decode the N sources, a part of them in each process of the group. `on_share` gets the share done."""
    checkpoint = system.checkpoint
    sources = checkpoint.tokenizer.encode_ids(segments.sources)
    indices = group.share(list(range(len(sources))))
    decoded = outputs(
        checkpoint.model,
        checkpoint.tokenizer,
        [segments.sources[index] for index in indices],
        system.options,
        language=system.language,
        on_batch=_listener([sources[index] for index in indices], 0, 1, on_share),
    )
    gathered = group.gather(dict(zip(indices, decoded, strict=True)))
    return [gathered[index] for index in range(len(sources))]


def reference_ids(tokenizer: Tokenizer, segments: Segments) -> list[tuple[int, ...]]:
    """The `target_ids` of all references of all segments."""
    return target_ids(tokenizer, [reference for segment in segments.all for reference in segment.references])


def target_ids(tokenizer: Tokenizer, texts: Sequence[str]) -> list[tuple[int, ...]]:
    """Token ids of each text, with the opening tokens and the end token of an output."""
    return [(*tokenizer.first_ids, *ids) for ids in tokenizer.target.encode_ids(texts)]


def _best_references(
    system: System, owners: Iterable[int], references: Iterable[TextScores]
) -> list[tuple[float, TextScores]]:
    """The score and the reference of each segment's best reference, in the order of the segments."""
    best: dict[int, tuple[float, TextScores]] = {}
    for owner, reference in zip(owners, references, strict=True):
        score = system.normalizer(reference.log_prob, reference.length)
        if owner not in best or score > best[owner][0]:
            best[owner] = (score, reference)
    return list(best.values())


def _listener(
    sequences: Sequence[Sequence[int]], begin: float, size: float, on_share: Callable[[float], None]
) -> Callable[[Sequence[int]], None]:
    """A listener that counts the tokens of finished sequences as a share of the work; threads may call it."""
    total, decoded_tokens, lock = sum(map(len, sequences)), 0, threading.Lock()

    def on_batch(indices: Sequence[int]) -> None:
        nonlocal decoded_tokens
        with lock:
            decoded_tokens += sum(len(sequences[index]) for index in indices)
            on_share(begin + size * decoded_tokens / total)
        let_others_run()

    return on_batch
