"""n-gram models with Laplace smoothing: counts, the chain rule in both directions, perplexity.

Source: Jurafsky and Martin, Speech and Language Processing (3rd ed. draft), chapter "N-gram Language
Models".
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

START_TOKEN, END_TOKEN, UNKNOWN_TOKEN = "<s>", "</s>", "<unk>"
# A word is a run of letters, digits and their inner apostrophes; a Chinese or Japanese sign is one by itself.
_NGRAM_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+(?:['’][^\W_]+)*")
_SENTENCE = re.compile(r"[.!?。！？\n]+")


@dataclass(frozen=True)
class Factor:
    """One factor of the chain rule."""

    context: tuple[str, ...]  # the n - 1 tokens before the token, in the direction of reading
    token: str
    count: int  # count of the token after the context
    context_count: int
    probability: float  # 0 to 1


def sentences(text: str) -> list[list[str]]:
    """Return the words of each sentence, in lower case, without the end marks."""
    result = (_NGRAM_WORD.findall(part.lower()) for part in _SENTENCE.split(text))
    return [words for words in result if words]


class NGrams:
    """P(w | h) = (count(h, w) + alpha) / (count(h) + alpha |V|), h the n - 1 tokens before w.

    V holds the words that were read, the end of a sentence, and one token for all unknown words.
    """

    def __init__(
        self, texts: Sequence[Sequence[str]], order: int, alpha: float, *, backward: bool = False
    ) -> None:
        """Count `texts`, sentences of words; `order` is n, from 1; `backward` reads from the last word on.

        Raises ValueError without a word, for an order below 1 and for a negative alpha.
        """
        if not any(texts) or order < 1 or not alpha >= 0:
            raise ValueError("an n-gram model needs words, an order of at least 1 and an alpha of at least 0")
        self.order, self.alpha, self.backward = order, alpha, backward
        self.vocabulary = {word for words in texts for word in words} | {END_TOKEN, UNKNOWN_TOKEN}
        self._counts: Counter[tuple[tuple[str, ...], str]] = Counter()
        self._contexts: Counter[tuple[str, ...]] = Counter()
        for words in texts:
            for context, token in self._parts(words):
                self._counts[context, token] += 1
                self._contexts[context] += 1

    def _parts(self, words: Sequence[str]) -> list[tuple[tuple[str, ...], str]]:
        """Return each token of a sentence with its context, the end token last."""
        words_or_unknown = [word if word in self.vocabulary else UNKNOWN_TOKEN for word in words]
        context_size = self.order - 1
        padded = (
            [START_TOKEN] * context_size
            + (words_or_unknown[::-1] if self.backward else words_or_unknown)
            + [END_TOKEN]
        )
        return [
            (tuple(padded[index - context_size : index]), padded[index])
            for index in range(context_size, len(padded))
        ]

    def probability(self, context: tuple[str, ...], token: str) -> float:
        """Return the probability of a token after n - 1 tokens; 0 without a count and smoothing."""
        total = self._contexts[context] + self.alpha * len(self.vocabulary)
        return (self._counts[context, token] + self.alpha) / total if total else 0.0

    def chain(self, words: Sequence[str]) -> list[Factor]:
        """Return the factors whose product is the probability of a sentence, in the direction of reading."""
        return [
            Factor(
                context,
                token,
                self._counts[context, token],
                self._contexts[context],
                self.probability(context, token),
            )
            for context, token in self._parts(words)
        ]

    def context_after(self, words: Sequence[str]) -> tuple[str, ...]:
        """Return the n - 1 tokens that the model sees after some words, in the direction of reading."""
        *_, (context, _end) = self._parts(words)
        return context

    def most_probable(self, context: tuple[str, ...], count: int) -> list[tuple[str, float]]:
        """Return the most probable tokens after n - 1 tokens, best first, and their probabilities above 0."""
        tokens = [(token, self.probability(context, token)) for token in self.vocabulary]
        possible = [(token, probability) for token, probability in tokens if probability > 0]
        return sorted(possible, key=lambda item: (-item[1], item[0]))[:count]

    def perplexity(self, texts: Sequence[Sequence[str]]) -> float:
        """Return exp(-1/n sum log P) of n tokens: 1 at best, |V| if uniform, infinite once one P is 0."""
        return perplexity([factor.probability for words in texts for factor in self.chain(words)])


def perplexity(probabilities: Sequence[float]) -> float:
    """exp(-1/n sum log P) of n tokens: 1 at best, |V| for a uniform model, infinite once one P is 0.

    Raises ValueError for no token.
    """
    if not probabilities:
        raise ValueError("probabilities must not be empty")
    if min(probabilities) <= 0:
        return math.inf
    return math.exp(-math.fsum(map(math.log, probabilities)) / len(probabilities))
