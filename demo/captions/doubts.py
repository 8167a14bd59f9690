"""What speaks against an output as a text: a source beyond the vocabulary, length, repetition, unseen words.

The bounds are measured: of 158 outputs of the shipped translators that were the reference to the letter,
about 1 in 100 had less than 0.62 tokens for each of the source, or more than 1.53. That attention passes
over a word says little alone: up to a third of those outputs, and no more of the wrong ones, have a word
with no weight of 10 %. So words are named only where an output is short.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from demo.captions.search import GIVEN
from demo.i18n import listed, quoted, say
from demo.i18n.display import METASPACE, display_token
from demo.requests.checks import is_picture
from models.decoding.status import Stop
from models.decoding.strategies import described
from models.decoding.trace import BeamNode, DecodingTrace
from models.tokenization.tokenizer import EOS, UNK

SHORT, LONG = 0.55, 1.7  # tokens of the output for each of the source
LEAST_WORDS = 4  # of a source whose length says something; names, dates and spellings have fewer
SEEN = 0.1  # weight at one step from which a word counts as looked at
TIMES, PHRASE = 3, 8  # repetitions in a row that count; tokens of the longest phrase that is looked for
NAMED = 6  # words at most
BLANKS = f"{METASPACE} "  # of which a token says nothing, though it may be placed at the word that follows


def doubts_caption(trace: DecodingTrace) -> list[str]:
    """For each hypothesis what is doubtful about it as a text; empty if nothing is."""
    return [_doubts(trace, trace.path(hypothesis.node)) for hypothesis in trace.hypotheses]


def _doubts(trace: DecodingTrace, path: Sequence[BeamNode]) -> str:
    if all(node.token == EOS or node.reason in GIVEN for node in path):
        return " ".join(filter(None, (unread(trace), say("Nothing was written: the model ended at once."))))
    return " ".join(filter(None, (unread(trace), _length(trace, path), _repetition(trace, path))))


def unread(trace: DecodingTrace) -> str:
    """What of the source the vocabulary lacks, so that nothing written can be of it; empty if it has all."""
    pieces = [
        (token, trace.source_text[token.start or 0 : token.end or 0].strip(" ")) for token in trace.source
    ]
    pieces = [(token, piece) for token, piece in pieces if piece and token.surface.strip(BLANKS)]
    lacking = list(dict.fromkeys(piece for token, piece in pieces if token.unknown))
    if not lacking or is_picture(trace.source_text):
        return ""
    if all(token.unknown for token, _ in pieces):
        return say(
            "The vocabulary has nothing of this source: the model reads only {unknown}, and the output "
            "has nothing to do with what is written there.",
            unknown=UNK,
        )
    return say(
        "Not in the vocabulary: {words}. The model reads {unknown} there, and has to guess.",
        words=_named(lacking),
        unknown=UNK,
    )


def _named(words: Sequence[str]) -> str:
    return listed(quoted(display_token(word)) for word in words[:NAMED]) + ("…" if len(words) > NAMED else "")


def _length(trace: DecodingTrace, path: Sequence[BeamNode]) -> str:
    words = [word for word in re.findall(r"\w+", trace.source_text) if word.isalpha()]
    if len(words) < LEAST_WORDS or not trace.source or is_picture(trace.source_text):
        return ""
    counts = {"tokens": len(path), "source": len(trace.source)}
    ratio = len(path) / len(trace.source)
    if ratio > LONG:
        return say(
            "Long: {tokens} tokens for {source} of the source. "
            "A translation this long says more than its source.",
            **counts,
        )
    if ratio >= SHORT:
        return ""
    told = [
        say(
            "Short: {tokens} tokens for {source} of the source. "
            "A translation this short leaves something out.",
            **counts,
        )
    ]
    if passed := passed_over(trace, path):
        told.append(
            say(
                "Never looked at with {percent} or more: {words}.",
                percent=f"{SEEN:.0%}",
                words=_named(passed),
            )
        )
    if described(trace.strategy).proof and _best_of_all(trace, path):
        told.append(say("No output is more probable: here the model is wrong, and no search can mend that."))
    return " ".join(told)


def _best_of_all(trace: DecodingTrace, path: Sequence[BeamNode]) -> bool:
    explored = trace.exploration
    first = bool(trace.hypotheses) and trace.hypotheses[0].node == path[-1].id
    return first and explored is not None and explored.stop is Stop.COMPLETE


def passed_over(trace: DecodingTrace, path: Sequence[BeamNode]) -> list[str]:
    """Words of the source to which no step gives a weight of `SEEN`, the mean of all layers and heads."""
    rows = [trace.row(node).attention for node in path]
    weights = [_mean(row) for row in rows if row is not None]
    if not weights:
        return []
    passed = []
    for word in re.finditer(r"\w+", trace.source_text):
        own = [
            index
            for index, token in enumerate(trace.source)
            if token.start is not None and token.end is not None
            if token.start < word.end() and word.start() < token.end
        ]
        if own and max(sum(step[index] for index in own) for step in weights) < SEEN:
            passed.append(word.group())
    return passed


def _mean(attention: Sequence[Sequence[Sequence[float]]]) -> list[float]:
    heads = [head for layer in attention for head in layer]
    return [sum(column) / len(heads) for column in zip(*heads, strict=True)]


def _repetition(trace: DecodingTrace, path: Sequence[BeamNode]) -> str:
    tokens = [node.token for node in path]
    result = repeated(tokens)
    if result is None or repeated([token.surface for token in trace.source]) is not None:
        return ""
    phrase, times = result
    told = " ".join(map(display_token, phrase))
    return say(
        "Repeats itself: {phrase} {times} times in a row, which the source does not.",
        phrase=quoted(told),
        times=times,
    )


def repeated(tokens: Sequence[str]) -> tuple[tuple[str, ...], int] | None:
    """The first phrase that comes `TIMES` times in a row or oftener, and how often; None if there is none."""
    for size in range(1, PHRASE + 1):
        for start in range(len(tokens) - TIMES * size + 1):
            phrase = tuple(tokens[start : start + size])
            times = 1
            while tuple(tokens[start + times * size :][:size]) == phrase:
                times += 1
            if times >= TIMES:
                return phrase, times
    return None
