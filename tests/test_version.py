"""The project's version is shown by the page and the command line, and fixes the positions of settings."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from demo import __version__
from demo.api.arguments import POSITIONS, setting_names
from demo.page.interface import HEADER
from tests.documents import ROOT


def test_the_header_of_the_page_has_the_version() -> None:
    assert f'data-version="{__version__}"' in HEADER


@pytest.mark.slow
def test_the_command_line_prints_the_version() -> None:
    command = [sys.executable, "app.py", "--version"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout == f"Unrolled {__version__}\n"


def test_a_release_gives_every_setting_its_position_for_programs() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    (unreleased,) = re.findall(r"^## \[Unreleased\]\n(.*?)^## ", changelog, re.M | re.S)
    missing = {*setting_names()} - {*POSITIONS}
    assert unreleased.strip() or not missing, "append them to POSITIONS in demo/api/arguments.py"
