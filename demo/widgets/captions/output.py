"""Sentences about an output: the result in one line that needs no knowledge of searches, and warnings.

Warnings concern unknown source words, unusual length, repetition, and source words without attention. Their
bounds are measured: of 158 outputs of the shipped translators that equal their reference, about 1 % had less
than 0.62 or more than 1.53 tokens per source token. A word without attention says little alone: up to a third
of those outputs, and no more of the wrong ones, have a word without a weight of 10 %. So such words are named
only for a short output.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest

from demo.i18n import listed, quoted, say
from demo.i18n.display import METASPACE, capitalize, display_token, number_text, task_text, whole_percent_text
from demo.widgets.captions.search import FIXED_REASONS
from demo.widgets.figures.attention import mean_weights
from demo.widgets.figures.curves.training import AT_STEP
from demo.work.requests.checks import is_picture
from models.decoding.record.recorded_settings import greedy_output
from models.decoding.status import Reason, Stop
from models.decoding.strategies import description_of
from models.decoding.trace import BeamNode, DecodingTrace, GreedyOutput, Hypothesis
from models.tokenization.plain_text import EOS, UNK


def result_captions(trace: DecodingTrace) -> list[str]:
    """The task, the output and what greedy search would write, for each hypothesis; parts may be unknown."""
    task, greedy = task_text(trace.task, trace.languages), greedy_output(trace)
    lines = []
    for rank, hypothesis in enumerate(trace.hypotheses, 1):
        text, which = _output_text(hypothesis.text), _which(trace, rank)
        subject = task or capitalize(which)
        if task and which:
            subject = say("{task}, {which}", task=task, which=which)
        parts = [say("{task}: {output}", task=subject, output=text) if subject else text]
        if greedy is not None and trace.strategy != "greedy":
            if len(trace.forced) > trace.opening or trace.overrides:
                parts.append(say("With the same edits:"))
            parts.append(_beside_greedy(hypothesis, greedy))
        lines.append(" ".join(parts))
    return lines


def _which(trace: DecodingTrace, rank: int) -> str:
    """Which of the outputs this is; empty for the result of a search."""
    numbers = {"rank": rank, "count": len(trace.hypotheses)}
    if description_of(trace.strategy).draws:
        return say("sample {rank} of {count}", **numbers)
    return say("hypothesis {rank} of {count}", **numbers) if rank > 1 else ""


def _beside_greedy(hypothesis: Hypothesis, greedy: GreedyOutput) -> str:
    if greedy.text == hypothesis.text:
        return say("Greedy search writes the same.")
    steps = enumerate(zip_longest(hypothesis.token_ids, greedy.token_ids), 1)
    first = next((step for step, (one, other) in steps if one != other), 1)
    output = _output_text(greedy.text)
    return say("Greedy search would write: {output} The two part at step {step}.", output=output, step=first)


def _output_text(text: str) -> str:
    return quoted(text) if text else say("(empty)")


def words_caption(trace: DecodingTrace) -> list[str]:
    """A sentence for each hypothesis; empty without required words."""
    if not trace.words:
        return []
    return [f"{_positions(trace, hypothesis)} {_cost(trace)}".strip() for hypothesis in trace.hypotheses]


def _positions(trace: DecodingTrace, hypothesis: Hypothesis) -> str:
    positions = [
        say(AT_STEP, value=quoted(phrase.text), step=step + 1)
        for phrase, step in zip(trace.words, hypothesis.word_steps, strict=False)
    ]
    count = sum(node.reason is Reason.HELD_BACK for node in trace.nodes.values())
    sentence = say("Required words: {places}.", places=listed(positions))
    return f"{sentence} {say('Candidates dropped to make room for them: {count}.', count=count)}"


def _cost(trace: DecodingTrace) -> str:
    """A sentence about the score of the same search without the words."""
    if trace.without_words is None or not trace.hypotheses:
        return ""
    best = trace.hypotheses[0]
    if trace.without_words.token_ids == best.token_ids:
        return say("The same search without them finds the same output.")
    return say(
        "Without them the same search writes {text}, score {score} against {other}: they cost {cost}.",
        text=quoted(trace.without_words.text) if trace.without_words.text else say("(empty)"),
        score=number_text(trace.without_words.score, 3),
        other=number_text(best.score, 3),
        cost=number_text(trace.without_words.score - best.score, 3),
    )


SHORT_RATIO, LONG_RATIO = 0.55, 1.7  # tokens of the output for each of the source
MIN_WORDS = 4  # the fewest words of a source whose length is judged; names, dates and spellings have fewer
MIN_ATTENDED_WEIGHT = 0.1  # a word with this weight at one step counts as attended to
MIN_REPETITIONS, MAX_PHRASE_TOKENS = 3, 8  # repetitions in a row
MAX_NAMED_WORDS = 6
BLANKS = f"{METASPACE} "  # no text of a token, though its offsets may include the next word


def warnings_caption(trace: DecodingTrace) -> list[str]:
    """A warning for each hypothesis; empty without any."""
    return [_warnings(trace, trace.path(hypothesis.node)) for hypothesis in trace.hypotheses]


def _warnings(trace: DecodingTrace, path: Sequence[BeamNode]) -> str:
    if all(node.token == EOS or node.reason in FIXED_REASONS for node in path):
        return " ".join(filter(None, (unread(trace), say("Nothing was written: the model ended at once."))))
    return " ".join(filter(None, (unread(trace), _length(trace, path), _repetition(trace, path))))


def unread(trace: DecodingTrace) -> str:
    """A sentence about words of the source that the vocabulary lacks; empty if it has all."""
    pieces = [
        (token, trace.source_text[token.start or 0 : token.end or 0].strip(" ")) for token in trace.source
    ]
    pieces = [(token, piece) for token, piece in pieces if piece and token.surface.strip(BLANKS)]
    unknown = list(dict.fromkeys(piece for token, piece in pieces if token.unknown))
    if not unknown or is_picture(trace.source_text):
        return ""
    if all(token.unknown for token, _ in pieces):
        return say(
            "The vocabulary has no word of this source: the model reads only {unknown}, and "
            "the output has nothing to do with the source.",
            unknown=UNK,
        )
    return say(
        "Not in the vocabulary: {words}. The model reads {unknown} there, and has to guess.",
        words=_quoted_words(unknown),
        unknown=UNK,
    )


def _quoted_words(words: Sequence[str]) -> str:
    return listed(quoted(display_token(word)) for word in words[:MAX_NAMED_WORDS]) + (
        "…" if len(words) > MAX_NAMED_WORDS else ""
    )


def _length(trace: DecodingTrace, path: Sequence[BeamNode]) -> str:
    words = [word for word in re.findall(r"\w+", trace.source_text) if word.isalpha()]
    if len(words) < MIN_WORDS or not trace.source or is_picture(trace.source_text):
        return ""
    counts = {"tokens": len(path), "source": len(trace.source)}
    ratio = len(path) / len(trace.source)
    if ratio > LONG_RATIO:
        return say(
            "Long: {tokens} tokens for {source} of the source. "
            "A translation this long says more than its source.",
            **counts,
        )
    if ratio >= SHORT_RATIO:
        return ""
    sentences = [
        say(
            "Short: {tokens} tokens for {source} of the source. "
            "A translation this short leaves something out.",
            **counts,
        )
    ]
    if unattended := passed_over(trace, path):
        sentences.append(
            say(
                "Words that never get {percent} of the attention or more: {words}.",
                percent=whole_percent_text(MIN_ATTENDED_WEIGHT),
                words=_quoted_words(unattended),
            )
        )
    if description_of(trace.strategy).proof and _best_of_all(trace, path):
        sentences.append(
            say("No output is more probable: here the model is wrong, and no search can correct that.")
        )
    return " ".join(sentences)


def _best_of_all(trace: DecodingTrace, path: Sequence[BeamNode]) -> bool:
    explored = trace.exploration
    first = bool(trace.hypotheses) and trace.hypotheses[0].node == path[-1].id
    return first and explored is not None and explored.stop is Stop.COMPLETE


def passed_over(trace: DecodingTrace, path: Sequence[BeamNode]) -> list[str]:
    """Source words without `MIN_ATTENDED_WEIGHT` at any step, in the mean of layers and heads."""
    rows = [trace.row(node).attention for node in path]
    weights = [mean_weights(row) for row in rows if row is not None]
    if not weights:
        return []
    unattended = []
    for word in re.finditer(r"\w+", trace.source_text):
        indices = [
            index
            for index, token in enumerate(trace.source)
            if token.start is not None and token.end is not None
            if token.start < word.end() and word.start() < token.end
        ]
        if indices and max(sum(step[index] for index in indices) for step in weights) < MIN_ATTENDED_WEIGHT:
            unattended.append(word.group())
    return unattended


def _repetition(trace: DecodingTrace, path: Sequence[BeamNode]) -> str:
    tokens = [node.token for node in path]
    result = repeated_phrase(tokens)
    if result is None or repeated_phrase([token.surface for token in trace.source]) is not None:
        return ""
    phrase, times = result
    text = " ".join(map(display_token, phrase))
    return say(
        "Repeats itself: {phrase} {times} times in a row, which the source does not.",
        phrase=quoted(text),
        times=times,
    )


def repeated_phrase(tokens: Sequence[str]) -> tuple[tuple[str, ...], int] | None:
    """The first phrase that occurs `MIN_REPETITIONS` times in a row, and its count; None if there is none."""
    for size in range(1, MAX_PHRASE_TOKENS + 1):
        for start in range(len(tokens) - MIN_REPETITIONS * size + 1):
            phrase = tuple(tokens[start : start + size])
            times = 1
            while tuple(tokens[start + times * size :][:size]) == phrase:
                times += 1
            if times >= MIN_REPETITIONS:
                return phrase, times
    return None


def length_note(tokens: int, usual: int | None) -> str:
    """A warning for a source of more tokens than `usual`, the 99th percentile in training; else empty."""
    if usual is None or tokens <= usual:
        return ""
    return say(
        "The source has {count} tokens; 99 of 100 that this model was trained on have at most {usual}. "
        "Expect it to do worse.",
        count=tokens,
        usual=usual,
    )
