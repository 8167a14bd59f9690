# Byte-pair encoding merge by merge, and a padded table of ids: the numbers of the lab "Tokens".
import re
from collections import Counter
from itertools import pairwise

import torch

TEXT = "the lowest tower\nthe newest and lowest of the towers\nlower, slower, lowest"
MERGES = 12
KIND = "bpe"  # or "words", "characters", "wordpiece", "unigram": the tokens of the table
SUBWORDS = {}  # each line as WordPiece and Unigram cut it; the library `tokenizers` learns them
LONGEST = 12
PADDING = "right"  # or "left"
SPECIAL = ["<pad>", "<unk>", "<s>", "</s>"]


def join(word, pair):
    """Return the word with every such pair of neighbours as one token."""
    out, i = [], 0
    while i < len(word):
        together = tuple(word[i : i + 2]) == pair
        out.append(word[i] + word[i + 1] if together else word[i])
        i += 2 if together else 1
    return out


# Each word begins as its characters, with a sign for the space before it.
lines = [line.strip() for line in TEXT.splitlines() if line.strip()]
pieces = [[["▁", *word] for word in line.split()] for line in lines]
merges = []
while len(merges) < MERGES:
    pairs = Counter(pair for line in pieces for word in line for pair in pairwise(word))
    if not pairs:
        break
    pair, count = min(pairs.items(), key=lambda item: (-item[1], item[0]))
    if count < 2:
        break
    merges.append((pair, count))
    pieces = [[join(word, pair) for word in line] for line in pieces]
cut = {
    "characters": [["▁" if sign.isspace() else sign for sign in line] for line in lines],
    "words": [re.findall(r"[\u3040-\u30ff\u3400-\u9fff]|\w+|[^\w\s]", line) for line in lines],
    "bpe": [[token for word in line for token in word] for line in pieces],
    **SUBWORDS,
}
for kind, texts in cut.items():
    print(f"{kind}_tokens", sum(map(len, texts)))
for number, line in enumerate(cut["bpe"], 1):
    print(f"bpe_line_{number}", len(line))
print("merges_learnt", len(merges))
if merges:
    print("first_merge", "".join(merges[0][0]))
    print("first_merge_count", merges[0][1])

# The vocabulary: special tokens, then the others, the most frequent first.
counted = Counter(token for line in cut[KIND] for token in line)
vocabulary = SPECIAL + sorted(counted, key=lambda token: (-counted[token], token))
ids = {token: number for number, token in enumerate(vocabulary)}

# Start and end tokens, what is too long cut off, what is too short padded.
framed = [["<s>", *line[: LONGEST - 2], "</s>"] for line in cut[KIND]]
rows = [torch.tensor([ids[token] for token in line]) for line in framed]
if PADDING == "left":
    rows = [row.flip(0) for row in rows]
table = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=ids["<pad>"])
table = table.flip(1) if PADDING == "left" else table
print("vocabulary", len(vocabulary))
print("paddings", (table == ids["<pad>"]).sum().item())
print("cut_off", sum(max(len(line) + 2 - LONGEST, 0) for line in cut[KIND]))
