"""Stochastic beam search (Kool et al. 2019, algorithm 1)."""

from models.decoding.strategies.listings.operations import best


def stochastic_beam_search(model, max_length, beam_size, perturb):
    beam, finished = [(0.0, [])], []
    for length in range(1, max_length + 1):
        candidates = best(2 * beam_size, perturb(model, beam))
        beam, earlier = [], [noisy for noisy, output in finished]
        for rank, (noisy, prefix) in enumerate(candidates, 1):
            ahead = rank - 1 + len([other for other in earlier if other > noisy])
            ends = prefix[-1] == model.end or length == max_length
            if ahead < beam_size and ends:
                finished.append((noisy, prefix))
            elif ahead < beam_size:
                beam.append((noisy, prefix))
        finished = best(beam_size, finished)
        if not beam:
            break
    return finished
