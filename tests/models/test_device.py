"""Which device a name stands for."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import pytest
import torch

from models import device
from models.device import (
    available_devices,
    one_thread_each,
    recurrent_gradients,
    resolve_device,
    training_autocast,
)
from tests.refusals import refused
from tests.waiting import PATIENCE


def test_auto_chooses_the_fastest_device() -> None:
    assert resolve_device("auto").type == available_devices()[0]


def test_a_cpu_is_always_available() -> None:
    assert available_devices()[-1] == "cpu"
    assert resolve_device("cpu") == torch.device("cpu")


@pytest.mark.parametrize("name", ["gpu", "", "cpu:x", "meta", "tpu", "xla"])
def test_an_unknown_device_is_refused(name: str) -> None:
    with refused(ValueError, "no_such_device", name):
        resolve_device(name)


def test_an_absent_accelerator_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    for name in ("cuda", "mps"):
        with refused(ValueError, "no_such_device", "auto, cpu", name):
            resolve_device(name)


def test_a_nonexistent_number_of_an_accelerator_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert resolve_device("cuda:1") == torch.device("cuda:1")
    with refused(ValueError, "no_such_device", "cuda:2"):
        resolve_device("cuda:2")


def test_a_gpu_rounds_no_factors() -> None:
    """The test reads settings alone; `pytest --device cuda` compares the results of cuDNN."""
    for inside in (nullcontext(), recurrent_gradients):
        with inside:
            assert not torch.backends.cudnn.allow_tf32
            assert not torch.backends.cuda.matmul.allow_tf32
    assert not torch.backends.cudnn.allow_tf32


def test_cudnn_is_off_until_the_last_of_several_gradients_ends() -> None:
    both = threading.Barrier(2, timeout=PATIENCE)
    values: list[bool] = []

    def first_to_come() -> None:
        with recurrent_gradients:
            both.wait()  # the other thread may enter
            both.wait()
        both.wait()  # this thread has left, the other has not

    def last_to_go() -> None:
        both.wait()
        with recurrent_gradients:
            both.wait()
            both.wait()
            values.append(torch.backends.cudnn.enabled)

    with ThreadPoolExecutor(2) as pool:
        for done in (pool.submit(first_to_come), pool.submit(last_to_go)):
            done.result()
    assert values == [False]
    assert torch.backends.cudnn.enabled


def test_the_number_of_operator_threads_is_restored_after_parallel_work() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        inside, leaving = threading.Barrier(2, timeout=PATIENCE), threading.Event()

        def overlap(first: bool) -> None:
            if not first:
                inside.wait()
            with one_thread_each():
                if first:
                    inside.wait()
                    inside.wait()
                else:
                    inside.wait()
                    leaving.wait(PATIENCE)

        with ThreadPoolExecutor(2) as pool:
            first, other = pool.submit(overlap, True), pool.submit(overlap, False)
            first.result()
            leaving.set()
            other.result()
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(torch.get_num_threads).result() == 3
    finally:
        torch.set_num_threads(before)


def test_attention_is_not_compiled_for_each_shape_of_a_batch() -> None:
    assert not torch.backends.cuda.cudnn_sdp_enabled()


@pytest.mark.parametrize("gains", [True, False])
@pytest.mark.parametrize("enabled", [True, False])
def test_a_cpu_trains_in_bf16_if_faster_and_requested(
    gains: bool, enabled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device, "gains_from_bf16", lambda _: gains)
    with training_autocast(torch.device("cpu"), enabled=enabled):
        product = torch.ones(2, 2) @ torch.ones(2, 2)
    assert product.dtype == (torch.bfloat16 if gains and enabled else torch.float32)
