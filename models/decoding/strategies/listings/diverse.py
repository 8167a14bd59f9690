"""Diverse beam search (Vijayakumar et al. 2018)."""

from math import inf

from models.decoding.strategies.listings.operations import best, penalise


def diverse_beam_search(model, max_length, beam_size, num_groups, diversity, score, attainable):
    size = beam_size // num_groups
    beams, finished = [[(0.0, 0.0, [])]] * num_groups, [[]] * num_groups
    for length in range(1, max_length + 1):
        group_tokens = []
        for group in range(num_groups):
            candidates = best(2 * size, penalise(model, beams[group], group_tokens, diversity))
            beam, ended = [], list(finished[group])
            for rank, (rank_score, total, prefix) in enumerate(candidates, 1):
                ends = prefix[-1] == model.end or length == max_length
                if ends and rank <= size:
                    ended.append((score(total, length), prefix))
                elif not ends and len(beam) < size:
                    beam.append((rank_score, total, prefix))
            tokens = [prefix[-1] for rank_score, total, prefix in candidates if prefix[-1] != model.end]
            group_tokens = group_tokens + tokens[:size]
            ended = best(size, ended)
            highest = max([total for rank_score, total, prefix in beam] + [-inf])
            if len(ended) == size and attainable(highest, length) <= ended[-1][0]:
                beam = []
            beams[group], finished[group] = beam, ended
        if beams == [[]] * num_groups:
            break
    return best(beam_size, [output for ended in finished for output in ended])
