"""The choice of the browser for the journeys, and the message if there is none."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.browser.chromium import SHELLS, ChromiumError, find_chromium, find_shell

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


def test_a_browser_that_does_not_start_is_skipped(bin_folder: Path) -> None:
    program(bin_folder / "chromium", exit_code=1)
    works = program(bin_folder / "google-chrome", exit_code=0)
    assert find_chromium(NOT_DOWNLOADED) == works


@pytest.mark.parametrize("name", SHELLS)
def test_a_headless_shell_goes_before_a_whole_browser(bin_folder: Path, name: str) -> None:
    whole = program(bin_folder / "chromium", exit_code=0)
    assert find_chromium(NOT_DOWNLOADED) == whole
    shell = program(bin_folder / name, exit_code=0)
    assert find_chromium(NOT_DOWNLOADED) == shell


@pytest.mark.parametrize("inside", ["chrome-linux/headless_shell", "chrome-mac/chrome-headless-shell"])
def test_a_headless_shell_of_playwright_lies_beside_its_browser(bin_folder: Path, inside: str) -> None:
    downloaded = SimpleNamespace(executable_path=f"{bin_folder}/chromium-1255/chrome-linux/chrome")
    playwright = SimpleNamespace(chromium=downloaded)
    assert find_shell(playwright) is None
    shell = bin_folder / "chromium_headless_shell-1255" / inside
    shell.parent.mkdir(parents=True)
    (shell.parent / "LICENSE.headless_shell").touch()
    assert find_shell(playwright) is None
    program(shell, exit_code=0)
    assert find_shell(playwright) == find_chromium(playwright) == str(shell)


def test_the_environment_variable_precedes_found_browsers(
    bin_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(bin_folder / "chromium", exit_code=0)
    setting = program(bin_folder / "mine", exit_code=0)
    monkeypatch.setenv("CHROMIUM", setting)
    assert find_chromium(NOT_DOWNLOADED) == setting


def test_a_wrong_choice_is_not_replaced_in_silence(bin_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(bin_folder / "chromium", exit_code=0)
    monkeypatch.setenv("CHROMIUM", "/nowhere/mine")
    with pytest.raises(ChromiumError, match="/nowhere/mine"):
        find_chromium(NOT_DOWNLOADED)


def test_a_missing_browser_is_refused_with_a_remedy(bin_folder: Path) -> None:
    with pytest.raises(ChromiumError, match="chromium-headless-shell"):
        find_chromium(NOT_DOWNLOADED)
