"""What is known of a segment that went badly: everything that a cause is decided by."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from models.budget import rest
from models.decoding.outputs import Output, outputs
from models.decoding.strategies.beam_search import BeamSearch
from models.evaluation.forced import forced
from models.evaluation.run import reference_ids
from models.evaluation.segments import Segment, Segments
from models.evaluation.systems import Result, System, Written
from models.metrics.bootstrap import chrf_sentences
from models.metrics.words import words

BAD = 50.0  # sentence chrF below which an output is looked into
OTHERS = 3  # sources that a text is scored after besides its own
WIDER = 4  # times as many hypotheses as the search kept, for the second search
WIDEST = 16

PASS, SEARCH = 1.0, 10.0  # what a pass over a text and a wider search cost beside each other
USUAL = 100  # good outputs whose gain is looked at

Watch = Callable[[float], None]  # told what was done, in passes


@dataclass(frozen=True)
class Evidence:
    """Of one segment and one system. Nats are per token, of the network itself."""

    at: int  # place of the segment
    segment: Segment
    output: str
    chrf: float  # of the output
    written: Written
    output_gain: float  # nats that a token of the output gains by its own source, beside other sources
    reference_gain: float  # the same of the reference
    copied: float  # chrF of the reference beside the source: a copy has 100
    source_gain_usual: float  # median `output_gain` of the outputs that are good
    wider: Output | None  # the best that a wider search finds, if its score is higher
    wider_chrf: float
    unseen: tuple[str, ...]  # words of the source that stood in no training pair; none if nobody knows
    language: str
    source_language: str
    constrained: bool = False  # the search was not free to write any text


def bad_places(result: Result, threshold: float = BAD) -> list[int]:
    """Where sentence chrF is below a threshold, the worst first."""
    chosen = [index for index, score in enumerate(result.sentence_chrf) if score < threshold]
    return sorted(chosen, key=lambda index: result.sentence_chrf[index])


def gather(
    result: Result,
    places: Sequence[int],
    seen: Mapping[str, int] | None = None,
    watch: Watch = lambda work: None,
) -> list[Evidence]:
    """Of the segments at these places. `seen`: how often each word stood in the training sources.

    Raises ValueError for outputs that were made elsewhere: nothing can be asked of their network.
    """
    if result.system is None:
        raise ValueError(f"{result.name} was not run here: its outputs alone do not say why they are bad")
    if not places:
        return []
    system, config = result.system, result.system.checkpoint.config
    segments = [result.segments.all[index] for index in places]
    gains = _gains(result, places, watch)
    usual = _usual_gain(result, watch)
    wider = _wider(system, segments, watch)
    scores = _chrf([item.text for item in wider], [segment.references for segment in segments])
    copies = _chrf(
        [segment.references[0] for segment in segments], [(segment.source,) for segment in segments]
    )
    hits = []
    for place, position in enumerate(places):
        written, segment = result.written[position], segments[place]
        better = wider[place].score > written.score + 1e-4
        hits.append(
            Evidence(
                at=position,
                segment=segment,
                output=result.outputs[position],
                chrf=result.sentence_chrf[position],
                written=written,
                output_gain=gains[place][0],
                reference_gain=gains[place][1],
                copied=copies[place],
                source_gain_usual=usual,
                wider=wider[place] if better else None,
                wider_chrf=scores[place],
                unseen=_unseen(segment.source, config.source_language, seen),
                language=result.language,
                source_language=config.source_language,
                constrained=bool(system.options.constraints()),
            )
        )
    return hits


def work(result: Result, places: Sequence[int]) -> float:
    """What `gather` has to do for them, in passes."""
    passes = 2 * len(places) + min(USUAL, len(result.outputs))
    return PASS * (1 + OTHERS) * passes + SEARCH * len(places)


def _gains(result: Result, places: Sequence[int], watch: Watch) -> list[tuple[float, float]]:
    """For each place what a token of the output, and of its first reference, gains by the source."""
    assert result.system is not None
    tokenizer = result.system.checkpoint.tokenizer
    firsts = [replace(segment, references=segment.references[:1]) for segment in result.segments.all]
    wanted = reference_ids(tokenizer, Segments(tuple(firsts[index] for index in places)))
    made = [
        (*tokenizer.first_ids, *ids)
        for ids in tokenizer.target.encode_ids([result.outputs[index] for index in places])
    ]
    output, reference = (_gain(result, places, texts, watch) for texts in (made, wanted))
    return list(zip(output, reference, strict=True))


def _gain(result: Result, places: Sequence[int], texts: Sequence[Sequence[int]], watch: Watch) -> list[float]:
    """Nats per token: log p(y|x) less the median of log p(y|x') over other sources x' of the test set.

    The median, since another source may be nearly the same. NaN where there is no other source.
    """
    assert result.system is not None
    model, tokenizer = result.system.checkpoint.model, result.system.checkpoint.tokenizer
    sources = tokenizer.encode_ids(result.segments.sources)
    if len(sources) == 1:
        return [math.nan] * len(places)
    shifts = sorted({max(1, round(len(sources) * k / (OTHERS + 1))) for k in range(1, OTHERS + 1)})

    def done(chosen: Sequence[int]) -> None:
        watch(PASS * len(chosen))

    own, *others = (
        forced(model, [sources[(index + shift) % len(sources)] for index in places], texts, tokenizer, done)
        for shift in (0, *shifts)
    )
    return [
        (mine.log_prob - median(other[place].log_prob for other in others)) / len(mine.log_probs)
        for place, mine in enumerate(own)
    ]


def _usual_gain(result: Result, watch: Watch, most: int = USUAL) -> float:
    """Median gain of the outputs that are good; of all, where none is."""
    good = [index for index, score in enumerate(result.sentence_chrf) if score >= BAD][:most]
    chosen = good or list(range(min(most, len(result.outputs))))
    assert result.system is not None
    tokenizer = result.system.checkpoint.tokenizer
    texts = [
        (*tokenizer.first_ids, *ids)
        for ids in tokenizer.target.encode_ids([result.outputs[index] for index in chosen])
    ]
    gains = sorted(_gain(result, chosen, texts, watch))
    return gains[len(gains) // 2]


def _wider(system: System, segments: Sequence[Segment], watch: Watch) -> list[Output]:
    """The best of a beam search with more hypotheses than the system kept, by the same score."""
    options = system.options
    width = options.beam_size if options.strategy == BeamSearch.name else 1
    wider = replace(options, strategy=BeamSearch.name, beam_size=min(max(2, WIDER * width), WIDEST))
    checkpoint = system.checkpoint

    def done(chosen: Sequence[int]) -> None:
        watch(SEARCH * len(chosen))
        rest()

    return outputs(
        checkpoint.model,
        checkpoint.tokenizer,
        [segment.source for segment in segments],
        wider,
        language=system.language,
        watch=done,
    )


def _chrf(texts: Sequence[str], references: Sequence[Sequence[str]]) -> list[float]:
    sentences = chrf_sentences(texts, references)
    return [sentences.score(row) for row in sentences.statistics]


def _unseen(source: str, language: str, seen: Mapping[str, int] | None) -> tuple[str, ...]:
    if seen is None:
        return ()
    result = (word for word in words(source, language) if any(map(str.isalnum, word)))
    return tuple(dict.fromkeys(word for word in result if not seen.get(word) and not seen.get(word.lower())))
