"""Greedy search."""


def greedy_search(model, max_length):
    prefix, total = [], 0.0
    while len(prefix) < max_length and prefix[-1:] != [model.end]:
        token, log_prob = model.next(prefix)[0]
        prefix, total = prefix + [token], total + log_prob
    return [(total, prefix)]
