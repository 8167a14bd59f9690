"""Terms about probability."""

from __future__ import annotations

from demo.glossary.term import Term
from demo.i18n import later

TERMS = (
    Term(
        later("probability|probabilities"),
        later("How sure the model is, from 0% to 100%. The probabilities of all next tokens sum to 100%."),
    ),
    Term(
        later("log-probability|log-probabilities|log-prob"),
        later(
            "The logarithm of a probability: 100% is 0, 37% is −1, 14% is −2. Where probabilities are "
            "multiplied, these are simply added."
        ),
    ),
    Term(
        later("nats|nat"),
        later("The unit of log-probabilities. One nat less makes something 2.7 times less probable."),
    ),
    Term(
        later("cumulative|"),
        later(
            "The sum of all log-probabilities from the first token to here. As a percentage: all "
            "probabilities multiplied."
        ),
    ),
    Term(
        later("entropy"),
        later(
            "How unsure the model is about the next token. 0 nats: it is certain; 2.3 nats: as unsure "
            "as among ten equal choices."
        ),
    ),
    Term(
        later("probability mass|mass"),
        later(
            "A share of the 100% that all outputs have together. The mass of a prefix is the share of "
            "all outputs that begin with it."
        ),
    ),
    Term(
        later("mode|most probable output"),
        later(
            "The single output with the highest probability. It can still be rare: with many outputs "
            "even the best may have less than 1%."
        ),
    ),
    Term(
        later("bound|bounds"),
        later(
            "A limit that something cannot pass. No output is more probable than its beginning, so "
            "every prefix is a bound."
        ),
    ),
    Term(
        later("distribution|distributions"),
        later("The probabilities of all possibilities at once. Together they make 100%."),
    ),
    Term(
        later("softmax"),
        later(
            "The step that turns the network's raw numbers into probabilities. Larger numbers get "
            "more, and all sum to 100%."
        ),
    ),
    Term(
        later("logit|logits"),
        later(
            "A raw number of the network for one token, before it becomes a probability. Only "
            "differences between them matter."
        ),
    ),
    Term(
        later("score|scores"),
        later(
            "The number that ranks outputs: their log-probability, often divided by a power of their "
            "length. Higher is better."
        ),
    ),
)
