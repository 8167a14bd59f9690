"""The steps and tokens of an epoch, counted by the code that makes batches, and the time that they take.

Also the peak speeds of GPUs. Imports no torch.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from demo.i18n import later, say
from demo.i18n.display import number_text
from models.corpus.statistics import TokenLengths
from models.training.data.batches import bucket_by_length, short_pair_indices
from models.training.recipe.config import TrainingConfig

OPERATIONS = 6  # per weight and target token: two forward, four backward (Kaplan et al. 2020)
# Operations per second in bfloat16, without sparsity, by the makers' data sheets. A GPU is recognised by the
# words of its name; if two entries fit, the longer one counts.
BF16_PEAKS = {
    "A100": 312e12,
    "L4": 121e12,
    "L40S": 362e12,
    "H100": 989e12,
    "H100 PCIe": 756e12,
    "H100 NVL": 835e12,
    "H200": 989e12,
    "H200 NVL": 835e12,
    "B200": 2250e12,
}
CPU_RATE = 5e10  # floating-point operations per second in training on two cores; 3e10 to 8e10 measured
GPU_RATE = 3e13
GPU_STEP = 0.03  # seconds of Python and kernel launches in a step; 0.02 to 0.05 measured on H100 and H200
FEW_STEPS = 20
ON_CPU = later("About {weights} million weights and {steps} steps: roughly {time} on this CPU.")
ON_GPU = later("About {weights} million weights and {steps} steps: roughly {time} on this GPU.")
UNITS = (  # up to this number of seconds, the unit in words, the seconds of the unit
    (90, later("1 second"), later("{count} seconds"), 1),
    (5400, later("1 minute"), later("{count} minutes"), 60),
    (172_800, later("1 hour"), later("{count} hours"), 3600),
)


@dataclass(frozen=True)
class Epoch:
    """The work of one epoch."""

    steps: int
    target_tokens: int  # target tokens that count towards the loss


@dataclass(frozen=True)
class Workload:
    """The lengths of a run's training pairs, or of an even sample of them."""

    lengths: TokenLengths
    stands_for: int = 1  # training pairs per pair of the sample

    def epoch(self, config: TrainingConfig) -> Epoch:
        """The work of one epoch by a recipe; an estimate for a sample. Raises DataError."""
        sources, targets = self.lengths.sources, self.lengths.targets
        indices = short_pair_indices(sources, targets, config.data.max_pieces) * self.stands_for
        batches = bucket_by_length(
            [sources[i] for i in indices], [targets[i] for i in indices], config.batch_tokens, None
        )
        return Epoch(sum(1 for _ in batches), sum(targets[i] for i in indices))


def expectation(config: TrainingConfig, epoch: Epoch, vocab_size: int, on_cpu: bool) -> str:
    """An estimate of a run's size and time before it starts, for the start button."""
    weights = config.network.num_parameters(vocab_size)
    total = epoch.target_tokens * config.epochs
    steps = epoch.steps * config.epochs
    operations = OPERATIONS * weights * total * config.network.multiplied_share
    seconds = operations / CPU_RATE if on_cpu else max(operations / GPU_RATE, steps * GPU_STEP)
    time = _roughly(max(seconds, 10))
    values = {"weights": number_text(weights / 1e6, 1), "steps": f"{steps:,}", "time": time}
    sentence = say(ON_CPU if on_cpu else ON_GPU, **values)
    if steps < FEW_STEPS:
        sentence += " " + say("This is very little training: raise the epochs, or make the batches smaller.")
    if on_cpu and seconds > 4 * 3600:
        sentence += " " + say("Take a smaller network, fewer epochs or a GPU.")
    return sentence


def _roughly(seconds: float) -> str:
    for limit, one, many, size in UNITS:
        if seconds < limit:
            number = max(1, round(seconds / size))
            return say(one) if number == 1 else say(many, count=number)
    return say("{count} days", count=round(seconds / 86_400))


def bf16_peak(device: str) -> float | None:
    """Operations per second of a GPU by its name, such as "NVIDIA H100 80GB HBM3"; None if unknown.

    A slice of a GPU (MIG) has another peak, which is not known.
    """
    words = set(re.split(r"[ -]", device))
    fitting = [name for name in BF16_PEAKS if words.issuperset(name.split())]
    return None if "MIG" in words or not fitting else BF16_PEAKS[max(fitting, key=len)]
