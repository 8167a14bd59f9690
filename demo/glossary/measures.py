"""Terms about measuring the quality of an output."""

from __future__ import annotations

from demo.glossary.term import Marked, Term
from demo.i18n import later

TERMS = (
    Term(
        later("BLEU"),
        later(
            "A score from 0 to 100 that counts words and groups of up to four words shared with a "
            "reference. 100 means equal."
        ),
    ),
    Term(
        later("chrF"),
        later(
            "A score from 0 to 100 that counts groups of letters shared with a reference. It forgives "
            "wrong endings more than BLEU."
        ),
    ),
    Term(
        later("exact match"),
        later("The share of outputs that are equal to their reference. One wrong letter counts as wrong."),
    ),
    Term(
        later("word error rate|error rate"),
        later(
            "How many words must be changed, added or removed to reach the reference, in percent of "
            "its words. Lower is better."
        ),
    ),
    Term(
        later("confidence interval|interval"),
        later(
            "A range from the data, made so that 95 of 100 such ranges hold the true value. "
            "Few examples make it wide."
        ),
    ),
    Term(
        later("perplexity"),
        later(
            "Between how many equally likely tokens the model seems to choose. 1 is certain; lower is better."
        ),
    ),
    Term(
        later("signature"),
        later("It says exactly how a score was computed. Only scores of equal signature can be compared."),
    ),
    Term(
        later("TER|translation edit rate"),
        later(
            "The share of words to insert, delete, replace or move until an output equals its "
            "reference. 0% means equal."
        ),
    ),
    Term(
        later("test set|test sets"),
        later(
            "Texts with references from which the network has not learnt. On them it is measured how "
            "good it is."
        ),
    ),
    Term(
        later("segment|segments"),
        later("One text of a test set with its reference. Mostly it is a sentence."),
    ),
    Term(
        later("calibration|calibration error"),
        later(
            "Whether a model that says 70% is right 70 times of 100. The error is how far it is from "
            "that on average."
        ),
    ),
    Term(
        later("paired bootstrap"),
        later(
            "Other test sets are drawn from this one, and both systems are compared on each. It tells "
            "how sure a difference is."
        ),
    ),
    Term(
        later("approximate randomisation"),
        later(
            "Outputs of two systems change places at random. It tells how often chance alone gives as "
            "large a difference."
        ),
    ),
    Term(
        later("doubt"),
        later(
            "What a token of the output costs on average, in nats. More means that the model was less sure."
        ),
        marked=Marked.ALONE,
    ),
)
