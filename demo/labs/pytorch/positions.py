"""Self-attention under a mask in PyTorch: the reach of a changed word, and word order."""

import torch
from parts.sinusoids import sinusoids
from parts.small_transformer import D, mask, states, weights_of
from parts.words import sentences

TEXT = "the cat saw the dog and the dog ran"
MASK = "decoder"  # or "encoder", "prefix"
POSITIONS = "sinusoidal"  # or "none"
CHANGED = 5  # the word that is replaced, counted from 1
PREFIX = 5  # words that see each other under the mask "prefix"

# Random weights by a fixed seed; one embedding more than words, for the word that replaces another.
words = [word for sentence in sentences(TEXT) for word in sentence]
vocabulary = list(dict.fromkeys(words))
ids = torch.tensor([vocabulary.index(word) for word in words])
weights = [item.double() for item in weights_of(len(words) + 1, torch.Generator().manual_seed(7))]
positions = sinusoids(len(words), D).double() if POSITIONS == "sinusoidal" else 0
allowed = mask(MASK, len(words), PREFIX)


def outputs(ids):
    """The output of each word: (T,) -> (T, D)."""
    return states(ids, weights, positions, allowed)[0]


changed = ids.clone()
changed[CHANGED - 1] = len(words)
change = (outputs(changed) - outputs(ids)).abs().amax(dim=1)
print("outputs", len(words))
print("outputs_changed", int((change > 1e-9).sum()))
print("change_before", float(change[: CHANGED - 1].max()) if CHANGED > 1 else 0.0)
print("change_after", float(change[CHANGED - 1 :].max()))

# The words in reverse order. Without positions and mask the outputs are the same, in reverse.
print("order_difference", f"{float((outputs(ids.flip(0)).flip(0) - outputs(ids)).abs().max()):.9f}")
