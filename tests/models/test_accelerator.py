"""Laws of the library on a pretend accelerator, which refuses what real ones refuse."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch import nn

from models.device import available_devices, resolve_device
from tests.fakes import pretend_accelerator
from tests.fakes.tiny_networks import SAMPLE

ROOT = Path(__file__).parents[2]
# Learning by heart takes thousands of steps; another law checks that every parameter learns.
LAWS = (
    "tests/models/networks/test_laws.py",
    "tests/models/networks/test_state_laws.py",
    "-k",
    f"not overfits and ({' or '.join(SAMPLE)} or captioner-2)",
)
MARKED = [
    path for path in sorted((ROOT / "tests").rglob("test_*.py")) if "mark.gpu" in path.read_text("utf-8")
]
LEFT_OUT = {"test_laws.py", "test_capture_on_a_gpu.py"}  # the latter is for a device that captures
ON_A_DEVICE = [str(path.relative_to(ROOT)) for path in MARKED if path.name not in LEFT_OUT]
PARTS = {
    "networks": LAWS,
    # One process for decoding, evaluation and training, since collecting takes longer than most tests.
    "library": (*ON_A_DEVICE, "tests/models/test_batch.py", "-m", "gpu or not slow"),
}


@pytest.mark.slow
@pytest.mark.timeout(3600)  # hundreds of tests in one
@pytest.mark.full
@pytest.mark.parametrize("arguments", PARTS.values(), ids=PARTS)
def test_the_library_runs_on_a_pretend_accelerator(arguments: tuple[str, ...]) -> None:
    problem = pretend_accelerator.missing()
    if problem:
        pytest.skip(problem)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--device", "pretend"]
    # A process of its own: the device changes torch for all that comes after.
    done = subprocess.run([*command, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^[1-9]\d* passed(, \d+ (deselected|warnings?))* in ", done.stdout, re.MULTILINE), (
        done.stdout
    )


@pytest.mark.gpu
def test_the_pretend_accelerator_is_a_device_like_others(device: str) -> None:
    assert torch.device(device).type == available_devices()[0] == resolve_device("auto").type
    with pytest.raises(ValueError, match=f"'{torch.device(device).type}:9'"):
        resolve_device(f"{torch.device(device).type}:9")


@pytest.mark.gpu
def test_tensors_of_two_devices_cannot_be_combined(device: str) -> None:
    on_cpu, on_device = torch.arange(3.0), torch.arange(3.0, device=device)
    for operation in (torch.add, torch.dot, torch.maximum):
        with pytest.raises(RuntimeError, match="device"):
            operation(on_cpu, on_device)
    with pytest.raises(RuntimeError, match="device"):
        on_device.index_select(0, torch.tensor([1]))
    with pytest.raises(RuntimeError, match="device"):
        on_cpu[torch.tensor([1], device=device)]
    with pytest.raises(RuntimeError, match="device"):
        torch.cat((on_cpu, on_device))
    with pytest.raises(TypeError, match="cpu"):
        on_device.numpy()


@pytest.mark.gpu
def test_numbers_and_indices_may_come_from_the_cpu(device: str) -> None:
    on_device = torch.arange(3.0, device=device)
    assert (on_device + torch.tensor(1.0)).tolist() == [1, 2, 3]
    assert on_device[torch.tensor([2, 0])].tolist() == [2, 0]
    on_device[torch.tensor([0])] = 5.0
    assert on_device.cpu().tolist() == [5, 1, 2]


@pytest.mark.gpu
def test_a_module_that_moves_keeps_what_its_parts_share(device: str) -> None:
    first, second = nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False)
    second.weight = first.weight
    both = nn.Sequential(first, second).to(device)
    assert both[0].weight is both[1].weight
    assert len(list(both.parameters())) == 1
    both(torch.ones(1, 2, device=device)).sum().backward()
    grad = both[0].weight.grad
    assert grad is not None
    assert grad.device == torch.zeros((), device=device).device
