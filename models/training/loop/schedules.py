"""Schedules: the learning rate, and the probability of teacher forcing."""

from __future__ import annotations

import math

from models.training.recipe.sections import OptimizerConfig, TeacherForcingConfig


def learning_rate(settings: OptimizerConfig, step: int, total_steps: int) -> float:
    """Linear warm-up to `learning_rate`, then the schedule; step counts from 1.

    cosine and linear end at `final_ratio` of it; inverse_sqrt falls with 1 / sqrt(step) from its peak at
    the end of the warm-up (Vaswani et al. 2017, section 5.3).
    """
    warmup, peak = settings.warmup_steps, settings.learning_rate
    if step <= warmup:
        return peak * step / warmup
    if settings.schedule == "constant":
        return peak
    if settings.schedule == "inverse_sqrt":
        return peak * math.sqrt(max(1, warmup) / step)
    done = min(1.0, (step - warmup) / max(1, total_steps - warmup))
    left = 0.5 * (1 + math.cos(math.pi * done)) if settings.schedule == "cosine" else 1 - done
    return peak * (settings.final_ratio + (1 - settings.final_ratio) * left)


def teacher_forcing_ratio(settings: TeacherForcingConfig, step: int, total_steps: int) -> float:
    """Probability that a decoder input is the reference's token at this step, which counts from 1.

    Scheduled sampling (Bengio et al. 2015, section 2.4), its curves scaled to run from `start` to `end`.
    """
    if settings.schedule == "constant":
        return settings.start
    steps = settings.steps or total_steps
    done = min(1.0, (step - 1) / max(1, steps - 1))
    if settings.schedule == "linear":
        return settings.start + (settings.end - settings.start) * done
    if settings.schedule == "exponential":  # start * k^i with k so that it reaches the end
        ratio: float = (settings.end / settings.start) ** done
        return settings.start * ratio
    if done == 1.0:
        return settings.end
    left = _inverse_sigmoid(done) / _inverse_sigmoid(0.0)
    return settings.end + (settings.start - settings.end) * left


K = math.exp(5)  # the paper's curve is then half way down at i / k = 5 and flat at both ends


def _inverse_sigmoid(done: float) -> float:
    """k / (k + exp(i / k)), its length scaled so that the middle of the steps is the middle of the curve."""
    return K / (K + math.exp(2 * math.log(K) * done))
