"""The evidence about bad outputs, from which their causes are diagnosed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from models.budget import let_others_run
from models.decoding.outputs import Output, outputs
from models.decoding.strategies.beam_search import BeamSearch
from models.evaluation.report.evaluation_report import BAD_BELOW_CHRF
from models.evaluation.run import target_ids
from models.evaluation.segments import Segment
from models.evaluation.systems import OutputScores, System, SystemResult
from models.evaluation.text_scores import score_texts
from models.metrics.bootstrap import chrf_statistics
from models.metrics.sentence import words

NUM_OTHER_SOURCES = 3  # other sources for which a text is scored
UNRELATED_GAIN_SHARE = 0.2  # share of the gain in good outputs; a reference that gains less is suspect
MIN_RANKED, MAX_RANKED = 10, 30  # other sources with which the source of a suspect reference is compared
WIDER_FACTOR = 4  # a wider search has this many times the hypotheses of the system's search
MAX_WIDER_BEAM = 16

PASS_COST, SEARCH_COST = 1.0, 10.0  # relative costs of scoring one text, and of one wider search
MAX_GOOD_OUTPUTS = 100  # good outputs whose gain is measured

OnWork = Callable[[float], None]  # gets the cost of each part of the work when it is done


@dataclass(frozen=True)
class OutputEvidence:
    """The evidence about one segment and one system. Nats are per token, by the network itself."""

    index: int  # the index of the segment
    segment: Segment
    output: str
    chrf: float  # the chrF of the output
    scores: OutputScores
    output_gain: float  # nats that a token of the output gains by its source over other sources
    reference_gain: float  # the same for the reference
    copied: float  # chrF of the reference against the source; 100: the reference is a copy
    usual_source_gain: float  # median `output_gain` of the good outputs
    wider: Output | None  # the best output of a wider search, if its score is higher
    wider_chrf: float
    unseen: tuple[str, ...]  # words of the source in no training pair; none if the pairs are not known
    language: str
    source_language: str
    constrained: bool = False  # the search had constraints
    # The share of other sources that explain a suspect reference better than its own source; 1 if not known.
    better_sources: float = 1.0


def bad_indices(result: SystemResult, threshold: float = BAD_BELOW_CHRF) -> list[int]:
    """The indices of outputs with a sentence chrF below a threshold, the worst first."""
    bad = [index for index, score in enumerate(result.sentence_chrf) if score < threshold]
    return sorted(bad, key=lambda index: result.sentence_chrf[index])


def gather(
    result: SystemResult,
    indices: Sequence[int],
    word_counts: Mapping[str, int] | None = None,
    on_work: OnWork = lambda work: None,
) -> list[OutputEvidence]:
    """Gather evidence about some segments; `word_counts` count the words of the training sources.

    Raises ValueError for outputs that were made elsewhere, whose network is not known.
    """
    if result.system is None:
        raise ValueError(f"{result.name} was not run here: its outputs alone do not say why they are bad")
    if not indices:
        return []
    system, config = result.system, result.system.checkpoint.config
    segments = [result.segments.all[index] for index in indices]
    first_references = [segment.references[0] for segment in segments]
    output_gains = _gain(result, indices, [result.outputs[index] for index in indices], on_work)
    reference_gains = _gain(result, indices, first_references, on_work)
    usual = _usual_gain(result, on_work)
    wider = _wider(system, segments, on_work)
    wider_chrf = _chrf([output.text for output in wider], [segment.references for segment in segments])
    copied = _chrf(first_references, [(segment.source,) for segment in segments])
    better_sources = {
        index: _better_sources(result, index, on_work)
        for index, gain in zip(indices, reference_gains, strict=True)
        if gain < UNRELATED_GAIN_SHARE * usual
    }
    evidence = []
    for row, index in enumerate(indices):
        scores, segment = result.output_scores[index], segments[row]
        better = wider[row].score > scores.score + 1e-4
        evidence.append(
            OutputEvidence(
                index=index,
                segment=segment,
                output=result.outputs[index],
                chrf=result.sentence_chrf[index],
                scores=scores,
                output_gain=output_gains[row],
                reference_gain=reference_gains[row],
                copied=copied[row],
                usual_source_gain=usual,
                wider=wider[row] if better else None,
                wider_chrf=wider_chrf[row],
                unseen=_unseen(segment.source, config.source_language, word_counts),
                language=result.language,
                source_language=config.source_language,
                constrained=bool(system.options.constraints()),
                better_sources=better_sources.get(index, 1.0),
            )
        )
    return evidence


def gathering_cost(result: SystemResult, indices: Sequence[int]) -> float:
    """The cost of `gather` for some segments, in the units that `on_work` receives."""
    passes = 2 * len(indices) + min(MAX_GOOD_OUTPUTS, len(result.outputs))
    return PASS_COST * (1 + NUM_OTHER_SOURCES) * passes + SEARCH_COST * len(indices)


def _better_sources(result: SystemResult, index: int, on_work: OnWork) -> float:
    """The share of other sources given which a segment's first reference is more probable.

    It is 1 if the test set has too few other sources.
    """
    assert result.system is not None
    model, tokenizer = result.system.checkpoint.model, result.system.checkpoint.tokenizer
    source = result.segments.sources[index]
    other_sources = [text for text in dict.fromkeys(result.segments.sources) if text != source]
    if len(other_sources) < MIN_RANKED:
        return 1.0
    other_sources = other_sources[:: -(-len(other_sources) // MAX_RANKED)]
    (reference,) = target_ids(tokenizer, result.segments.references[index][:1])
    sources = tokenizer.encode_ids([source, *other_sources])
    own_score, *other_scores = (
        text.log_prob
        for text in score_texts(
            model, sources, [reference] * len(sources), tokenizer, lambda batch: on_work(0.0)
        )
    )
    return sum(score > own_score for score in other_scores) / len(other_sources)


def _gain(result: SystemResult, indices: Sequence[int], texts: Sequence[str], on_work: OnWork) -> list[float]:
    """log p(y|x) minus the median of log p(y|x') over other sources x' of the test set, in nats per token.

    A median is robust against another source that is nearly the same. NaN if there is no other source.
    """
    assert result.system is not None
    model, tokenizer = result.system.checkpoint.model, result.system.checkpoint.tokenizer
    sources, targets = tokenizer.encode_ids(result.segments.sources), target_ids(tokenizer, texts)
    if len(sources) == 1:
        return [math.nan] * len(indices)
    shifts = sorted(
        {max(1, round(len(sources) * k / (NUM_OTHER_SOURCES + 1))) for k in range(1, NUM_OTHER_SOURCES + 1)}
    )

    def report_work(batch: Sequence[int]) -> None:
        on_work(PASS_COST * len(batch))

    scored, *after_other_sources = (
        score_texts(
            model,
            [sources[(index + shift) % len(sources)] for index in indices],
            targets,
            tokenizer,
            report_work,
        )
        for shift in (0, *shifts)
    )
    return [
        (text.log_prob - median(other[row].log_prob for other in after_other_sources)) / len(text.log_probs)
        for row, text in enumerate(scored)
    ]


def _usual_gain(result: SystemResult, on_work: OnWork) -> float:
    """Median gain of the good outputs; of all outputs, if none is good."""
    good = [index for index, score in enumerate(result.sentence_chrf) if score >= BAD_BELOW_CHRF]
    indices = (good or range(len(result.outputs)))[:MAX_GOOD_OUTPUTS]
    gains = sorted(_gain(result, indices, [result.outputs[index] for index in indices], on_work))
    return gains[len(gains) // 2]


def _wider(system: System, segments: Sequence[Segment], on_work: OnWork) -> list[Output]:
    """The best outputs of a beam search with more hypotheses than the system's, by the same score."""
    options = system.options
    width = options.beam_size if options.strategy == BeamSearch.name else 1
    wider = replace(
        options, strategy=BeamSearch.name, beam_size=min(max(2, WIDER_FACTOR * width), MAX_WIDER_BEAM)
    )
    checkpoint = system.checkpoint

    def report_work(batch: Sequence[int]) -> None:
        on_work(SEARCH_COST * len(batch))
        let_others_run()

    return outputs(
        checkpoint.model,
        checkpoint.tokenizer,
        [segment.source for segment in segments],
        wider,
        language=system.language,
        on_batch=report_work,
    )


def _chrf(texts: Sequence[str], references: Sequence[Sequence[str]]) -> list[float]:
    sentences = chrf_statistics(texts, references)
    return [sentences.score(row) for row in sentences.statistics]


def _unseen(source: str, language: str, word_counts: Mapping[str, int] | None) -> tuple[str, ...]:
    if word_counts is None:
        return ()
    distinct = dict.fromkeys(word for word in words(source, language) if any(map(str.isalnum, word)))
    return tuple(word for word in distinct if not word_counts.get(word) and not word_counts.get(word.lower()))
