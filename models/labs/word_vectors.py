"""Live-trained word vectors: CBOW and skip-gram, or the counts of a bag of words.

Sources: Mikolov et al., Efficient Estimation of Word Representations (2013a); Distributed Representations of
Words and Phrases (2013b), sections 2 and 2.2, and 2.3 for leaving out frequent words. Shapes: N words of a
text, V different ones, D dimensions, B examples, K noise words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Generator, Tensor, nn

from models.labs.ngrams import sentences
from models.labs.training import Progress, novel

COUNTS, CBOW, SKIP_GRAM = "counts", "cbow", "skipgram"
NUM_DIMENSIONS, EXAMPLES_PER_UPDATE, NUM_VECTOR_UPDATES = 32, 512, 1_500
VECTOR_LEARNING_RATE = 0.15  # Adagrad's
AVERAGED_UPDATES = 20  # a point of the curve is the mean of this many
VECTOR_SEED = 7
MAX_WORDS = 800  # different words
FREQUENT_SHARE = 1e-3  # some occurrences of words with a larger share of the text are left out


@dataclass(frozen=True)
class Words:
    """A text without its rare words."""

    vocabulary: tuple[str, ...]  # the most frequent first
    counts: Tensor  # (V,)
    ids: Tensor  # (N,)
    sentence: Tensor  # (N,), the number of each word's sentence

    @classmethod
    def of(cls, text: str, min_count: int) -> Words:
        """Return the words that occur at least `min_count` times; there may be none."""
        read = sentences(text)
        frequent = Counter(word for words in read for word in words).most_common(MAX_WORDS)
        frequent_enough = {word: count for word, count in frequent if count >= min_count}
        number = {word: index for index, word in enumerate(frequent_enough)}
        occurrences = [
            (number[word], index) for index, words in enumerate(read) for word in words if word in number
        ]
        ids_and_sentences = torch.tensor(occurrences, dtype=torch.long).reshape(-1, 2)
        return cls(
            tuple(frequent_enough),
            torch.tensor([*frequent_enough.values()], dtype=torch.float),
            ids_and_sentences[:, 0],
            ids_and_sentences[:, 1],
        )

    def subsample(self, rng: Generator) -> Words:
        """Keep a word of share f with probability sqrt(t / f); t is at least FREQUENT_SHARE."""
        share = max(FREQUENT_SHARE, 1 / len(self.vocabulary))
        stays = (share * self.counts.sum() / self.counts).sqrt()
        stayed = torch.rand(len(self.ids), generator=rng) < stays[self.ids]
        return Words(self.vocabulary, self.counts, self.ids[stayed], self.sentence[stayed])

    def pairs(self, reach: int) -> Tensor:
        """Return each word with each other within `reach` words of its sentence: (P, 2)."""
        result = [torch.zeros(0, 2, dtype=torch.long)]
        for distance in range(1, reach + 1):
            same_sentence = self.sentence[distance:] == self.sentence[:-distance]
            first, second = self.ids[:-distance][same_sentence], self.ids[distance:][same_sentence]
            result += [torch.stack([first, second], 1), torch.stack([second, first], 1)]
        return torch.cat(result)

    def contexts(self, reach: int) -> tuple[Tensor, Tensor]:
        """Return middle words (C,) and the words around each (C, 2 * reach), -1 where there is none."""
        context_ids = torch.full((len(self.ids), 2 * reach), -1)
        for distance in range(1, reach + 1):
            same_sentence = self.sentence[distance:] == self.sentence[:-distance]
            context_ids[distance:, distance - 1][same_sentence] = self.ids[:-distance][same_sentence]
            context_ids[:-distance, reach + distance - 1][same_sentence] = self.ids[distance:][same_sentence]
        has_context = (context_ids >= 0).any(1)
        return self.ids[has_context], context_ids[has_context]

    def together(self, reach: int) -> Tensor:
        """Return the counts (V, V) of words within `reach` words of each other."""
        size, pairs = len(self.vocabulary), self.pairs(reach)
        flat = torch.bincount(pairs[:, 0] * size + pairs[:, 1], minlength=size * size)
        return flat.reshape(size, size).float()


@dataclass(frozen=True)
class VectorChoices:
    """The settings of a training."""

    method: str  # COUNTS, CBOW or SKIP_GRAM
    reach: int  # words on each side
    noise: int  # noise words for each true word; 0: the full softmax over all words
    least: int  # occurrences that a word needs
    text: str = ""  # the reader's own; "" is the novel

    def words(self) -> Words:
        """Return the words of the text."""
        return Words.of(self.text or novel(), self.least)


@dataclass(frozen=True)
class VectorResult:
    """The results of a training so far."""

    vocabulary: tuple[str, ...]
    tokens: int  # words of the text that are in it
    vectors: Tensor  # (V, D), or (V, V) of counts
    losses: tuple[float, ...]  # nats for an example, the mean of each AVERAGED_UPDATES updates
    done: int  # number of updates so far
    first_loss: float  # loss of the initial vectors


class Model:
    """Two vectors for each word: one as it is read, one as it is predicted."""

    def __init__(self, words: Words, choices: VectorChoices, rng: Generator) -> None:
        size = len(words.vocabulary)
        self.read = torch.empty(size, NUM_DIMENSIONS).uniform_(-0.5, 0.5, generator=rng) / NUM_DIMENSIONS
        self.predicted = torch.zeros(size, NUM_DIMENSIONS)
        self._squares = torch.full_like(self.read, 1e-8), torch.full_like(self.read, 1e-8)
        self._noise, self._count = words.counts**0.75, choices.noise

    def loss(self, hidden: Tensor, targets: Tensor, rng: Generator) -> Tensor:
        """Return the mean loss for `hidden` (B, D) that should predict `targets` (B,)."""
        if not self._count:
            return nn.functional.cross_entropy(hidden @ self.predicted.T, targets)
        noise = torch.multinomial(self._noise, len(targets) * self._count, replacement=True, generator=rng)
        false = self.predicted[noise].view(len(targets), self._count, -1)
        right = (hidden * self.predicted[targets]).sum(-1)
        wrong = (false @ hidden.unsqueeze(-1)).squeeze(-1)
        return -(nn.functional.logsigmoid(right) + nn.functional.logsigmoid(-wrong).sum(-1)).mean()

    def hidden(self, context_ids: Tensor) -> Tensor:
        """Return (B, D): vectors of single words (B,), or means of context words (B, 2 * reach)."""
        if context_ids.dim() == 1:
            return self.read[context_ids]
        is_word = (context_ids >= 0).unsqueeze(-1)
        return (self.read[context_ids.clamp(min=0)] * is_word).sum(1) / is_word.sum(1)

    def learn(self, context_ids: Tensor, targets: Tensor, rng: Generator) -> float:
        """Make one update of Adagrad (Duchi et al. 2011); return the loss before it."""
        tensors = [item.requires_grad_() for item in (self.read, self.predicted)]
        loss = self.loss(self.hidden(context_ids), targets, rng)
        gradients = torch.autograd.grad(loss, tensors)
        with torch.no_grad():
            for tensor, gradient, squares in zip(tensors, gradients, self._squares, strict=True):
                squares += gradient**2
                tensor -= VECTOR_LEARNING_RATE * gradient / squares.sqrt()
        return float(loss.detach())


def train(choices: VectorChoices) -> Iterator[Progress[VectorResult]]:
    """Train update by update. Raises ValueError for a text in which no two known words are neighbours."""
    words = choices.words()
    if not len(words.pairs(choices.reach)):
        raise ValueError("vectors of words need words beside each other")
    if choices.method == COUNTS:
        counts = VectorResult(words.vocabulary, len(words.ids), words.together(choices.reach), (), 0, 0.0)
        yield Progress(1.0, lambda: counts)
        return
    rng = torch.Generator().manual_seed(VECTOR_SEED)
    model = Model(words, choices, rng)
    losses, num_updates = list[float](), 0

    def snapshot() -> VectorResult:
        rows = [losses[index : index + AVERAGED_UPDATES] for index in range(0, len(losses), AVERAGED_UPDATES)]
        curve = tuple(sum(row) / len(row) for row in rows)
        vectors, first = model.read.detach().clone(), losses[0] if losses else 0.0
        return VectorResult(words.vocabulary, len(words.ids), vectors, curve, num_updates, first)

    yield Progress(0.0, snapshot)
    for context_ids, targets in examples(words, choices, rng):
        losses.append(model.learn(context_ids, targets, rng))
        num_updates += 1
        yield Progress(num_updates / NUM_VECTOR_UPDATES, snapshot)
        if num_updates == NUM_VECTOR_UPDATES:
            return


def examples(words: Words, choices: VectorChoices, rng: Generator) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield batches of inputs and targets without end, thinned and shuffled anew each round."""
    while True:
        thinned = words.subsample(rng)
        if not len(thinned.pairs(choices.reach)):  # possible for a text of a few words
            thinned = words
        if choices.method == CBOW:
            targets, context_ids = thinned.contexts(choices.reach)
        else:
            context_ids, targets = thinned.pairs(choices.reach).unbind(1)
        for batch in torch.randperm(len(targets), generator=rng).split(EXAMPLES_PER_UPDATE):
            yield context_ids[batch], targets[batch]


def neighbours(vectors: Tensor, row: int, count: int) -> list[tuple[int, float]]:
    """Return the rows nearest to one of `vectors` (V, D) by cosine, nearest first, without itself."""
    unit = nn.functional.normalize(vectors, dim=1)
    cosines = unit @ unit[row]
    cosines[row] = -torch.inf
    best = cosines.topk(min(count, len(vectors) - 1))
    return [(int(index), float(cosine)) for cosine, index in zip(*best, strict=True)]


def without_idle_dimensions(vectors: Tensor) -> Tensor:
    """Return N vectors (N, D) rotated into (N, min(N, D)) coordinates; distances stay."""
    if vectors.shape[0] >= vectors.shape[1]:
        return vectors
    basis, _ = torch.linalg.qr(vectors.double().T)
    turned: Tensor = vectors.double() @ basis
    return turned
