"""The causes of bad outputs. They are tried in order, and the first one that holds is the diagnosis.

Causes that spoil the comparison come first, then those that a setting can change. The network's own error is
last, for outputs that nothing else explains.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from models.decoding.judge.reference_doubt import doubt_of_text
from models.errors import Message, in_quotes
from models.evaluation.triage.evidence import UNRELATED_GAIN_SHARE, OutputEvidence
from models.metrics.sentence import words

LITTLE_GAIN_SHARE = 0.25  # share of the gain by the source in good outputs, nats per token
MAX_BETTER_SHARE = 0.1  # share of other sources that may explain a right reference better than its own
NO_GAIN_NATS = 0.2  # nats per token; a smaller gain is no more than that of a network without a source
MIN_REPEATS = 3  # consecutive repeats of a run of words
MAX_RUN_WORDS = 4
SHORT_SHARE, LONG_SHARE = 0.75, 1.35  # share of the reference's number of tokens
SAME_SCORE_MARGIN = 1e-3  # nats by which two computations of the same score may differ
MIN_CHRF_GAIN = 5.0  # points of chrF that a wider search must gain


@dataclass(frozen=True)
class Cause:
    """One reason why an output may be bad."""

    name: str
    title: Message
    remedy: Message
    holds: Callable[[OutputEvidence], Message | None]  # the evidence in a sentence


def doubtful_reference(evidence: OutputEvidence) -> Message | None:
    """The reference is a copy of the source, in another script, or has nothing to do with the source."""
    pair = (evidence.segment.source, evidence.segment.references[0])
    translates = evidence.language != evidence.source_language
    if translates and (doubt := doubt_of_text(*pair, evidence.output, evidence.copied)):
        return doubt
    # The gains of a source with unknown words prove nothing.
    unrelated = evidence.reference_gain < UNRELATED_GAIN_SHARE * evidence.usual_source_gain
    explained = evidence.output_gain > LITTLE_GAIN_SHARE * evidence.usual_source_gain
    # A free translation may gain little, but few other sources explain it better.
    is_elsewhere = evidence.better_sources > MAX_BETTER_SHARE
    if unrelated and is_elsewhere and explained and not evidence.scores.unknown:
        return Message(
            "reference_unrelated",
            "The source explains the reference by {reference} nats a token, the output by {output}: the "
            "two may not belong together.",
            reference=_number(evidence.reference_gain),
            output=_number(evidence.output_gain),
        )
    return None


def cut_off_or_repeated(evidence: OutputEvidence) -> Message | None:
    """The output has no end token, or repeats words."""
    run = repeated_run(evidence.output, evidence.language)
    if run and run not in " ".join(words(evidence.segment.references[0], evidence.language)):
        return Message("words_repeated", "“{words}” occurs three times in a row.", words=run)
    if not evidence.scores.ended:
        return Message(
            "output_cut_off",
            "The output was cut off after {count} tokens; the reference has {reference}.",
            count=evidence.scores.tokens,
            reference=evidence.scores.reference_tokens,
        )
    return None


def unknown_words(evidence: OutputEvidence) -> Message | None:
    """The vocabulary lacks a part of the source."""
    if not evidence.scores.unknown:
        return None
    return Message(
        "source_unknown", "The vocabulary lacks {words}.", words=in_quotes(evidence.scores.unknown)
    )


def search_error(evidence: OutputEvidence) -> Message | None:
    """The model scores the reference, or a better text, higher than the output of the search."""
    scores = evidence.scores
    if scores.reference_score > scores.score + SAME_SCORE_MARGIN:
        values = {"reference": _number(scores.reference_score), "output": _number(scores.score)}
        if evidence.constrained:
            return Message(
                "reference_may_be_forbidden",
                "The model gives the reference a score of {reference}, and the output only {output}: the "
                "search missed the reference, or a constraint forbade it.",
                **values,
            )
        return Message(
            "reference_scores_higher",
            "The model gives the reference a score of {reference}, and the output only {output}: the "
            "search missed the reference.",
            **values,
        )
    if evidence.wider is not None and evidence.wider_chrf >= evidence.chrf + MIN_CHRF_GAIN:
        return Message(
            "wider_search_better",
            "A wider search finds “{text}”, which scores higher ({wider} against {output}) and is closer to "
            "the reference (chrF {wider_chrf} against {chrf}).",
            text=evidence.wider.text,
            wider=_number(evidence.wider.score),
            output=_number(scores.score),
            wider_chrf=f"{evidence.wider_chrf:.0f}",
            chrf=f"{evidence.chrf:.0f}",
        )
    return None


def length_bias(evidence: OutputEvidence) -> Message | None:
    """The output wins by its length alone: the model prefers the reference per token, or in total."""
    scores = evidence.scores
    ratio = scores.tokens / scores.reference_tokens
    reference_mean = scores.reference_log_prob / scores.reference_tokens
    values = {"output": scores.tokens, "reference": scores.reference_tokens}
    if ratio <= SHORT_SHARE and reference_mean > scores.log_prob / scores.tokens:
        return Message(
            "too_short",
            "The output has {output} tokens, the reference {reference}. Per token, the model gives the "
            "reference a higher probability; the output wins only because it is shorter.",
            **values,
        )
    if ratio >= LONG_SHARE and scores.reference_log_prob > scores.log_prob:
        return Message(
            "too_long",
            "The output has {output} tokens, the reference {reference}. In total, the model gives the "
            "reference a higher probability; the output wins only by the length penalty.",
            **values,
        )
    return None


def little_reliance(evidence: OutputEvidence) -> Message | None:
    """The output would be nearly as probable for another source."""
    if not evidence.output_gain < max(LITTLE_GAIN_SHARE * evidence.usual_source_gain, NO_GAIN_NATS):
        return None
    return Message(
        "output_ignores_source",
        "The source raises the log-probability of the output by only {gain} nats per token; for good "
        "outputs it is {usual}.",
        gain=_number(evidence.output_gain),
        usual=_number(evidence.usual_source_gain),
    )


def words_not_in_training(evidence: OutputEvidence) -> Message | None:
    """The training pairs lack words of the source."""
    if not evidence.unseen:
        return None
    return Message("words_unseen", "No training pair contains {words}.", words=in_quotes(evidence.unseen))


def model_error(evidence: OutputEvidence) -> Message | None:
    """No other cause holds: the model prefers the bad output."""
    scores = evidence.scores
    return Message(
        "model_prefers_output",
        "The model scores its output {output} and the reference {reference}: no search that finds the "
        "best would help.",
        output=_number(scores.score),
        reference=_number(scores.reference_score),
    )


CAUSES = (
    Cause(
        "reference",
        Message("cause_reference", "doubtful reference"),
        Message("remedy_reference", "Look at this pair, and correct or drop it."),
        doubtful_reference,
    ),
    Cause(
        "repetition",
        Message("cause_repetition", "repetition or cut off"),
        Message("remedy_repetition", "Forbid repeated n-grams, or raise the maximum length."),
        cut_off_or_repeated,
    ),
    Cause(
        "unknown",
        Message("cause_unknown", "unknown words"),
        Message("remedy_unknown", "Spell them differently, or train a tokenizer that has these characters."),
        unknown_words,
    ),
    Cause(
        "search",
        Message("cause_search", "search error"),
        Message("remedy_search", "Keep more hypotheses: a larger beam."),
        search_error,
    ),
    Cause(
        "length",
        Message("cause_length", "length bias"),
        Message("remedy_length", "Change the length penalty."),
        length_bias,
    ),
    Cause(
        "reliance",
        Message("cause_reliance", "little reliance on the source"),
        Message(
            "remedy_reliance",
            "In Inspect, “Source or history” shows more. More training or a network with attention may help.",
        ),
        little_reliance,
    ),
    Cause(
        "unseen",
        Message("cause_unseen", "not in the training data"),
        Message("remedy_unseen", "Add pairs with these words to the training data."),
        words_not_in_training,
    ),
    Cause(
        "model",
        Message("cause_model", "model error"),
        Message(
            "remedy_model",
            "Train on more pairs like this one. If the output is right too, add it as a second reference.",
        ),
        model_error,
    ),
)


def repeated_run(text: str, language: str) -> str:
    """The first run of at most four words that occurs three times in a row; "" if there is no such run."""
    tokens = words(text, language)
    for size in range(1, MAX_RUN_WORDS + 1):
        for start in range(len(tokens) - MIN_REPEATS * size + 1):
            run = tokens[start : start + size]
            if all(tokens[start + size * k : start + size * (k + 1)] == run for k in range(1, MIN_REPEATS)):
                return " ".join(run)
    return ""


def _number(value: float) -> str:
    """The number with a true minus sign."""
    return f"{value:.2f}".replace("-", "−")
