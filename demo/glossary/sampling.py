"""Terms about drawing outputs at random."""

from __future__ import annotations

from demo.glossary.term import Term
from demo.i18n import later

TERMS = (
    Term(
        later("sampling|drawn at random"),
        later(
            "Draw each token at random, as often as its probability says. Every run may give another output."
        ),
    ),
    Term(
        later("sample|samples"),
        later("An output that was drawn at random. Many of them show what the model considers possible."),
    ),
    Term(
        later("temperature"),
        later(
            "Below 1 probable tokens become even more probable, above 1 all become more alike. At 0 "
            "only the best is left."
        ),
    ),
    Term(
        later("top-k"),
        later("Draw only among the k most probable tokens. The rest get 0%."),
    ),
    Term(
        later("top-p|nucleus"),
        later(
            "Draw only among the fewest tokens that together hold the share p, such as 90%. Where the "
            "model is sure, they are few."
        ),
    ),
    Term(
        later("min-p"),
        later(
            "Draw only among tokens that have at least a share of the best one's probability. The "
            "rest get 0%."
        ),
    ),
    Term(
        later("seed|"),
        later("A number that fixes all random draws. The same seed gives the same output again."),
    ),
    Term(
        later("minimum Bayes risk|MBR"),
        later(
            "Draw many outputs and take the one that agrees most with the others. It need not be the "
            "most probable."
        ),
    ),
    Term(
        later("utility|expected utility|agreement"),
        later(
            "How good an output would be if another one were right, from 0 to 100. Averaged over "
            "samples it is the expected utility."
        ),
    ),
)
