"""The main memory of the process and the return of freed memory to the system."""

from __future__ import annotations

import sys

import pytest

from models import process
from models.process import FreedMemory, resident_bytes, return_freed_memory


def test_returning_freed_memory_works_without_the_c_library(monkeypatch: pytest.MonkeyPatch) -> None:
    return_freed_memory()

    def no_such_library(name: str) -> None:
        raise OSError(name)

    monkeypatch.setattr("models.process.ctypes.CDLL", no_such_library)
    return_freed_memory()


def test_freed_memory_is_returned_after_the_process_has_grown(monkeypatch: pytest.MonkeyPatch) -> None:
    resident, returned = [100], []
    monkeypatch.setattr(process, "resident_bytes", lambda: resident[0])
    monkeypatch.setattr(process, "return_freed_memory", lambda: returned.append(resident[0]))
    freed = FreedMemory(max_growth=50)

    def holding(size: int) -> list[int]:
        resident[0] = size
        for _ in range(16):
            freed.return_if_grown()
        return returned

    assert holding(150) == []
    assert holding(151) == [151]  # its memory stays, so it is not measured again
    assert holding(201) == [151]
    assert holding(60) == [151]
    assert holding(111) == [151, 111]


def test_resident_memory_is_known_on_linux_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert resident_bytes() > 1 << 20 if sys.platform == "linux" else resident_bytes() == 0

    def no_such_file(*_: object) -> None:
        raise FileNotFoundError

    monkeypatch.setattr("builtins.open", no_such_file)
    assert resident_bytes() == 0
