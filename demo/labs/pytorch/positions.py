"""Self-attention under a mask in PyTorch: the reach of a changed word, and word order."""

from models.labs.masks import MODEL_WIDTH, change_facts, changed_word
from models.labs.ngrams import sentences
from models.networks.transformer.model import sinusoidal_positions

TEXT = "the cat saw the dog and the dog ran"
MASK = "decoder"  # or "encoder", "prefix"
POSITIONS = "sinusoidal"  # or "none"
CHANGED = 5  # the word that is replaced, counted from 1
PREFIX = 5  # words that see each other under the mask "prefix"

words = [word for sentence in sentences(TEXT) for word in sentence]
vocabulary = list(dict.fromkeys(words))
ids = [vocabulary.index(word) for word in words]
positions = sinusoidal_positions(len(words), MODEL_WIDTH) if POSITIONS == "sinusoidal" else None
result = changed_word(ids, MASK, PREFIX, positions, CHANGED - 1)
for name, value in change_facts(result, CHANGED - 1).items():
    print(name, value)
