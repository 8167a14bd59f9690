"""Lessons that are computed within moments: `make test` computes these, and `make test-all` the others."""

QUICK = (
    "tour",
    "tokens",
    "ngrams",
    "autoregression",
    "wordvectors",
    "masked",
    "greedy",
    "kernels",
    "positions",
    "bleu",
)
