"""Minimum Bayes risk over samples (Eikema and Aziz 2020)."""

from models.decoding.strategies.listings.operations import best


def minimum_bayes_risk(model, num_samples, sample, utility):
    samples = sample(model, num_samples)
    ranking = []
    for total, hypothesis in samples:
        utilities = [utility(hypothesis, reference) for log_prob, reference in samples]
        expected = sum(utilities) / len(utilities)
        ranking.append((expected, hypothesis))
    return best(num_samples, ranking)
