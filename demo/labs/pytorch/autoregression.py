"""A linear autoregressive model in PyTorch: one step ahead, k steps ahead, and free-running."""

from models.labs.autoregression import facts_of, predict, signal

SIGNAL = "slow"  # or "fast", "two", "square", "walk"
NOISE = 0.2  # standard deviation
TAU = 10  # values that the model reads
K = 16  # steps ahead
READ = 600  # values to train on
SEED = 0
MAX_STEPS = 100  # steps ahead whose errors are compared

result = predict(signal(SIGNAL, NOISE, SEED), READ, TAU, MAX_STEPS)
for name, value in facts_of(result, K).items():
    print(name, value)
