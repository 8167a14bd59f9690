"""Terms about probability."""

from __future__ import annotations

from demo.i18n import later
from demo.widgets.glossary.terms.term import Term

TERMS = (
    Term(
        later("probability|probabilities"),
        later(
            "A number from 0% to 100% that says how likely something is. The probabilities of all "
            "next tokens sum to 100%."
        ),
    ),
    Term(
        later("log-probability|log-probabilities|log-prob"),
        later(
            "The logarithm of a probability: 100% is 0, 37% is −1, 14% is −2. When probabilities are "
            "multiplied, their logarithms are added."
        ),
    ),
    Term(
        later("nats|nat"),
        later("The unit of log-probabilities. One nat less makes something 2.7 times less probable."),
    ),
    Term(
        later("cost|costs"),
        later(
            "A loss of log-probability, in nats. The cost of a token is −log p: 0 at 100%, 1 at 37%. "
            "The cost of a change is by how much it lowers the log-probability."
        ),
    ),
    Term(
        later("cumulative|"),
        later(
            "The sum of all log-probabilities from the first token to here. As a percentage it is the "
            "product of all probabilities."
        ),
    ),
    Term(
        later("entropy"),
        later(
            "The uncertainty of the model about the next token, in nats. It is 0 when the model is "
            "certain, and 2.3 when ten tokens are equally likely."
        ),
    ),
    Term(
        later("probability mass|mass"),
        later(
            "A share of the 100% that all outputs have together. The mass of a prefix is the "
            "probability of all outputs that begin with it."
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
            "A limit that a value cannot pass. More tokens never make an output more probable, so the "
            "probability of a prefix is a bound for all outputs that begin with it."
        ),
    ),
    Term(
        later("distribution|distributions"),
        later("The probabilities of all possibilities at once. Together they make 100%."),
    ),
    Term(
        later("softmax"),
        later(
            "The function that turns the raw numbers of a network, the logits, into probabilities. A "
            "larger number gets a larger share, and all shares sum to 100%."
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
    Term(
        later("cross-entropy"),
        later(
            "The mean of −log p over the tokens of a text, where p is the probability that the model "
            "gives each of them. Training makes it smaller."
        ),
    ),
    Term(
        later("chain rule"),
        later(
            "The law that the probability of a text is a product: that of each token, given all "
            "tokens before it. It also holds for any other order of the tokens."
        ),
    ),
    Term(
        later("Markov assumption|Markov"),
        later(
            "The assumption that what comes next depends only on the last few tokens or values. The "
            "number of these is its order."
        ),
    ),
    Term(
        later("smoothing"),
        later(
            "A small amount added to counts, so that what was never seen does not get a probability "
            "of 0. Laplace smoothing adds 1 to each count."
        ),
    ),
    Term(
        later("autoregressive|autoregression"),
        later(
            "Predicting each token or value from those before it. When such a model writes, it reads "
            "its own output."
        ),
    ),
    Term(
        later("random walk|random walks"),
        later(
            "A series in which each value is the one before plus a random step, which is 0 on "
            "average. So its best prediction, however far ahead, is its last value."
        ),
    ),
    Term(
        later("standard deviation"),
        later(
            "A measure of how far numbers lie from their mean: the root of the mean of their squared "
            "distances. It has the unit of the numbers."
        ),
    ),
)
