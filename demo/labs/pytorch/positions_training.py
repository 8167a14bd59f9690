"""A small Transformer in PyTorch that learns to copy: six random letters, a bar, the same letters again."""

from itertools import islice

from models.labs.masks import MODEL_WIDTH, NUM_COPY_STEPS, TASK_LENGTH, copying_facts, train
from models.networks.transformer.model import sinusoidal_positions

MASK = "decoder"  # or "encoder", "prefix"
POSITIONS = "sinusoidal"  # or "none"
LAYER = "1"  # or "2": whose attention is printed
UPDATES = 500  # 0: before the training

positions = sinusoidal_positions(TASK_LENGTH, MODEL_WIDTH) if POSITIONS == "sinusoidal" else None
result = None
for progress in islice(train(MASK, positions), UPDATES + UPDATES // NUM_COPY_STEPS):  # a test comes last
    result = progress.result()
for name, value in copying_facts(result, int(LAYER)).items():
    print(name, value)
