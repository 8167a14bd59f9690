"""Find a Chromium that starts, or get one: `python -m tests.browser.chromium` prints its path."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from playwright.sync_api import Playwright, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
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
    "The browser tests need Chromium and found none that starts. Install your system's package `chromium` or "
    "run `.venv/bin/playwright install --with-deps chromium`, or set CHROMIUM to the path of a browser."
)


class ChromiumError(RuntimeError):
    """No Chromium on this machine starts; the message says what to do."""


def find_chromium(playwright: Playwright) -> str:
    """Path of $CHROMIUM, else of the system's browser, else of Playwright's own. Raises ChromiumError."""
    chosen = os.environ.get("CHROMIUM")
    if chosen:
        if not _succeeds([chosen, "--version"]):
            raise ChromiumError(f"CHROMIUM is set to {chosen!r}, which does not start. {REMEDY}")
        return chosen
    for path in (*map(shutil.which, NAMES), playwright.chromium.executable_path):
        # Ubuntu's chromium-browser is on the PATH and does nothing, hence the trial.
        if path and _succeeds([path, "--version"]):
            return path
    raise ChromiumError(REMEDY)


def get_chromium() -> None:
    """Download Playwright's own Chromium; where that is not to be had, install Debian's package."""
    playwright = [sys.executable, "-m", "playwright"]
    root = [] if os.geteuid() == 0 else ["sudo", "--non-interactive"]
    if _succeeds([*playwright, "install", "--no-shell", "chromium"]):
        _succeeds([*root, *playwright, "install-deps", "chromium"])
    elif _succeeds([*root, "apt-get", "update"]):
        _succeeds([*root, "apt-get", "install", "--yes", "--no-install-recommends", "chromium"])


def _succeeds(command: list[str]) -> bool:
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=600)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def main() -> None:
    """Print the path of a Chromium that starts, after getting one if there is none."""
    with sync_playwright() as playwright:
        try:
            path = find_chromium(playwright)
        except ChromiumError:
            sys.stderr.write("No Chromium yet: getting one, which can take some minutes.\n")
            get_chromium()
            path = find_chromium(playwright)
    sys.stdout.write(f"Chromium: {path}\n")


if __name__ == "__main__":
    try:
        main()
    except ChromiumError as error:
        sys.exit(str(error))
