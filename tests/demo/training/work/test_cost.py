"""The peaks of GPUs, by the names that drivers give them."""

from __future__ import annotations

import pytest

from demo.training.work.workload import BF16_PEAKS, bf16_peak


@pytest.mark.parametrize(
    ("device", "name"),
    [
        ("NVIDIA H100 80GB HBM3", "H100"),
        ("NVIDIA H100 PCIe", "H100 PCIe"),
        ("NVIDIA H100 NVL", "H100 NVL"),
        ("NVIDIA H200", "H200"),
        ("NVIDIA A100-SXM4-40GB", "A100"),
        ("NVIDIA L4", "L4"),
        ("NVIDIA L40S", "L40S"),
    ],
)
def test_a_gpu_is_recognised_by_its_name(device: str, name: str) -> None:
    assert bf16_peak(device) == BF16_PEAKS[name]


@pytest.mark.parametrize(
    "device", ["CPU", "Apple GPU", "Tesla T4", "NVIDIA A10", "NVIDIA A100-SXM4-40GB MIG 1g.5gb", ""]
)
def test_an_unknown_gpu_or_a_slice_has_no_peak(device: str) -> None:
    assert bf16_peak(device) is None
