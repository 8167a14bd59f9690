"""A linear autoregressive model in PyTorch: one step ahead, k steps ahead, and free-running."""

import math

import torch

SIGNAL = "slow"  # or "fast", "two", "square", "walk"
NOISE = 0.2  # standard deviation
TAU = 10  # values that the model reads
K = 16  # steps ahead
READ = 600  # values to train on
SEED = 0
T = 1000

generator = torch.Generator().manual_seed(SEED)
time = torch.arange(1, T + 1, dtype=torch.float64)
if SIGNAL == "walk":
    curve = (0.1 * torch.randn(T, generator=generator, dtype=torch.float64)).cumsum(0)
elif SIGNAL == "square":
    curve = torch.where((time - 1) % 40 < 20, 1.0, -1.0).double()
elif SIGNAL == "two":
    curve = 0.6 * torch.sin(2 * math.pi * time / 50) + 0.4 * torch.sin(0.03 * time)
else:
    curve = torch.sin(2 * math.pi * time / 50) if SIGNAL == "fast" else torch.sin(0.01 * time)
x = curve + NOISE * torch.randn(T, generator=generator, dtype=torch.float64)

# Each line of `features` holds tau values in a row; the label is the value that follows them.
features = x[: READ - 1].unfold(0, TAU, 1)
labels = x[TAU:READ]
inputs = torch.cat([features, torch.ones(len(features), 1, dtype=torch.float64)], dim=1)
solution = torch.linalg.lstsq(inputs, labels.unsqueeze(1), driver="gelsd").solution.squeeze(1)
weights, bias = solution[:-1], solution[-1]


def predict(windows: torch.Tensor) -> torch.Tensor:
    """Return the value after each window: (N, tau) -> (N,)."""
    following: torch.Tensor = windows @ weights + bias
    return following


def rmse(predicted: torch.Tensor, values: torch.Tensor) -> float:
    """Return the root of the mean squared error."""
    return float((predicted - values).square().mean().sqrt())


# k steps ahead: a prediction takes the place of the newest value, the oldest drops out.
windows = x.unfold(0, TAU, 1)
for k in range(1, K + 1):
    following = predict(windows)
    # Window i ends at i + tau - 1, so its prediction is of the value i + tau - 1 + k.
    first = READ - TAU - k + 1
    if first < 0:  # more steps ahead than the model has values before
        error = math.nan
        break
    error = rmse(following[first : first + T - READ], x[READ:])
    if k == 1:
        print("one_step_error", error)
    windows = torch.cat([windows[:, 1:], following.unsqueeze(1)], dim=1)
print("k_step_error", error)

# Free-running: after the training nothing is read but the model's own predictions.
window, free = x[READ - TAU : READ], []
for _ in range(T - READ):
    free.append(predict(window.unsqueeze(0)))
    window = torch.cat([window[1:], free[-1]])
print("free_running_error", rmse(torch.cat(free), x[READ:]))
print("free_running_lowest", torch.cat(free)[50:].min().item())
print("free_running_highest", torch.cat(free)[50:].max().item())

print("mean_error", rmse(x[:READ].mean(), x[READ:]))
print("noise_error", rmse(curve[READ:], x[READ:]))
