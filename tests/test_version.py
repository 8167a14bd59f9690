"""The project's version is defined once and shown everywhere."""

from __future__ import annotations

import re
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

from demo import __version__
from demo.api.arguments import POSITIONS, setting_names
from demo.interface import HEADER

ROOT = Path(__file__).parents[1]
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
RELEASES = re.findall(r"^## \[([\d.]+)\] - (\S+)$", CHANGELOG, re.M)


@pytest.fixture(scope="module")
def citation() -> dict[str, Any]:
    """The fields of CITATION.cff."""
    fields = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert isinstance(fields, dict)
    return fields


def test_the_version_has_three_numbers() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", __version__)


def test_the_header_of_the_page_has_the_version() -> None:
    assert f'data-version="{__version__}"' in HEADER


@pytest.mark.slow
def test_the_command_line_prints_the_version() -> None:
    command = [sys.executable, "app.py", "--version"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout == f"Unrolled {__version__}\n"


def test_the_changelog_dates_the_version_below_unreleased() -> None:
    headings = re.findall(r"^## \[(.+?)\]", CHANGELOG, re.M)
    assert headings[:2] == ["Unreleased", __version__]
    days = [date.fromisoformat(day) for _, day in RELEASES]
    assert len(days) == len(headings) - 1
    assert days == sorted(days, reverse=True)


def test_the_citation_has_the_version_and_its_date_in_the_changelog(citation: dict[str, Any]) -> None:
    assert citation["version"] == __version__
    assert citation["date-released"].isoformat() == dict(RELEASES)[__version__]


def test_the_citation_has_what_its_format_requires(citation: dict[str, Any]) -> None:
    assert citation["cff-version"] == "1.2.0"
    assert {"message", "title", "authors"} <= citation.keys()
    assert all({"name"} <= author.keys() for author in citation["authors"])
    assert (ROOT / "LICENSE").read_text(encoding="utf-8").lstrip().startswith("Apache License")
    assert citation["license"] == "Apache-2.0"


def test_a_release_gives_every_setting_its_position_for_programs() -> None:
    (unreleased,) = re.findall(r"^## \[Unreleased\]\n(.*?)^## ", CHANGELOG, re.M | re.S)
    missing = set(setting_names()) - set(POSITIONS)
    assert unreleased.strip() or not missing, "append them to POSITIONS in demo/api/arguments.py"


def test_no_other_source_file_repeats_the_version() -> None:
    sources = [ROOT / "app.py", *(ROOT / "demo").rglob("*"), *(ROOT / "models").rglob("*.py")]
    texts = {
        path: path.read_text(encoding="utf-8") for path in sources if path.suffix in {".py", ".js", ".html"}
    }
    spelt = re.compile(rf"""["'>]{re.escape(__version__)}["'<]""")
    assert [path for path, text in texts.items() if spelt.search(text)] == [ROOT / "demo" / "__init__.py"]
