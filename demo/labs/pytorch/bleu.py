# BLEU of one sentence, n-gram by n-gram: the numbers of the lab "BLEU by hand".
import math
from collections import Counter

OUTPUT = "my sister lives in a house small near the sea"
REFERENCE = "my sister lives in a small house near the sea"

output, reference = OUTPUT.split(), REFERENCE.split()


def ngrams(tokens, n):
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


logs, smooth = [], 1
for n in (1, 2, 3, 4):
    ours, theirs = ngrams(output, n), ngrams(reference, n)
    matched = sum((ours & theirs).values())  # each counts at most as often as the reference has it
    total = sum(ours.values())
    print(f"matched_{n}", matched)
    print(f"precision_{n}", 100 * matched / total)
    if matched == 0:  # smoothing "exp": 1/2, then 1/4, ... of one match
        smooth *= 2
        logs.append(math.log(1 / (smooth * total)))
    else:
        logs.append(math.log(matched / total))

# An output shorter than its reference is punished, or one sure word would be the best translation.
penalty = min(1, math.exp(1 - len(reference) / len(output)))
print("length", len(output))
print("reference_length", len(reference))
print("brevity_penalty", penalty)
print("bleu", 100 * penalty * math.exp(sum(logs) / 4))
