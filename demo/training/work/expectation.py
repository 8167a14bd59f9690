"""An estimate of a run's size and time before it starts, in one sentence."""

from __future__ import annotations

from demo.i18n import later, say
from demo.i18n.display import number_text
from demo.training.work.workload import Epoch
from models.training.cost import OPERATIONS
from models.training.recipe.config import TrainingConfig

CPU_RATE = 5e10  # floating-point operations per second in training on two cores; 3e10 to 8e10 measured
GPU_RATE = 3e13
GPU_STEP = 0.03  # seconds of Python and kernel launches in a step; 0.02 to 0.05 measured on H100 and H200
FEW_STEPS = 20


UNITS = (  # up to this number of seconds, the unit in words, the seconds of the unit
    (90, later("1 second"), later("{count} seconds"), 1),
    (5400, later("1 minute"), later("{count} minutes"), 60),
    (172_800, later("1 hour"), later("{count} hours"), 3600),
)


def expectation(config: TrainingConfig, epoch: Epoch, vocab_size: int, on_cpu: bool) -> str:
    """A sentence for the start button."""
    weights = config.network.num_parameters(vocab_size)
    total = epoch.target_tokens * config.epochs
    steps = epoch.steps * config.epochs
    operations = OPERATIONS * weights * total * config.network.multiplied_share
    seconds = operations / CPU_RATE if on_cpu else max(operations / GPU_RATE, steps * GPU_STEP)
    time = _roughly(max(seconds, 10))
    values = {"weights": number_text(weights / 1e6, 1), "steps": f"{steps:,}", "time": time}
    sentence = (
        say("About {weights} million weights and {steps} steps: roughly {time} on this CPU.", **values)
        if on_cpu
        else say("About {weights} million weights and {steps} steps: roughly {time} on this GPU.", **values)
    )
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
