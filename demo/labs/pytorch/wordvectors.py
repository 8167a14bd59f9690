"""Skip-gram with negative sampling in PyTorch: the losses of its first updates, and untrained neighbours.

Run it where `models/labs/alice.txt` is, or name a text: `python wordvectors.py my_text.txt`.
"""

import re
import sys
from collections import Counter
from pathlib import Path

import torch
from torch import nn

DIMENSIONS, REACH, NOISE, MIN_COUNT, EXAMPLES = 32, 5, 5, 5, 512
RATE, UPDATES, WORD = 0.15, 5, "hatter"

# The words of each sentence, without the rare ones.
path = sys.argv[1] if len(sys.argv) > 1 else "models/labs/alice.txt"
text = Path(path).read_text(encoding="utf-8").lower()
sentences = [re.findall(r"\w+(?:'[^\W_]+)*", sentence) for sentence in re.split(r"[.!?\n]+", text)]
sentences = [words for words in sentences if words]
frequent = Counter(word for words in sentences for word in words).most_common(800)
vocabulary = [word for word, count in frequent if count >= MIN_COUNT]
counts = torch.tensor([float(count) for _, count in frequent if count >= MIN_COUNT])
number = {word: index for index, word in enumerate(vocabulary)}
occurrences = [
    (number[word], index) for index, words in enumerate(sentences) for word in words if word in number
]
ids, sentence = torch.tensor(occurrences).T
print("vocabulary", len(vocabulary))

torch.manual_seed(7)
read = ((torch.rand(len(vocabulary), DIMENSIONS) - 0.5) / DIMENSIONS).requires_grad_()
predicted = torch.zeros(len(vocabulary), DIMENSIONS, requires_grad=True)
optimizer = torch.optim.Adagrad([read, predicted], lr=RATE, initial_accumulator_value=1e-8, eps=0)

with torch.no_grad():
    cosines = nn.functional.cosine_similarity(read, read[number[WORD]].unsqueeze(0))
    cosines[number[WORD]] = -1
print("nearest", vocabulary[cosines.argmax()], "similarity", cosines.max().item())

# Frequent words are left out now and then (Mikolov et al. 2013b, section 2.3).
share = max(1e-3, 1 / len(vocabulary))
survives = torch.rand(len(ids)) < (share * counts.sum() / counts).sqrt()[ids]
ids, sentence = ids[survives], sentence[survives]

# Each word with each other one of its sentence that is at most five words away.
parts = []
for distance in range(1, REACH + 1):
    same = sentence[distance:] == sentence[:-distance]
    before, after = ids[:-distance][same], ids[distance:][same]
    parts += [torch.stack([before, after], 1), torch.stack([after, before], 1)]
pairs = torch.cat(parts)

batches = torch.randperm(len(pairs)).split(EXAMPLES)
for update in range(UPDATES):
    around, target = pairs[batches[update]].T
    noise = torch.multinomial(counts**0.75, len(target) * NOISE, replacement=True).view(-1, NOISE)
    right = (read[around] * predicted[target]).sum(-1)
    wrong = (predicted[noise] @ read[around].unsqueeze(-1)).squeeze(-1)
    loss = -(nn.functional.logsigmoid(right) + nn.functional.logsigmoid(-wrong).sum(-1)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("update", update + 1, "loss", loss.item())
