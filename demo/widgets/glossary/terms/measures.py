"""Terms about measuring the quality of an output."""

from __future__ import annotations

from demo.i18n import later
from demo.widgets.glossary.terms.term import Marked, Term

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
            "The number of words to change, add or remove to reach the reference, in percent of its "
            "words. Lower is better."
        ),
    ),
    Term(
        later("confidence interval|interval"),
        later(
            "A range from the data, made so that 95 of 100 such ranges hold the true value. Few "
            "examples make it wide."
        ),
    ),
    Term(
        later("perplexity"),
        later(
            "The number of equally likely tokens among which the model seems to choose. It is e to "
            "the power of the cross-entropy; 1 means certainty."
        ),
    ),
    Term(
        later("signature"),
        later(
            "A line that says exactly how a score was computed. Only scores with the same signature "
            "can be compared."
        ),
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
            "Texts with references that the network was not trained on. They serve to measure its quality."
        ),
    ),
    Term(
        later("segment|segments"),
        later("One text of a test set with its reference. It is usually a sentence."),
    ),
    Term(
        later("calibration|calibration error"),
        later(
            "The agreement of probabilities with facts: of answers with 70%, 70 of 100 should be "
            "right. The error is the mean difference."
        ),
    ),
    Term(
        later("paired bootstrap"),
        later(
            "A test that draws other test sets from this one and compares both systems on each. It "
            "tells how sure a difference is."
        ),
    ),
    Term(
        later("approximate randomisation"),
        later(
            "A test that swaps outputs of two systems at random. It tells how often chance alone "
            "gives so large a difference."
        ),
    ),
    Term(
        later("cost per token"),
        later(
            "The mean cost of a token of the output, in nats. A higher value means that the model was "
            "less sure."
        ),
        marked=Marked.ALONE,
    ),
    Term(
        later("precision|precisions"),
        later(
            "The share of an output's n-grams that a reference has too, none counted more often than "
            "there. BLEU takes the geometric mean of those for one to four words."
        ),
    ),
    Term(
        later("geometric mean"),
        later(
            "The root of a product: of four numbers, the fourth root of their product. If one of them "
            "is 0, so is the mean."
        ),
    ),
    Term(
        later("brevity penalty"),
        later(
            "The factor by which BLEU lowers the score of outputs that are shorter than the "
            "reference. Precision alone would reward a few safe words."
        ),
    ),
    Term(
        later("root mean squared error"),
        later(
            "The root of the mean of squared errors. It has the unit of the values, and large errors "
            "count more than small ones."
        ),
        ("RMSE",),
    ),
)
