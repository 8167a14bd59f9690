# An n-gram model with Laplace smoothing: the numbers of the lab "n-grams".
from collections import Counter

import torch

from models.labs.ngrams import sentences

TEXT = (
    "The cat sat on the mat. The dog sat on the rug. The cat saw the dog. "
    "The dog saw a bird on the mat. A bird sat on the cat."
)
SENTENCE = "The bird sat on the rug"
ORDER = "2"  # n: "1", "2", "3" or "4"
ALPHA = 1  # added to each count
DIRECTION = "forward"  # or "backward"

# The vocabulary: all words of the text, the end of a sentence, and one token for unknown words.
texts = sentences(TEXT)
tested = [word for words in sentences(SENTENCE) for word in words]
vocabulary = {word for words in texts for word in words} | {"</s>", "<unk>"}
size, n = len(vocabulary), int(ORDER)


def parts(words):
    """Each token of a sentence with the n - 1 tokens before it; the end token is the last."""
    tokens = [word if word in vocabulary else "<unk>" for word in words]
    padded = ["<s>"] * (n - 1) + (tokens[::-1] if DIRECTION == "backward" else tokens) + ["</s>"]
    return [(tuple(padded[i - n + 1 : i]), padded[i]) for i in range(n - 1, len(padded))]


counts = Counter(part for words in texts for part in parts(words))
contexts = Counter(context for words in texts for context, _ in parts(words))


def probability(context, token):
    """P(w | h) = (count(h, w) + alpha) / (count(h) + alpha |V|)"""
    whole = contexts[context] + ALPHA * size
    return (counts[context, token] + ALPHA) / whole if whole else 0.0


def perplexity(texts):
    factors = torch.tensor(
        [probability(*part) for words in texts for part in parts(words)], dtype=torch.float64
    )
    return torch.exp(-factors.log().mean()).item()


chain = parts(tested)
print("perplexity", perplexity([tested]))
print("perplexity_of_text", perplexity(texts))
print("tokens", len(chain))
print("vocabulary", size)
print("unseen", sum(counts[part] == 0 for part in chain))
print("lowest_probability", min(probability(*part) for part in chain))

# The next token after the sentence: the context is that of its end token.
context = chain[-1][0]
following = sorted((-probability(context, token), token) for token in vocabulary)
if following[0][0] < 0:
    print("next_token", following[0][1])
    print("next_probability", -following[0][0])
