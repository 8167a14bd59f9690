"""Scores of random queries and keys in PyTorch, and the weights that softmax makes of them."""

from models.labs.attention import score_facts, score_keys

SCORE = "dot"  # or "scaled_dot", "general", "additive"
WIDTH = "4"  # numbers in a vector, d: "2", "4", "8", "16", "32", "64", "128" or "256"
KEYS = 10
SEED = 5

result = score_keys(SCORE, int(WIDTH), KEYS, SEED)
for name, value in score_facts(result, int(WIDTH)).items():
    print(name, value)
