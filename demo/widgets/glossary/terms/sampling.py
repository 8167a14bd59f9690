"""Terms about drawing outputs at random."""

from __future__ import annotations

from demo.i18n import later
from demo.widgets.glossary.terms.term import Term

TERMS = (
    Term(
        later("sampling|drawn at random"),
        later(
            "The drawing of each token at random, with the probability that the model gives it. Each "
            "run may give another output."
        ),
    ),
    Term(
        later("sample|samples"),
        later("An output that was drawn at random. Many of them show what the model considers possible."),
    ),
    Term(
        later("temperature"),
        later(
            "A number by which the logits are divided before tokens are drawn. Below 1 it favours "
            "probable tokens, above 1 all become more alike; at 0 only the best is left."
        ),
    ),
    Term(
        later("top-k"),
        later("Sampling among the k most probable tokens only. The others get 0%."),
    ),
    Term(
        later("top-p|nucleus"),
        later(
            "Sampling among the fewest tokens that together reach the share p, such as 90%. Where the "
            "model is sure, they are few."
        ),
    ),
    Term(
        later("min-p"),
        later(
            "Sampling among tokens that have at least a given share of the best one's probability. "
            "The others get 0%."
        ),
    ),
    Term(
        later("seed|"),
        later("A number that fixes all random draws. The same seed gives the same output again."),
    ),
    Term(
        later("minimum Bayes risk|MBR"),
        later(
            "A way to decode: many outputs are drawn, and the one that agrees most with the others is "
            "taken. It need not be the most probable."
        ),
    ),
    Term(
        later("utility|expected utility|agreement"),
        later(
            "A number from 0 to 100 for how good an output would be if another one were right. Its "
            "mean over samples is the expected utility."
        ),
    ),
)
