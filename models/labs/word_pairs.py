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
