# BLEU of one sentence, n-gram by n-gram: the numbers of the lab "BLEU by hand".
import math
import re
from collections import Counter

OUTPUT = "my sister lives in a house small near the sea"
REFERENCE = "my sister lives in a small house near the sea"
SECOND = ""  # another reference, if there is one
TOKENIZER = "13a"  # or "none", "char", "intl", "zh"
CUT = {}  # each text as sacrebleu cuts it by "intl" or "zh"
SMOOTHING = "exp"  # or "floor", "add-k", "none"
ORDERS = "4"  # up to n: "1", "2", "3" or "4"


def tokens(text):
    if text in CUT:
        return CUT[text]
    if TOKENIZER == "char":
        return list(re.sub(r"\s", "", text))
    if TOKENIZER == "13a":  # marks are tokens of their own, but for those within a number
        text = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
        for entity, sign in (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")):
            text = text.replace(entity, sign)
        text = re.sub(r"([\{-\~\[-\` -\&\(-\+\:-\@\/])", r" \1 ", f" {text} ")
        text = re.sub(r"([^0-9])([\.,])", r"\1 \2 ", text)
        text = re.sub(r"([\.,])([^0-9])", r" \1 \2", text)
        text = re.sub(r"([0-9])(-)", r"\1 \2 ", text)
    return text.split()


def ngrams(tokens, n):
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


output = tokens(OUTPUT)
references = [tokens(text) for text in (REFERENCE, SECOND) if text.strip()]
nearest = min(map(len, references), key=lambda length: (abs(length - len(output)), length))
counts = []
for n in range(1, int(ORDERS) + 1):
    ours, theirs = ngrams(output, n), Counter()
    for reference in references:
        theirs |= ngrams(reference, n)
    matched = sum((ours & theirs).values())  # each counts at most as often as a reference has it
    counts.append((matched, sum(ours.values())))
    print(f"matched_{n}", matched)
    print(f"precision_{n}", 100 * matched / sum(ours.values()) if ours else 0.0)

precisions, halved = [0.0] * len(counts), 1
for index, (matched, total) in enumerate(counts if any(matched for matched, _ in counts) else []):
    added = 1 if SMOOTHING == "add-k" and index else 0
    if not total + added:
        break
    if matched + added:
        precisions[index] = (matched + added) / (total + added)
    elif SMOOTHING == "exp":  # 1/2, then 1/4, ... of one match
        halved *= 2
        precisions[index] = 1 / (halved * total)
    elif SMOOTHING == "floor":
        precisions[index] = 0.1 / total

# An output shorter than its reference is punished, or one sure word would be the best translation.
penalty = 1.0 if len(output) >= nearest else math.exp(1 - nearest / len(output))
mean = math.exp(sum(map(math.log, precisions)) / len(precisions)) if all(precisions) else 0.0
print("length", len(output))
print("reference_length", nearest)
print("brevity_penalty", penalty)
print("bleu", 100 * penalty * mean)
