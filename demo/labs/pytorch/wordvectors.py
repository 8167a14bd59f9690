"""Word vectors in PyTorch by skip-gram, CBOW or counts, and a neighbour: run it in the project's folder."""

from collections import Counter
from pathlib import Path

import torch
from torch.nn import functional as F

from models.labs.ngrams import sentences

METHOD = "skipgram"  # or "cbow", "counts"
WINDOW = 5  # words on each side
LOSS = "negative"  # sampling, or "softmax" over all words
NOISE = 5  # words that each true one is told from by negative sampling
TEXT = ""  # empty: the novel
WORD = "hatter"
UPDATES = 1500  # 0: before the training
DIMENSIONS, EXAMPLES, RATE, AVERAGED = 32, 512, 0.15, 20

# The words without the rare ones, and the number of the sentence that each stands in.
counted = sentences(TEXT.strip() or Path("models/labs/alice.txt").read_text("utf-8"))
frequent = Counter(word for words in counted for word in words).most_common(800)
frequent = {word: count for word, count in frequent if count >= (1 if TEXT.strip() else 5)}
vocabulary, counts = [*frequent], torch.tensor([float(count) for count in frequent.values()])
number, size = {word: index for index, word in enumerate(vocabulary)}, len(vocabulary)
text = torch.tensor(
    [(number[word], i) for i, words in enumerate(counted) for word in words if word in number]
).T


def examples(ids, sentence):
    """The word to read and the one to predict of each pair; the words to read and the middle one for CBOW."""
    around = torch.full((len(ids), 2 * WINDOW), -1)  # -1 where there is no word
    for distance in range(1, WINDOW + 1):
        same = sentence[distance:] == sentence[:-distance]
        around[distance:, 2 * distance - 2][same] = ids[:-distance][same]
        around[:-distance, 2 * distance - 1][same] = ids[distance:][same]
    there = around >= 0
    some = there.any(dim=1)
    return (around.T[there.T], ids.expand(2 * WINDOW, -1)[there.T]), (around[some], ids[some])


def loss_of(around, targets):
    """The mean loss of examples in nats."""
    hidden = read[around]
    if METHOD == "cbow":  # the mean of the words that are there
        there = (around >= 0).unsqueeze(-1)
        hidden = (read[around.clamp(min=0)] * there).sum(1) / there.sum(1)
    if LOSS == "softmax":
        return F.cross_entropy(hidden @ predicted.T, targets)
    noise = torch.multinomial(counts**0.75, len(targets) * NOISE, replacement=True).view(-1, NOISE)
    right = (hidden * predicted[targets]).sum(-1)
    wrong = (predicted[noise] @ hidden.unsqueeze(-1)).squeeze(-1)
    return -(F.logsigmoid(right) + F.logsigmoid(-wrong).sum(-1)).mean()


(first, second), contexts = examples(*text)
torch.manual_seed(7)
read = (torch.empty(size, DIMENSIONS).uniform_(-0.5, 0.5) / DIMENSIONS).requires_grad_()
predicted = torch.zeros(size, DIMENSIONS, requires_grad=True)
optimizer = torch.optim.Adagrad([read, predicted], lr=RATE, initial_accumulator_value=1e-8, eps=0)
losses, batches = [], []
while METHOD != "counts" and len(losses) < UPDATES:
    if not batches:  # frequent words are left out now and then (Mikolov et al. 2013b, section 2.3)
        stays = (max(1e-3, 1 / size) * counts.sum() / counts).sqrt()[text[0]]
        pairs, middles = examples(*text[:, torch.rand(len(stays)) < stays])
        if not len(pairs[0]):  # a text of a few words
            pairs, middles = examples(*text)
        around, targets = middles if METHOD == "cbow" else pairs
        batches = [*torch.randperm(len(targets)).split(EXAMPLES)]
    batch = batches.pop(0)
    loss = loss_of(around[batch], targets[batch])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

vectors = read.detach()
if METHOD == "counts":  # how often each word stands near each other
    vectors = torch.bincount(first * size + second, minlength=size * size).view(size, size).float()
cosines = F.normalize(vectors) @ F.normalize(vectors)[number[WORD]]
cosines[number[WORD]] = -torch.inf
nearest = int(cosines.argmax())
print("vocabulary", size)
print("dimensions", vectors.shape[1])
print("skipgram_examples", len(first))
print("cbow_examples", len(contexts[0]))
print("nearest", vocabulary[nearest])
print("similarity", cosines.max().item())
if losses:
    last = losses[(len(losses) - 1) // AVERAGED * AVERAGED :]
    print("loss_before", losses[0])
    print("loss", sum(last) / len(last))
for name, row in (("bag", number[WORD]), ("nearest_bag", nearest)) if METHOD == "counts" else ():
    print(f"{name}_zeros", int((vectors[row] == 0).sum()))
    for rank, index in enumerate(vectors[row].topk(min(2, size)).indices.tolist(), 1):
        print(f"{name}_{rank}", vocabulary[index])
