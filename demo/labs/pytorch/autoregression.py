"""A linear autoregressive model in PyTorch: one step ahead, 16 steps ahead, and free-running."""

import torch

T, TRAIN, TAU, K, NOISE = 1000, 600, 10, 16, 0.2

# sin(0.01 t) and Gaussian noise.
generator = torch.Generator().manual_seed(0)
time = torch.arange(1, T + 1, dtype=torch.float64)
curve = torch.sin(0.01 * time)
x = curve + NOISE * torch.randn(T, generator=generator, dtype=torch.float64)

# Each line of `features` holds tau values in a row; the label is the value that follows them.
features = x[: TRAIN - 1].unfold(0, TAU, 1)
labels = x[TAU:TRAIN]
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
    first = TRAIN - TAU - k + 1
    error = rmse(following[first : first + T - TRAIN], x[TRAIN:])
    if k == 1:
        print("one_step_error", error)
    windows = torch.cat([windows[:, 1:], following.unsqueeze(1)], dim=1)
print("k_step_error", error)

# Free-running: after the training nothing is read but the model's own predictions.
window, free = x[TRAIN - TAU : TRAIN], []
for _ in range(T - TRAIN):
    free.append(predict(window.unsqueeze(0)))
    window = torch.cat([window[1:], free[-1]])
print("free_running_error", rmse(torch.cat(free), x[TRAIN:]))
print("free_running_lowest", torch.cat(free)[50:].min().item())
print("free_running_highest", torch.cat(free)[50:].max().item())

print("mean_error", rmse(x[:TRAIN].mean(), x[TRAIN:]))
print("noise_error", rmse(curve[TRAIN:], x[TRAIN:]))
