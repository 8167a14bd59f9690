"""Terms about looking into a network."""

from __future__ import annotations

from demo.i18n import later
from demo.widgets.glossary.terms.term import Marked, Term

TERMS = (
    Term(
        later("inspect"),
        later(
            "A view into the network while it writes: its layers, heads, units and states. It changes "
            "no output."
        ),
        marked=Marked.ALONE,
    ),
    Term(
        later("unit|units"),
        later(
            "One number of a network's state. It changes at every step, and may come to stand for something."
        ),
    ),
    Term(
        later("gate|gates|reset gate|update gate|forget gate|input gate|output gate"),
        later(
            "A number from 0 to 1 that says how much passes. A gate at 0 lets nothing through, a gate "
            "at 1 everything."
        ),
    ),
    Term(
        later("rollout|attention rollout"),
        later(
            "The product of the attention of all layers, from the last one back to the words. It "
            "estimates roughly where a token's content came from."
        ),
    ),
    Term(
        later("ALTI+"),
        later(
            "A measure of how much of a token came from the source and how much from what was "
            "written. It compares each part with the actual output of a layer."
        ),
    ),
    Term(
        later("cosine"),
        later(
            "A measure of how alike the directions of two vectors are. It is 1 for the same "
            "direction, 0 at a right angle, −1 for opposite ones."
        ),
    ),
    Term(
        later("component|components|principal component"),
        later(
            "A direction in which many vectors differ most. Two of them make a map, which leaves out "
            "what lies in all others."
        ),
    ),
    Term(
        later("neighbours|nearest states"),
        later("The stored states that are most alike. What was written there shows what a state means."),
    ),
    Term(
        later("vote|vote of the neighbours"),
        later(
            "A prediction from the tokens that followed the nearest states; the closest count most. "
            "The network is not run."
        ),
        marked=Marked.ALONE,
    ),
    Term(
        later("random weights"),
        later(
            "A network of the same form with random weights. What an explanation finds in it does not "
            "come from training."
        ),
    ),
    Term(
        later("chance"),
        later(
            "The share of cases in which a token drawn at random would be right. A method must beat "
            "it to say anything."
        ),
        marked=Marked.ALONE,
    ),
    Term(
        later("norm|norms"),
        later("The length of a vector. It says how much of something there is, whatever its direction."),
    ),
    Term(
        later("attribution|method of attribution"),
        later(
            "A division of a result among the input tokens: how much of it is due to each. The "
            "methods measure different things and may disagree."
        ),
    ),
)
