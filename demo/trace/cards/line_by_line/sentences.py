"""The sentence of each line of a listing, by the line's code.

Braces hold expressions of the listing's language, with the variables after the line. A line with several
sentences has a condition before each, and the first that holds is said. `holds` says whether the condition of
an `if` or `while` holds, and whether a `for` has another item.
"""

from __future__ import annotations

from collections.abc import Mapping

from demo.i18n import later

OTHERWISE = "True"
ENDS_HERE = later("It ends here, by its end token.")
ENDS_AT_LIMIT = later("It ends here, at the limit of {max_length} tokens.")
ENDS_LATER = later("It does not end here.")

SENTENCES: Mapping[str, str | Mapping[str, str]] = {
    # Greedy search
    "prefix, total = [], 0.0": later("The search starts with the empty prefix, whose log-probability is 0."),
    "while len(prefix) < max_length and prefix[-1:] != [model.end]:": {
        "holds": later(
            "The prefix has {len(prefix)} of at most {max_length} tokens and no end token, so it goes on."
        ),
        "prefix[-1:] == [model.end]": later("The prefix has its end token, so the search ends."),
        OTHERWISE: later("The prefix has {max_length} tokens, the most allowed, so the search ends."),
    },
    "token, log_prob = model.next(prefix)[0]": later("The best next token is “{token}”: {log_prob} nats."),
    "prefix, total = prefix + [token], total + log_prob": later(
        "The prefix is now “{prefix}”, with a log-probability of {total}."
    ),
    "return [(total, prefix)]": later("The output is “{prefix}”, with a log-probability of {total}."),
    # Beam search
    "beam, finished = [(0.0, [])], []": later(
        "The beam starts with the empty prefix alone. Nothing is finished."
    ),
    "for length in range(1, max_length + 1):": {
        "holds": later("Token {length} of at most {max_length} comes next."),
        OTHERWISE: later("The outputs have reached the length limit of {max_length} tokens."),
    },
    "candidates = best(2 * beam_size, extend(model, beam))": {
        "candidates": later(
            "The best extensions of the beam become candidates: {len(candidates)}. First is "
            "“{candidates[0][-1]}” ({candidates[0][0]})."
        ),
        OTHERWISE: later("No prefix of the beam has an extension."),
    },
    "beam = []": {
        "ended": later("The group's beam is emptied: the group has ended."),
        OTHERWISE: later("The beam is empty now."),
    },
    "for rank, (total, prefix) in enumerate(candidates, 1):": {
        "holds": later("Candidate {rank} of {len(candidates)} is “{prefix}” ({total})."),
        OTHERWISE: later("The last candidate is decided."),
    },
    "ends = prefix[-1] == model.end or length == max_length": {
        "prefix[-1] == model.end": ENDS_HERE,
        "ends": ENDS_AT_LIMIT,
        OTHERWISE: ENDS_LATER,
    },
    "if ends and rank <= beam_size:": {
        "holds": later("It ends among the first {beam_size} candidates, so it is finished."),
        "ends": later("It ends as candidate {rank}; only the first {beam_size} may be finished."),
        OTHERWISE: later("It does not end, so it is not finished."),
    },
    "finished.append((score(total, length), prefix))": later(
        "“{prefix}” joins the finished outputs, with a score of {finished[-1][0]}."
    ),
    "elif not ends and len(beam) < beam_size:": {
        "holds": later("It stays, in place {len(beam) + 1} of {beam_size} of the beam."),
        "ends": later("It is dropped: it ended, and others were better."),
        OTHERWISE: later("It is dropped: the beam has its {beam_size} already."),
    },
    "beam.append((total, prefix))": later("“{prefix}” ({total}) is in the beam."),
    "finished = best(beam_size, finished)": {
        "finished": later(
            "The best finished outputs stay: {len(finished)} of at most {beam_size}. First is "
            "“{finished[0][-1]}” ({finished[0][0]})."
        ),
        OTHERWISE: later("Nothing is finished yet."),
    },
    "if not beam:": {
        "holds": later("The beam is empty, so the search ends."),
        OTHERWISE: later("The beam goes on; first is “{beam[0][-1]}”."),
    },
    "break": later("The loop ends."),
    "if len(finished) == beam_size and attainable(beam[0][0], length) <= finished[-1][0]:": {
        "len(finished) < beam_size": later(
            "The search goes on: it has {len(finished)} of {beam_size} finished outputs."
        ),
        "attainable(beam[0][0], length) == -inf": later(
            "The search ends with {beam_size} finished outputs, since it stops early."
        ),
        "holds and limited": later(
            "“{beam[0][-1]}” can reach {attainable(beam[0][0], length)} at most. The last finished output "
            "has {finished[-1][0]}, so the search ends."
        ),
        "limited": later(
            "“{beam[0][-1]}” can reach up to {attainable(beam[0][0], length)}. The last finished output has "
            "{finished[-1][0]}, so the search goes on."
        ),
        "holds": later(
            "The stopping rule expects {attainable(beam[0][0], length)} of “{beam[0][-1]}”. The last "
            "finished output has {finished[-1][0]}, so the search ends."
        ),
        OTHERWISE: later(
            "The stopping rule expects {attainable(beam[0][0], length)} of “{beam[0][-1]}”. The last "
            "finished output has {finished[-1][0]}, so the search goes on."
        ),
    },
    "return finished": {
        "finished": later("The output is “{finished[0][-1]}” ({finished[0][0]})."),
        OTHERWISE: later("No output is finished."),
    },
    # Beam search with a threshold
    "limit = candidates[0][0] + log(threshold)": {
        "threshold == 0": later("A threshold of 0 drops nothing."),
        OTHERWISE: later(
            "A candidate must have {limit}: the first one's {candidates[0][0]} plus the logarithm of "
            "{threshold}."
        ),
    },
    "candidates = [(total, prefix) for total, prefix in candidates if total >= limit]": later(
        "The candidates with at least {limit} stay: {len(candidates)}."
    ),
    # Diverse beam search
    "size = beam_size // num_groups": later(
        "Each of {num_groups} groups has {size} of the {beam_size} places."
    ),
    "beams, finished = [[(0.0, 0.0, [])]] * num_groups, [[]] * num_groups": later(
        "Each group starts with the empty prefix. Nothing is finished."
    ),
    "chosen = []": later("No group has chosen a token of this length yet."),
    "for group in range(num_groups):": {
        "holds": later("Next is group {group}; {num_groups} groups are counted from 0."),
        OTHERWISE: later("The last group has chosen."),
    },
    "candidates = best(2 * size, penalise(model, beams[group], chosen, diversity))": {
        "candidates and chosen": later(
            "A candidate loses {diversity} each time that its token is chosen already, and keeps its earlier "
            "losses. First is “{candidates[0][-1]}” ({candidates[0][0]})."
        ),
        "candidates": later(
            "No token of this length is chosen yet, so no candidate loses anything. First is "
            "“{candidates[0][-1]}” ({candidates[0][0]})."
        ),
        OTHERWISE: later("This group has ended, so it has no candidates."),
    },
    "beam, ended = [], list(finished[group])": later(
        "The group's beam is empty now. It has finished outputs from earlier lengths: {len(ended)}."
    ),
    "for rank, (rank_score, total, prefix) in enumerate(candidates, 1):": {
        "holds": later("Candidate {rank} of {len(candidates)} is “{prefix}” ({rank_score})."),
        OTHERWISE: later("The group has no further candidate."),
    },
    "if ends and rank <= size:": {
        "holds": later("It ends among the group's first {size} candidates, so it is finished."),
        "ends": later("It ends as candidate {rank}; only the group's first {size} may be finished."),
        OTHERWISE: later("It does not end, so it is not finished."),
    },
    "ended.append((score(total, length), prefix))": later(
        "“{prefix}” joins the group's finished outputs, with a score of {ended[-1][0]}."
    ),
    "elif not ends and len(beam) < size:": {
        "holds": later("It stays, in place {len(beam) + 1} of {size} of the group's beam."),
        "ends": later("It is dropped: it ended, and others were better."),
        OTHERWISE: later("It is dropped: the group's beam has its {size} already."),
    },
    "beam.append((rank_score, total, prefix))": later("“{prefix}” ({rank_score}) is in the group's beam."),
    "chosen = chosen + [prefix[-1] for rank_score, total, prefix in beam]": {
        "group + 1 == num_groups": later("Tokens chosen at this length: {len(chosen)}."),
        OTHERWISE: later("Tokens chosen at this length: {len(chosen)}. Later groups lose by repeating one."),
    },
    "ended = best(size, ended)": later(
        "The group's best finished outputs stay: {len(ended)} of at most {size}."
    ),
    "highest = max([total for rank_score, total, prefix in beam] + [-inf])": {
        "beam": later("The highest log-probability in the group's beam is {highest}."),
        OTHERWISE: later("The group's beam is empty."),
    },
    "if len(ended) == size and attainable(highest, length) <= ended[-1][0]:": {
        "len(ended) < size": later("The group has {len(ended)} of {size} finished outputs."),
        "highest == -inf": later("The group has no prefix to extend."),
        "attainable(highest, length) == -inf": later("The group ends with {size} finished outputs."),
        "holds and limited": later(
            "The group can reach {attainable(highest, length)} at most. Its last finished output has "
            "{ended[-1][0]}, so it ends."
        ),
        "limited": later(
            "The group can reach up to {attainable(highest, length)}. Its last finished output has "
            "{ended[-1][0]}, so it goes on."
        ),
        "holds": later(
            "The stopping rule expects {attainable(highest, length)} of the group. Its last finished "
            "output has {ended[-1][0]}, so it ends."
        ),
        OTHERWISE: later(
            "The stopping rule expects {attainable(highest, length)} of the group. Its last finished "
            "output has {ended[-1][0]}, so it goes on."
        ),
    },
    "beams[group], finished[group] = beam, ended": later(
        "Group {group} keeps its beam ({len(beam)}) and its finished outputs ({len(ended)})."
    ),
    "if beams == [[]] * num_groups:": {
        "holds": later("Every group's beam is empty, so the search ends."),
        OTHERWISE: later("A group's beam has prefixes, so the search goes on."),
    },
    "return best(beam_size, [output for ended in finished for output in ended])": later(
        "The outputs of all groups are sorted by score. First is "
        "“{best(1, [output for ended in finished for output in ended])[0][-1]}”."
    ),
    # Stochastic beam search
    "candidates = best(2 * beam_size, perturb(model, beam))": {
        "candidates": later(
            "Each extension gets noise, such that the largest of a prefix's extensions equals the prefix's "
            "own number. First is “{candidates[0][-1]}” ({candidates[0][0]})."
        ),
        OTHERWISE: later("No prefix of the beam has an extension."),
    },
    "beam, earlier = [], [noisy for noisy, output in finished]": later(
        "The beam is empty now. Outputs finished earlier compete with the candidates: {len(earlier)}."
    ),
    "for rank, (noisy, prefix) in enumerate(candidates, 1):": {
        "holds": later("Candidate {rank} of {len(candidates)} is “{prefix}” ({noisy})."),
        OTHERWISE: later("The last candidate is decided."),
    },
    "ahead = rank - 1 + len([other for other in earlier if other > noisy])": later(
        "Candidates and finished outputs ahead of it: {ahead}."
    ),
    "if ahead < beam_size and ends:": {
        "holds": later("It ends among the first {beam_size} candidates, so it is finished."),
        "ends": later("It ends as candidate {rank}; only the first {beam_size} may be finished."),
        OTHERWISE: later("It does not end, so it is not finished."),
    },
    "finished.append((noisy, prefix))": later("“{prefix}” ({noisy}) joins the finished outputs."),
    "elif ahead < beam_size:": {
        "holds": later("Ahead of it are {ahead}, fewer than {beam_size}, so it stays."),
        OTHERWISE: later("It is dropped: ahead of it are {ahead}."),
    },
    "beam.append((noisy, prefix))": later("“{prefix}” ({noisy}) is in the beam."),
    # Sampling
    "running, finished = [(0.0, [])] * num_samples, []": later("Each sample starts with the empty prefix."),
    "samples, running = running, []": later("Samples that still run: {len(samples)}."),
    "for total, prefix in samples:": {
        "holds and prefix": later("Next is the sample “{prefix}” ({total})."),
        "holds": later("Next is an empty sample."),
        OTHERWISE: later("The last running sample has its token."),
    },
    "choices = chances(model, prefix)": {
        "choices": later("The likeliest token is “{choices[0][-1]}” ({choices[0][0]}); one token is drawn."),
        OTHERWISE: later("The trace has no chances for this prefix."),
    },
    "token, log_prob = draw(choices)": later(
        "The draw gives “{token}”, which the model gives {log_prob} nats."
    ),
    "total, prefix = total + log_prob, prefix + [token]": later("The sample is now “{prefix}” ({total})."),
    "if token == model.end or length == max_length:": {
        "token == model.end": ENDS_HERE,
        "holds": ENDS_AT_LIMIT,
        OTHERWISE: ENDS_LATER,
    },
    "finished.append((total, prefix))": later("“{prefix}” ({total}) joins the finished outputs."),
    "running.append((total, prefix))": later("“{prefix}” ({total}) runs on."),
    "if not running:": {
        "holds": later("No sample runs on, so the search ends."),
        OTHERWISE: later("Samples that run on: {len(running)}."),
    },
    "return best(num_samples, finished)": later(
        "The samples are sorted by log-probability; first is “{best(1, finished)[0][-1]}”."
    ),
    # Minimum Bayes risk
    "samples = sample(model, num_samples)": later("Samples drawn: {len(samples)}."),
    "ranking = []": later("No sample has an expected utility yet."),
    "for total, hypothesis in samples:": {
        "holds": later("Next is “{hypothesis}”."),
        OTHERWISE: later("The last sample has its expected utility."),
    },
    "utilities = [utility(hypothesis, reference) for log_prob, reference in samples]": later(
        "Each sample in turn is the reference of “{hypothesis}”, which gives {len(utilities)} utilities."
    ),
    "expected = sum(utilities) / len(utilities)": later("Their mean is its expected utility: {expected}."),
    "ranking.append((expected, hypothesis))": later("“{hypothesis}” is ranked by {expected}."),
    "return best(num_samples, ranking)": later(
        "The output has the highest expected utility, {best(1, ranking)[0][0]}: “{best(1, ranking)[0][-1]}”."
    ),
    # Exact search
    "stack = [(0.0, [])]": later("The stack has the empty prefix alone."),
    "while stack:": {
        "holds": later("Prefixes on the stack: {len(stack)}."),
        "complete": later("The stack is empty: nothing is left that could pass the bound of {bound}."),
        OTHERWISE: later("The trace ends here; the search stopped before it had proved its output."),
    },
    "(total, prefix), stack = stack[-1], stack[:-1]": {
        "prefix": later("“{prefix}” ({total}) leaves the stack."),
        OTHERWISE: later("The empty prefix leaves the stack."),
    },
    "if total > bound:": {
        "holds": later("Its {total} is above the bound of {bound}, so it is extended."),
        OTHERWISE: later("Its {total} is not above the bound of {bound}, so it is cut off."),
    },
    "children = [child for child in extend(model, [(total, prefix)]) if child[0] > bound]": {
        "whole": later("Its extensions above the bound: {len(children)}."),
        "children": later("Its extensions above the bound in this trace: {len(children)}."),
        OTHERWISE: later("The trace has no extension of it above the bound."),
    },
    "for total, prefix in reversed(best(len(children), children)):": {
        "holds": later("Next is “{prefix}” ({total})."),
        OTHERWISE: later("No extension is left."),
    },
    "if prefix[-1] != model.end and len(prefix) < max_length:": {
        "holds": ENDS_LATER,
        "prefix[-1] == model.end": ENDS_HERE,
        OTHERWISE: ENDS_AT_LIMIT,
    },
    "stack.append((total, prefix))": later("“{prefix}” ({total}) goes on the stack."),
    "elif total > bound:": {
        "holds": later("Its {total} is above the bound of {bound}: it is the best output so far."),
        OTHERWISE: later("Its {total} is not above the bound of {bound}."),
    },
    "bound, output = total, prefix": later("The bound is now {bound}, the log-probability of “{output}”."),
    "return [(bound, output)]": later("The output is “{output}” ({bound})."),
}
