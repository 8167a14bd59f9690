"""Facts of trainings that take longer than a reader waits for a reveal: measured once, and held by a test.

`tests/demo/learn/lessons/test_trainings.py` trains each anew and compares.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class MeasuredTraining:
    """One training of a lab, and the facts that lessons may state about its result."""

    lab: str  # its name in links
    options: Mapping[str, str]  # the controls of the training that are not at their default
    facts: Mapping[str, tuple[str, float]]  # (name in the lab, value) by name in lessons


def _perplexity_and_norm(name: str, perplexity: float, norm: float) -> dict[str, tuple[str, float]]:
    return {
        f"{name}_perplexity": ("perplexity", perplexity),
        f"{name}_largest_norm": ("largest_gradient_norm", norm),
    }


TRAININGS = (
    MeasuredTraining(
        "masked",
        {"unit": "characters"},
        {
            "forward_right": ("forward_accuracy", 0.379),
            "backward_right": ("backward_accuracy", 0.412),
            "both_right": ("both_accuracy", 0.592),
        },
    ),
    MeasuredTraining("charrnn", {"truncation": "full"}, _perplexity_and_norm("full", 8.41, 3.21)),
    MeasuredTraining("charrnn", {"truncation": "truncated"}, _perplexity_and_norm("truncated", 7.96, 0.88)),
    MeasuredTraining(
        "charrnn", {"truncation": "randomised"}, _perplexity_and_norm("randomised", 12.58, 108.35)
    ),
    MeasuredTraining(
        "charrnn", {"clipping": "off"}, {"unclipped_worse_than_guessing": ("worse_than_guessing", 1)}
    ),
)


def measured_facts(lab: str) -> dict[str, float]:
    """Return the facts of a lab's measured trainings."""
    return {name: value for item in TRAININGS if item.lab == lab for name, (_, value) in item.facts.items()}
