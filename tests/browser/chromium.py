"""Finds or installs a Chromium that starts: `python -m tests.browser.chromium` prints its path."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from playwright.sync_api import Playwright, sync_playwright

# Chromium without windows of its own, which costs less to run.
SHELLS = ("chromium-headless-shell", "chrome-headless-shell")
WHOLE = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox",  # the sandbox refuses to run as root, as in a container
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",  # no name but our own
)
REMEDY = (
    "The browser tests need Chromium and found none that starts. Install your system's package "
    "`chromium-headless-shell` or `chromium`, run `.venv/bin/playwright install --with-deps --only-shell "
    "chromium`, or set CHROMIUM to the path of a browser."
)


class ChromiumError(RuntimeError):
    """No Chromium on this machine starts; the message suggests a remedy."""


def find_chromium(playwright: Playwright) -> str:
    """The path of $CHROMIUM, else of a headless shell, else of a browser. Raises ChromiumError."""
    setting = os.environ.get("CHROMIUM")
    if setting:
        if not _succeeds([setting, "--version"]):
            raise ChromiumError(f"CHROMIUM is set to {setting!r}, which does not start. {REMEDY}")
        return setting
    path = find_shell(playwright) or _first_that_starts(
        [*map(shutil.which, WHOLE), playwright.chromium.executable_path]
    )
    if path is None:
        raise ChromiumError(REMEDY)
    return path


def find_shell(playwright: Playwright) -> str | None:
    """The path of the system's headless shell, else of Playwright's."""
    whole = playwright.chromium.executable_path
    beside_it = re.sub(r"([/\\])chromium-(\d+)[/\\].*", r"\1chromium_headless_shell-\2", whole)
    beside = sorted(map(str, Path(beside_it).glob("*/*headless*shell*")))
    return _first_that_starts([*map(shutil.which, SHELLS), *beside])


def get_shell() -> None:
    """Download Playwright's headless shell; if that fails, root installs Debian's package."""
    if not _download("--only-shell") and os.geteuid() == 0:
        _install("chromium-headless-shell", [])


def get_chromium() -> None:
    """Download Playwright's Chromium; if that fails, install Debian's package."""
    if not _download("--no-shell"):
        _install("chromium", _as_root())


def _download(which: str) -> bool:
    playwright = [sys.executable, "-m", "playwright"]
    if not _succeeds([*playwright, "install", which, "chromium"]):
        return False
    _succeeds([*_as_root(), *playwright, "install-deps", "chromium"])
    return True


def _install(package: str, root: list[str]) -> None:
    if _succeeds([*root, "apt-get", "update"]):
        _succeeds([*root, "apt-get", "install", "--yes", "--no-install-recommends", package])


def _as_root() -> list[str]:
    return [] if os.geteuid() == 0 else ["sudo", "--non-interactive"]


def _first_that_starts(paths: Iterable[str | None]) -> str | None:
    # Ubuntu's chromium-browser is on the PATH and does nothing, hence the trial.
    return next((path for path in paths if path and _succeeds([path, "--version"])), None)


def _succeeds(command: list[str]) -> bool:
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=600)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def main() -> None:
    """Install a Chromium if needed, a headless shell if possible, and print its path."""
    with sync_playwright() as playwright:
        if not os.environ.get("CHROMIUM") and not find_shell(playwright):
            sys.stderr.write("No headless shell of Chromium yet: getting one, which can take some minutes.\n")
            get_shell()
        try:
            path = find_chromium(playwright)
        except ChromiumError:
            get_chromium()
            path = find_chromium(playwright)
    sys.stdout.write(f"Chromium: {path}\n")


if __name__ == "__main__":
    try:
        main()
    except ChromiumError as error:
        sys.exit(str(error))
