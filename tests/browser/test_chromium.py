"""Which browser the journeys run in, and what is said when there is none."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.browser.chromium import ChromiumError, find_chromium

NOT_DOWNLOADED = SimpleNamespace(chromium=SimpleNamespace(executable_path="/nowhere/chrome"))


@pytest.fixture
def bin_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on the PATH."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CHROMIUM", raising=False)
    return tmp_path


def program(path: Path, exit_code: int) -> str:
    path.write_text(f"#!/bin/sh\nexit {exit_code}\n")
    path.chmod(0o755)
    return str(path)


def test_a_program_that_does_not_start_is_passed_over(bin_folder: Path) -> None:
    program(bin_folder / "chromium", exit_code=1)
    works = program(bin_folder / "google-chrome", exit_code=0)
    assert find_chromium(NOT_DOWNLOADED) == works


def test_the_environment_goes_first(bin_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(bin_folder / "chromium", exit_code=0)
    chosen = program(bin_folder / "mine", exit_code=0)
    monkeypatch.setenv("CHROMIUM", chosen)
    assert find_chromium(NOT_DOWNLOADED) == chosen


def test_a_wrong_choice_is_not_replaced_in_silence(bin_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(bin_folder / "chromium", exit_code=0)
    monkeypatch.setenv("CHROMIUM", "/nowhere/mine")
    with pytest.raises(ChromiumError, match="'/nowhere/mine', which does not start"):
        find_chromium(NOT_DOWNLOADED)


def test_without_any_the_remedy_is_named(bin_folder: Path) -> None:
    with pytest.raises(ChromiumError, match="Install your system's package `chromium`"):
        find_chromium(NOT_DOWNLOADED)
