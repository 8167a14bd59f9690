"""The project as a Hugging Face Space: the header, the entry point and the sizes of files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
COLOURS = {"red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"}
LARGEST = 10_000_000  # bytes; largest file that the Hub accepts without LFS
# https://huggingface.co/docs/hub/spaces-config-reference
HEADER_KEYS = {
    *(
        "title",
        "emoji",
        "colorFrom",
        "colorTo",
        "sdk",
        "sdk_version",
        "python_version",
        "app_file",
        "license",
    ),
    *("short_description", "tags", "hf_oauth", "hf_oauth_scopes", "models", "datasets", "pinned"),
    *("suggested_hardware", "suggested_storage", "startup_duration_timeout", "preload_from_hub"),
}


@pytest.fixture(scope="module")
def header() -> dict[str, Any]:
    """The metadata at the top of README.md."""
    _, text, _ = re.split(r"^---\n", (ROOT / "README.md").read_text(encoding="utf-8"), maxsplit=2, flags=re.M)
    fields = yaml.safe_load(text)
    assert isinstance(fields, dict)
    return fields


def requirements() -> dict[str, Requirement]:
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    read = [Requirement(line.split("#")[0]) for line in lines if line.split("#")[0].strip()]
    return {requirement.name.lower(): requirement for requirement in read}


def test_the_header_is_one_that_spaces_accept(header: dict[str, Any]) -> None:
    assert header.keys() <= HEADER_KEYS
    assert {header["colorFrom"], header["colorTo"]} <= COLOURS
    assert len(header["short_description"]) <= 60
    assert not header["emoji"].isascii()
    assert header["sdk"] == "gradio"
    assert (ROOT / header["app_file"]).is_file()
    assert "Apache License" in (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert header["license"] == "apache-2.0"


def test_the_version_of_gradio_is_one_that_the_requirements_allow(header: dict[str, Any]) -> None:
    assert header["sdk_version"] in requirements()["gradio"].specifier


def test_the_python_is_one_that_the_project_supports(header: dict[str, Any]) -> None:
    supported = re.findall(r"Python 3\.(\d+) to 3\.(\d+)", (ROOT / "README.md").read_text(encoding="utf-8"))
    (low, high) = map(int, supported[0])
    assert low <= int(str(header["python_version"]).split(".")[1]) <= high


def test_no_file_needs_large_file_storage() -> None:
    large = [path for path in (ROOT / "checkpoints").rglob("*") if path.stat().st_size > LARGEST]
    assert large == []
    assert "*.safetensors binary" in (ROOT / ".gitattributes").read_text(encoding="utf-8")
