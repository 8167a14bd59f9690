# Byte-pair encoding merge by merge, and a padded table of ids: the numbers of the lab "Tokens".
from collections import Counter
from itertools import pairwise

import torch

LINES = ["the lowest tower", "the newest and lowest of the towers", "lower, slower, lowest"]
MERGES, LONGEST = 12, 12
SPECIAL = ["<pad>", "<unk>", "<s>", "</s>"]


def join(word, pair):
    """Return the word with every such pair of neighbours as one token."""
    out = []
    for token in word:
        if out and (out[-1], token) == pair:
            out[-1] += token
        else:
            out.append(token)
    return out


# Each word begins as its characters, with a sign for the space before it.
lines = [[["▁", *word] for word in line.split()] for line in LINES]
merges = []
while len(merges) < MERGES:
    pairs = Counter(pair for line in lines for word in line for pair in pairwise(word))
    pair, count = min(pairs.items(), key=lambda item: (-item[1], item[0]))
    if count < 2:
        break
    merges.append(pair)
    lines = [[join(word, pair) for word in line] for line in lines]
tokens = [[token for word in line for token in word] for line in lines]

# The vocabulary: special tokens, then the others, the most frequent first.
counted = Counter(token for line in tokens for token in line)
vocabulary = SPECIAL + sorted(counted, key=lambda token: (-counted[token], token))
ids = {token: number for number, token in enumerate(vocabulary)}

# Start and end tokens, what is too long cut off, what is too short padded.
framed = [["<s>", *line[: LONGEST - 2], "</s>"] for line in tokens]
rows = [torch.tensor([ids[token] for token in line]) for line in framed]
table = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=ids["<pad>"])

print("bpe_tokens", sum(map(len, tokens)))
print("merges_learnt", len(merges))
print("first_merge", "".join(merges[0]))
print("vocabulary", len(vocabulary))
print("paddings", (table == ids["<pad>"]).sum().item())
print("cut_off", sum(max(len(line) + 2 - LONGEST, 0) for line in tokens))
