"""Ancestral sampling, with temperature, top-k, top-p and min-p."""

from models.decoding.strategies.listings.operations import best


def sampling(model, max_length, num_samples, chances, draw):
    running, finished = [(0.0, [])] * num_samples, []
    for length in range(1, max_length + 1):
        samples, running = running, []
        for total, prefix in samples:
            choices = chances(model, prefix)
            token, log_prob = draw(choices)
            total, prefix = total + log_prob, prefix + [token]
            if token == model.end or length == max_length:
                finished.append((total, prefix))
            else:
                running.append((total, prefix))
        if not running:
            break
    return best(num_samples, finished)
