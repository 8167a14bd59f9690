"""Beam search with a threshold (Freitag and Al-Onaizan 2017)."""

from models.decoding.strategies.listings.operations import best, extend, log


def threshold_beam_search(model, max_length, beam_size, threshold, score, attainable):
    beam, finished = [(0.0, [])], []
    for length in range(1, max_length + 1):
        candidates = best(2 * beam_size, extend(model, beam))
        limit = candidates[0][0] + log(threshold)
        candidates = [(total, prefix) for total, prefix in candidates if total >= limit]
        beam = []
        for rank, (total, prefix) in enumerate(candidates, 1):
            ends = prefix[-1] == model.end or length == max_length
            if ends and rank <= beam_size:
                finished.append((score(total, length), prefix))
            elif not ends and len(beam) < beam_size:
                beam.append((total, prefix))
        finished = best(beam_size, finished)
        if not beam:
            break
        if len(finished) == beam_size and attainable(beam[0][0], length) <= finished[-1][0]:
            break
    return finished
