"""The complete state of a run in one safetensors file. A resumed run continues as if it never stopped."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor, nn

from models.corpus.pairs import Pair
from models.device import random_state, set_random_state
from models.errors import UnrolledError
from models.records import record
from models.training.events import EvaluationCompleted, check_number
from models.whole_file import read_bytes, write_whole

STATE_FILE = "state.safetensors"
AVERAGE = "averaged.module"  # prefix of the averaged weights, as torch's `AveragedModel` names them
# The file keeps the first names of these fields, so that all versions of the program resume all runs.
STATE_NAMES = {"last_evaluated_step": "judged", "micro_batches": "parts"}


class StateError(UnrolledError, ValueError):
    """A state from which this run cannot continue; the message says what to do."""


@dataclass
class RunProgress:
    """The progress of a run."""

    step: int = 0
    epoch: int = 0
    batch: int = 0  # batches of this epoch that are done
    last_evaluated_step: int = 0
    best_loss: float = float("inf")
    evaluations_without_gain: int = 0
    seconds: float = 0.0
    target_tokens: int = 0
    best: dict[str, Any] | None = None  # the best evaluation, as the fields of its event
    micro_batches: int = 1  # micro-batches into which a batch is split; more after memory ran out
    pairs: str = ""  # `pairs_digest` of the pairs; "" in states of versions before it


def pairs_digest(*parts: Iterable[Pair]) -> str:
    """The SHA-256 digest of lists of pairs in their order."""
    digest = hashlib.sha256()
    for part in parts:
        for pair in part:
            digest.update(f"{pair!r}\n".encode("utf-8", "backslashreplace"))
        digest.update(b"\n")
    return digest.hexdigest()


def save_state(
    folder: Path,
    progress: RunProgress,
    model: nn.Module,
    average: nn.Module | None,
    optimizer: torch.optim.Optimizer,
) -> None:
    """Write weights in full precision, optimizer, random state and progress; all or nothing."""
    tensors: dict[str, Tensor] = {}
    for prefix, module in (("model", model), (AVERAGE, average)):
        for name, parameter in module.named_parameters() if module is not None else ():
            tensors[f"{prefix}.{name}"] = parameter
    for index, slots in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{index}.{slot}": torch.as_tensor(value) for slot, value in slots.items()}
    tensors["random"] = torch.get_rng_state()
    tensors["random.device"] = random_state(next(model.parameters()).device)
    content = save(
        {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()},
        metadata={"progress": json.dumps(_rename_keys(asdict(progress), STATE_NAMES))},
    )
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / STATE_FILE, content)


def load_state(
    folder: Path,
    start: RunProgress,
    model: nn.Module,
    average: nn.Module | None,
    optimizer: torch.optim.Optimizer,
) -> RunProgress:
    """Restore everything that `save_state` wrote. Raises StateError, also if `start` has other pairs."""
    try:
        path = folder / STATE_FILE
        progress = _load_state(read_bytes(path, path.stat().st_size), model, average, optimizer)
    except (SafetensorError, KeyError, TypeError, ValueError, RuntimeError, AttributeError) as error:
        raise StateError(
            "state_does_not_fit",
            "{file} is damaged or belongs to another recipe ({reason}). Take that run's recipe, or start "
            "again without resuming.",
            file=folder / STATE_FILE,
            reason=str(error).splitlines()[0],
        ) from error
    if progress.pairs not in ("", start.pairs):
        raise StateError(
            "other_pairs",
            "the pairs for training or validation are not those that this run began with: put its files "
            "back, or start again without resuming",
        )
    return replace(progress, pairs=start.pairs)


def _load_state(
    content: bytes, model: nn.Module, average: nn.Module | None, optimizer: torch.optim.Optimizer
) -> RunProgress:
    tensors = load(content)
    with torch.no_grad():
        for prefix, module in (("model", model), (AVERAGE, average)):
            for name, parameter in module.named_parameters() if module is not None else ():
                parameter.copy_(tensors[f"{prefix}.{name}"])
    slots: dict[int, dict[str, Tensor]] = {}
    for key, tensor in tensors.items():
        if key.startswith("optimizer."):
            _, index, slot = key.split(".")
            slots.setdefault(int(index), {})[slot] = tensor
    optimizer.load_state_dict({**optimizer.state_dict(), "state": slots})
    torch.set_rng_state(tensors["random"])
    device = next(model.parameters()).device
    if device.type != "cpu" and "random.device" in tensors:
        set_random_state(device, tensors["random.device"])
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    field_names = {stored_name: name for name, stored_name in STATE_NAMES.items()}
    data = json.loads(header["__metadata__"]["progress"])
    progress = record(RunProgress, _rename_keys(data, field_names), check_number)
    if progress.best is not None:
        record(EvaluationCompleted, progress.best, check_number)
    return progress


def _rename_keys(data: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {names.get(name, name): value for name, value in data.items()}
