"""The causes of bad outputs, in the order in which they are looked for: the first that holds is taken.

What spoils the comparison itself comes first, then what has a knob, and the network's own fault last: that is
what is left if nothing else explains an output.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from models.errors import Message, in_quotes
from models.evaluation.triage.evidence import Evidence
from models.metrics.words import words

COPIED = 80.0  # chrF of a reference beside its source from which it counts as not translated
LITTLE_GAIN = 0.25  # of what a token of a good output usually gains by its source
UNRELATED = 0.2  # the same of a reference: a free translation still gains more
NO_GAIN = 0.2  # nats a token, for a network that never looks at it
FEW_LETTERS = 4  # below which a script says nothing
IN_A_ROW = 3  # times that a run of words has to come again at once
LONGEST_RUN = 4  # words
SHORT, LONG = 0.75, 1.35  # of the reference's tokens
MARGIN = 1e-3  # nats by which two ways to the same score may differ
BETTER = 5.0  # points of chrF that another search has to bring
SCRIPTS = (
    "LATIN",
    "CYRILLIC",
    "GREEK",
    "ARABIC",
    "HEBREW",
    "CJK",
    "HIRAGANA",
    "KATAKANA",
    "HANGUL",
    "DEVANAGARI",
)
EAST_ASIAN = frozenset({"CJK", "HIRAGANA", "KATAKANA"})


@dataclass(frozen=True)
class Cause:
    """One reason why an output may be bad."""

    name: str
    title: Message
    knob: Message  # what would help
    holds: Callable[[Evidence], Message | None]  # the evidence in a sentence


def doubtful_reference(found: Evidence) -> Message | None:
    """The reference is a copy of the source, in another script, or has nothing to do with the source."""
    reference, source = found.segment.references[0], found.segment.source
    translates = found.language != found.source_language
    if translates and found.copied >= COPIED and len(source) >= FEW_LETTERS:
        return Message(
            "reference_is_copy",
            "The reference is the source itself, or nearly: chrF {chrf}.",
            chrf=f"{found.copied:.0f}",
        )
    expected, own = script(found.output), script(reference)
    if translates and expected and own and expected != own and own == script(source):
        return Message(
            "reference_not_translated",
            "The reference is in the script of the source, not in that of the output.",
        )
    # Of a source that the network cannot read nothing follows.
    unrelated = found.reference_gain < UNRELATED * found.source_gain_usual
    explained = found.output_gain > LITTLE_GAIN * found.source_gain_usual
    if unrelated and explained and not found.written.unknown:
        return Message(
            "reference_unrelated",
            "The source explains the reference by {reference} nats a token, the output by {output}: the two "
            "may not belong together.",
            reference=_number(found.reference_gain),
            output=_number(found.output_gain),
        )
    return None


def cut_off_or_repeated(found: Evidence) -> Message | None:
    """The output has no end token, or says the same again and again."""
    run = repeated(found.output, found.language)
    if run and run not in " ".join(words(found.segment.references[0], found.language)):
        return Message("words_repeated", "“{words}” comes again at once.", words=run)
    if not found.written.ended:
        return Message(
            "output_cut_off",
            "The output was cut off after {count} tokens; the reference has {reference}.",
            count=found.written.tokens,
            reference=found.written.reference_tokens,
        )
    return None


def unknown_words(found: Evidence) -> Message | None:
    """The vocabulary lacks something of the source."""
    if not found.written.unknown:
        return None
    return Message(
        "source_unknown",
        "The vocabulary lacks {words}.",
        words=in_quotes(found.written.unknown),
    )


def search_error(found: Evidence) -> Message | None:
    """The model itself scores the reference, or a better text, higher than what the search found."""
    written = found.written
    if written.reference_score > written.score + MARGIN:
        reference, output = _number(written.reference_score), _number(written.score)
        if found.constrained:
            return Message(
                "reference_may_be_forbidden",
                "The model scores the reference {reference}, the output only {output}: the search missed it, "
                "or a constraint forbade it.",
                reference=reference,
                output=output,
            )
        return Message(
            "reference_scores_higher",
            "The model scores the reference {reference}, the output only {output}: the search missed it.",
            reference=reference,
            output=output,
        )
    if found.wider is not None and found.wider_chrf >= found.chrf + BETTER:
        return Message(
            "wider_search_better",
            "A wider search finds “{text}”, which scores higher ({wider} against {output}) and is closer to "
            "the reference (chrF {wider_chrf} against {chrf}).",
            text=found.wider.text,
            wider=_number(found.wider.score),
            output=_number(written.score),
            wider_chrf=f"{found.wider_chrf:.0f}",
            chrf=f"{found.chrf:.0f}",
        )
    return None


def length_bias(found: Evidence) -> Message | None:
    """The output wins by its length alone: token by token, or in all, the model prefers the reference."""
    written = found.written
    ratio = written.tokens / written.reference_tokens
    if ratio <= SHORT and _mean(written.reference_log_prob, written.reference_tokens) > _mean(
        written.log_prob, written.tokens
    ):
        return Message(
            "too_short",
            "The output has {output} tokens, the reference {reference}. Per token the model finds the "
            "reference more probable; the shorter text wins because it has fewer.",
            output=written.tokens,
            reference=written.reference_tokens,
        )
    if ratio >= LONG and written.reference_log_prob > written.log_prob:
        return Message(
            "too_long",
            "The output has {output} tokens, the reference {reference}. In all the model finds the reference "
            "more probable; the longer text wins by the length penalty.",
            output=written.tokens,
            reference=written.reference_tokens,
        )
    return None


def little_reliance(found: Evidence) -> Message | None:
    """The output would be nearly as probable after another source."""
    if not found.output_gain < max(LITTLE_GAIN * found.source_gain_usual, NO_GAIN):
        return None
    return Message(
        "output_ignores_source",
        "The source explains only {gain} nats a token of the output; in good outputs it is {usual}.",
        gain=_number(found.output_gain),
        usual=_number(found.source_gain_usual),
    )


def not_in_training(found: Evidence) -> Message | None:
    """Words of the source stood in no training pair."""
    if not found.unseen:
        return None
    return Message(
        "words_unseen",
        "No training pair has {words}.",
        words=in_quotes(found.unseen),
    )


def model_error(found: Evidence) -> Message | None:
    """What is left: the model prefers the bad output."""
    written = found.written
    return Message(
        "model_prefers_output",
        "The model scores its output {output} and the reference {reference}: no search that finds the best "
        "would help.",
        output=_number(written.score),
        reference=_number(written.reference_score),
    )


CAUSES = (
    Cause(
        "reference",
        Message("cause_reference", "reference doubtful"),
        Message("knob_reference", "Look at this pair, and correct or drop it."),
        doubtful_reference,
    ),
    Cause(
        "repetition",
        Message("cause_repetition", "repetition or cut off"),
        Message("knob_repetition", "Forbid repeated n-grams, or raise the maximum length."),
        cut_off_or_repeated,
    ),
    Cause(
        "unknown",
        Message("cause_unknown", "unknown words"),
        Message("knob_unknown", "Spell them otherwise, or train a tokenizer that has these characters."),
        unknown_words,
    ),
    Cause(
        "search",
        Message("cause_search", "search error"),
        Message("knob_search", "Keep more hypotheses: a larger beam."),
        search_error,
    ),
    Cause(
        "length",
        Message("cause_length", "length bias"),
        Message("knob_length", "Change the length penalty."),
        length_bias,
    ),
    Cause(
        "reliance",
        Message("cause_reliance", "little reliance on the source"),
        Message(
            "knob_reliance",
            "Look at Inspect's view of the source; more training, or a network with attention.",
        ),
        little_reliance,
    ),
    Cause(
        "unseen",
        Message("cause_unseen", "not in the training data"),
        Message("knob_unseen", "Add pairs with these words to the training data."),
        not_in_training,
    ),
    Cause(
        "model",
        Message("cause_model", "model error"),
        Message(
            "knob_model",
            "Train on more pairs like this one. If the output is right too, add it as a second reference.",
        ),
        model_error,
    ),
)


def repeated(text: str, language: str) -> str:
    """The first run of at most four words that stands three times in a row; empty if there is none."""
    result = words(text, language)
    for size in range(1, LONGEST_RUN + 1):
        for start in range(len(result) - IN_A_ROW * size + 1):
            run = result[start : start + size]
            if all(result[start + size * k : start + size * (k + 1)] == run for k in range(1, IN_A_ROW)):
                return " ".join(run)
    return ""


def script(text: str) -> str:
    """That of most of its letters; empty for a text of few."""
    names = (unicodedata.name(letter, "").split() for letter in text if letter.isalpha())
    counts = Counter(name[0] for name in names if name and name[0] in SCRIPTS)
    if sum(counts.values()) < FEW_LETTERS:
        return ""
    most = counts.most_common(1)[0][0]
    return "CJK" if most in EAST_ASIAN else most


def _mean(total: float, count: int) -> float:
    return total / count


def _number(value: float) -> str:
    """With a true minus sign."""
    return f"{value:.2f}".replace("-", "−")
