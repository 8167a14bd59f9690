"""What the page says of each strategy."""

from __future__ import annotations

import html

from demo.controls.widgets import Choices

# In the order of the page: first those that search, then those that draw.
STRATEGIES: Choices = [
    ("Greedy", "greedy"),
    ("Beam search", "beam"),
    ("Diverse beam", "diverse"),
    ("Threshold beam", "threshold"),
    ("Exact", "exact"),
    ("Exhaustive", "exhaustive"),
    ("Sampling", "sampling"),
    ("Stochastic beam", "stochastic"),
    ("Minimum Bayes risk", "mbr"),
]
DESCRIPTIONS = {
    "greedy": "Takes the likeliest token at each step and never looks back.",
    "beam": "Keeps the few likeliest beginnings at each step and extends them side by side.",
    "diverse": "Splits the beam into groups; each group avoids the tokens that earlier groups chose.",
    "threshold": "A beam that also drops what falls too far behind, so it is narrow where the model is sure.",
    "exact": "Finds the one likeliest output, skipping only what provably cannot win.",
    "exhaustive": "Looks at every possible output. For tiny vocabularies and short outputs only.",
    "sampling": "Draws each token at random, by the probability that the model gives it.",
    "stochastic": "Draws several outputs at random, no two of them the same.",
    "mbr": "Draws samples and takes the one that is most like all the others.",
}


def descriptions() -> str:
    """One sentence for each strategy as HTML; the style sheet shows that of the chosen one."""
    sentences = (
        f'<p class="only only-{name}">{html.escape(DESCRIPTIONS[name])}</p>' for _, name in STRATEGIES
    )
    return "".join(sentences)
