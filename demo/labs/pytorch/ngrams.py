# A bigram model with Laplace smoothing, counted in a matrix: the numbers of the lab "n-grams".
import re

import torch

TEXT = (
    "The cat sat on the mat. The dog sat on the rug. The cat saw the dog. "
    "The dog saw a bird on the mat. A bird sat on the cat."
)
TESTED = "The bird sat on the rug"
ALPHA = 1.0  # added to each count


def sentences(text):
    result = [re.findall(r"\w+", part.lower()) for part in text.split(".")]
    return [words for words in result if words]


# The vocabulary: all words of the text, the end of a sentence, and one token for unknown words.
texts = sentences(TEXT)
words = sorted({word for words in texts for word in words})
index = {token: position for position, token in enumerate([*words, "</s>", "<unk>"])}
size = len(index)

# counts[h, w]: how often token w stands after token h. The last row stands for the start of a sentence.
counts = torch.zeros(size + 1, size)


def pairs(words):
    ids = [index.get(word, index["<unk>"]) for word in words] + [index["</s>"]]
    return zip([size, *ids[:-1]], ids, strict=True)


for sentence in texts:
    for before, token in pairs(sentence):
        counts[before, token] += 1

# P(w | h) = (count(h, w) + alpha) / (count(h) + alpha |V|)
probabilities = (counts + ALPHA) / (counts.sum(dim=1, keepdim=True) + ALPHA * size)


def perplexity(texts):
    factors = torch.stack([probabilities[pair] for sentence in texts for pair in pairs(sentence)])
    return torch.exp(-factors.log().mean()).item()


chain = torch.stack([probabilities[pair] for pair in pairs(sentences(TESTED)[0])])
print("perplexity", perplexity(sentences(TESTED)))
print("perplexity_of_text", perplexity(texts))
print("tokens", len(chain))
print("vocabulary", size)
print("lowest_probability", chain.min().item())
