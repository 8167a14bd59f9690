"""The project as a Hugging Face Space: the header of the README, the entry point and the requirements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml
from packaging.requirements import Requirement

from tests.lint.project import Breach, Project, unless

README = "README.md"
COLOURS = {"red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"}
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
SUPPORTED = re.compile(r"Python 3\.(\d+) to 3\.(\d+)")
BINARY = "*.safetensors binary"


def spaces_accept_the_header(project: Project) -> Iterator[Breach]:
    header, texts = _header(project), project.texts
    unknown = sorted(header.keys() - HEADER_KEYS)
    checks = {
        f"has a header with unknown keys: {unknown}": not unknown,
        "has a header with a colour that Spaces do not have": {header["colorFrom"], header["colorTo"]}
        <= COLOURS,
        "has a short_description of more than 60 characters": len(header["short_description"]) <= 60,
        "has a header without an emoji": not header["emoji"].isascii(),
        "has a header whose sdk is not gradio": header["sdk"] == "gradio",
        "has an app_file that does not exist": header["app_file"] in texts,
        "has another licence than LICENSE": "Apache License" in texts["LICENSE"]
        and header["license"] == "apache-2.0",
    }
    yield from unless(README, checks)
    yield from unless(".gitattributes", {f"does not say: {BINARY}": BINARY in texts[".gitattributes"]})


def the_project_supports_the_versions_of_the_header(project: Project) -> Iterator[Breach]:
    lines = [line.split("#")[0].strip() for line in project.texts["requirements.txt"].splitlines()]
    requirements = {requirement.name: requirement for requirement in map(Requirement, filter(None, lines))}
    low, high = map(int, SUPPORTED.findall(project.texts[README])[0])
    gradio, python = (str(_header(project)[name]) for name in ("sdk_version", "python_version"))
    checks = {
        f"has an sdk_version that requirements.txt excludes: {gradio}": gradio
        in requirements["gradio"].specifier,
        f"has an unsupported python_version: {python}": low <= int(python.split(".")[1]) <= high,
    }
    yield from unless(README, checks)


def _header(project: Project) -> dict[str, Any]:
    """Return the metadata at the top of README.md."""
    _, text, _ = re.split(r"^---\n", project.texts[README], maxsplit=2, flags=re.M)
    return dict(yaml.safe_load(text))
