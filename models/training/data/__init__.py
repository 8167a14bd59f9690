"""Training data: pairs, their tokens, and batches of similar length."""
