"""The words of a text as ids, and their neighbourhoods: as counts, as pairs, as contexts.

Sources: Mikolov et al., Efficient Estimation of Word Representations (2013a); Distributed Representations of
Words and Phrases (2013b), section 2.3 for leaving out frequent words. Shapes: N words, V different ones.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import torch
from torch import Generator, Tensor

from models.labs.ngrams import sentences

MAX_WORDS = 800  # different words
FREQUENT = 1e-3  # the least share of a text from which on a word is left out now and then


@dataclass(frozen=True)
class Words:
    """A text without its rare words."""

    vocabulary: tuple[str, ...]  # the most frequent first
    counts: Tensor  # (V,)
    ids: Tensor  # (N,)
    sentence: Tensor  # (N,) the number of the sentence that each stands in

    @classmethod
    def of(cls, text: str, least: int) -> Words:
        """Return the words that occur at least so often; there may be none."""
        read = sentences(text)
        frequent = Counter(word for words in read for word in words).most_common(MAX_WORDS)
        frequent_enough = {word: count for word, count in frequent if count >= least}
        number = {word: index for index, word in enumerate(frequent_enough)}
        occurrences = [
            (number[word], index) for index, words in enumerate(read) for word in words if word in number
        ]
        both = torch.tensor(occurrences, dtype=torch.long).reshape(-1, 2)
        return cls(
            tuple(frequent_enough),
            torch.tensor([*frequent_enough.values()], dtype=torch.float),
            both[:, 0],
            both[:, 1],
        )

    def thinned(self, rng: Generator) -> Words:
        """Keep a word of share f with probability sqrt(t / f); t is FREQUENT, or an even share if higher."""
        share = max(FREQUENT, 1 / len(self.vocabulary))
        stays = (share * self.counts.sum() / self.counts).sqrt()
        stayed = torch.rand(len(self.ids), generator=rng) < stays[self.ids]
        return Words(self.vocabulary, self.counts, self.ids[stayed], self.sentence[stayed])

    def pairs(self, reach: int) -> Tensor:
        """Return each word with each other within `reach` words of its sentence: (P, 2)."""
        result = [torch.zeros(0, 2, dtype=torch.long)]
        for distance in range(1, reach + 1):
            same = self.sentence[distance:] == self.sentence[:-distance]
            before, after = self.ids[:-distance][same], self.ids[distance:][same]
            result += [torch.stack([before, after], 1), torch.stack([after, before], 1)]
        return torch.cat(result)

    def contexts(self, reach: int) -> tuple[Tensor, Tensor]:
        """Return middle words (C,) and the words around each (C, 2 * reach), -1 where there is none."""
        around = torch.full((len(self.ids), 2 * reach), -1)
        for distance in range(1, reach + 1):
            same = self.sentence[distance:] == self.sentence[:-distance]
            around[distance:, distance - 1][same] = self.ids[:-distance][same]
            around[:-distance, reach + distance - 1][same] = self.ids[distance:][same]
        some = (around >= 0).any(1)
        return self.ids[some], around[some]

    def together(self, reach: int) -> Tensor:
        """Return how often each word occurs near each other, its bag of words: (V, V)."""
        size, pairs = len(self.vocabulary), self.pairs(reach)
        flat = torch.bincount(pairs[:, 0] * size + pairs[:, 1], minlength=size * size)
        return flat.reshape(size, size).float()
