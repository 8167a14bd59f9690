"""Exact search: depth-first branch and bound (Stahlberg and Byrne 2019)."""

from models.decoding.strategies.listings.operations import best, extend


def exact_search(model, max_length, bound, output):
    stack = [(0.0, [])]
    while stack:
        (total, prefix), stack = stack[-1], stack[:-1]
        if total > bound:
            children = [child for child in extend(model, [(total, prefix)]) if child[0] > bound]
            for total, prefix in reversed(best(len(children), children)):
                if prefix[-1] != model.end and len(prefix) < max_length:
                    stack.append((total, prefix))
                elif total > bound:
                    bound, output = total, prefix
    return [(bound, output)]
