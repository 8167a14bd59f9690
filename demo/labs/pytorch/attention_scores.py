"""Scores of random queries and keys in PyTorch, and the weights that softmax makes of them."""

import math

import torch

SCORE = "dot"  # or "scaled_dot", "general", "additive"
WIDTH = "4"  # numbers in a vector, d: "2", "4", "8", "16", "32", "64", "128" or "256"
KEYS = 10
SEED = 5
DRAWS = 100  # queries, each with its own keys

d = int(WIDTH)
generator = torch.Generator().manual_seed(SEED)


def draw(*shape: int) -> torch.Tensor:
    """Return numbers from the standard normal distribution."""
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


values, queries, keys = draw(KEYS), draw(DRAWS, d), draw(DRAWS, KEYS, d)
matrix, of_query, of_key, energy = (
    item / math.sqrt(d) for item in (draw(d, d), draw(d, d), draw(d, d), draw(d))
)
if SCORE == "additive":
    scores = ((queries @ of_query.T).unsqueeze(1) + keys @ of_key.T).tanh() @ energy
else:
    turned = queries @ matrix if SCORE == "general" else queries
    scores = (keys @ turned.unsqueeze(-1)).squeeze(-1)
    if SCORE == "scaled_dot":
        scores = scores / math.sqrt(d)
weights = scores.softmax(dim=1)
entropies = torch.special.entr(weights).sum(dim=1)
print("keys", KEYS)
print("width", d)
print("answer", float(weights[0] @ values))
print("largest_weight", float(weights[0].max()))
print("entropy", float(entropies[0]))
print("most_entropy", math.log(KEYS))
print("score_deviation", float(scores.std()))
print("mean_largest", float(weights.amax(dim=1).mean()))
print("mean_entropy", float(entropies.mean()))
print("slope", float((weights[0] * (1 - weights[0])).max()))
