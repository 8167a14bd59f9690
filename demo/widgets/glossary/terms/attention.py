"""Words of attention."""

from __future__ import annotations

from demo.i18n import later
from demo.widgets.glossary.terms.term import Marked, Term

TERMS = (
    Term(
        later("attention|cross-attention"),
        later(
            "For each token that it writes, the network gives each token that it reads a weight. These "
            "weights sum to 100%."
        ),
    ),
    Term(
        later("attention weight|attention weights"),
        later("The share of one value in the answer of attention. All weights of a query sum to 100%."),
    ),
    Term(
        later("kernel|kernel of attention"),
        later(
            "A curve that says how much a key counts at its distance from the query. Near keys count most."
        ),
    ),
    Term(
        later("Gaussian|Gaussian kernel"),
        later(
            "A bell-shaped curve: highest in the middle, and falling on both sides without ever "
            "reaching 0. As a kernel it gives every key some weight."
        ),
    ),
    Term(
        later("boxcar|boxcar kernel"),
        later(
            "A kernel that counts all keys within the bandwidth alike and ignores the others. Its "
            "curve looks like a box."
        ),
    ),
    Term(
        later("attention head|head|heads"),
        later(
            "One of several attentions that work side by side in a layer. Each may look at something else."
        ),
    ),
    Term(
        later("query|queries"),
        later(
            "The vector that attention compares with every key. The better a key fits the query, the "
            "more its value counts in the answer."
        ),
    ),
    Term(
        later("key|keys"),
        later(
            "The vector with which a query is compared. The score of the two decides how much the "
            "key's value counts."
        ),
        marked=Marked.ALONE,
    ),
    Term(
        later("value|values"),
        later(
            "The vector that attention passes on for a key. The answer of attention is the weighted "
            "mean of all values."
        ),
        marked=Marked.ALONE,
    ),
    Term(
        later("dot product"),
        later(
            "The sum of the products of two vectors' numbers, place by place. It is large when both "
            "are long and point the same way."
        ),
    ),
    Term(
        later("additive score"),
        later(
            "A score for query and key: each is multiplied by a table of weights, the two are added, "
            "and the tanh of the sum is weighted into one number. Bahdanau's attention uses it."
        ),
    ),
    Term(
        later("mask|masks|causal mask"),
        later(
            "A table that says which tokens attention must ignore. A causal mask hides all later "
            "tokens, a padding mask the padding."
        ),
    ),
    Term(
        later("prefix mask"),
        later(
            "A mask under which the tokens of the source see each other, and each later token sees "
            "the source and what was written before it. So one network can read and write."
        ),
    ),
    Term(
        later("positional encoding|positional encodings"),
        later(
            "A vector that says where a token stands, added to its embedding. Without it attention "
            "cannot tell one order of the tokens from another."
        ),
    ),
    Term(
        later("alignment"),
        later(
            "The relation between the words of an output and the words of the source that they "
            "translate. Attention often resembles it, but need not."
        ),
    ),
    Term(
        later("bandwidth"),
        later(
            "The width of a kernel. A narrow kernel counts near keys only, a wide one counts all keys "
            "nearly alike."
        ),
    ),
)
