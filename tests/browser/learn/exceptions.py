"""Steps of lessons that break a rule of the walks, by lesson and step, with the reason."""

from __future__ import annotations

ANSWERED_BEFORE = {
    "heads/house": "By chance another token has the same percentage.",
    "likeliest/samples": "By chance the twelfth token of the source has the number.",
}
NO_PROBABILITY = "A comparison shows log-probabilities, and no probability of a token or of all outputs."
NO_PLACE = "No part of the page has this number yet."
ONE_STEP = "Its numbers belong to two steps, and the page shows one."
NOT_SHOWN = {
    "greedy/start": NO_PROBABILITY,
    "greedy/both": NO_PROBABILITY,
    "beam/end": NO_PROBABILITY,
    "errors/invented": NO_PROBABILITY,
    "likeliest/mode": NO_PLACE,
    "bottleneck/short": NO_PROBABILITY,
    "greedy/tree": "The page shows its logarithm.",
    "search/exhaustive": "The page shows its logarithm.",
    "sampling/groups": NO_PROBABILITY,
    "sampling/hot": "The page shows ten shares, and not their sum.",
    "sampling/both": "The page shows ten shares, and not their sum.",
    "wordvectors/bag": NO_PLACE,
    "wordvectors/cbow": NO_PLACE,
    "wordvectors/wide": NO_PLACE,
    "gradients/needed": NO_PLACE,
    "forcing/cost": NO_PLACE,
    "rnn/truncation": "The page shows it after a training.",
    "masked/train": "The page shows it after a training.",
    "kernels/real": ONE_STEP,
    "gates/cell": "The largest unit of the chart and the table of what is written do not fit on one screen.",
    "perplexity/translator": NO_PLACE,
    "perplexity/order": NO_PLACE,
    "perplexity/nonsense": NO_PLACE,
}
# On a phone two parts of the page hold the numbers of these reveals.
APART_ON_A_PHONE = (
    "gradients/explode",
    "gradients/shortcut",
    "autoregression/free",
    "gates/half",
    "sampling/dice",
    "positions/order",
    "likeliest/vote",
    "likeliest/gold",
    "likeliest/samples",
)
