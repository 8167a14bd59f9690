"""The repository: its top level, its tracked files and its requirements."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.lint.project import Breach, Project, line_at, unless

REQUIRED = {
    *("app.py", "demo", "models", "checkpoints", "recordings", "requirements.txt", "tests", "README.md"),
    *("Makefile", "pyproject.toml", "requirements-dev.txt", ".ci", "LICENSE", "CHANGELOG.md"),
    *("CONTRIBUTING.md", "SECURITY.md", "CITATION.cff"),
    *(".pre-commit-config.yaml", ".gitattributes", ".gitignore"),
    *("package.json", "package-lock.json", "tsconfig.json", "biome.json"),  # checks of the page's scripts
    *("docs", "requirements-hub.txt", "requirements-mcp.txt"),
}
OPTIONAL = {"packages.txt"}  # apt packages, which Spaces installs
LARGEST_FILE = 10_000_000  # bytes; Spaces wants LFS above it
# First folders of absolute paths that exist on one machine only. URLs and relative paths do not match.
PRIVATE = ("home", "root", "Users", "work", "mnt", "opt")
MACHINE_PATH = re.compile(rf"""(?:^|[\s'"(=`:])(/(?:{"|".join(PRIVATE)})/\w)""", re.MULTILINE)
OPTION = re.compile(r"^ *(?!-r requirements(?:-\w+)?\.txt *(?:#|$))-.*", re.MULTILINE)
TORCH = "torch>=2.8,<=2.13.0"  # Spaces have one of these versions
ABOUT_TORCH = (
    "A fresh `.venv` gets torch 2.13.0",
    "keeps a torch from 2.8 on, even one newer than 2.13.0",
    "`pip install -r requirements.txt` replaces a newer one",
)


def the_top_level_holds_the_agreed_files(project: Project) -> Iterator[Breach]:
    top = {path.split("/")[0] for path in project.sizes}
    yield from (Breach(name, 1, "is missing or not tracked") for name in sorted(REQUIRED - top))
    yield from (Breach(name, 1, "has no place at the top") for name in sorted(top - REQUIRED - OPTIONAL))


def no_tracked_file_needs_large_file_storage(project: Project) -> Iterator[Breach]:
    for path, size in project.sizes.items():
        if size > LARGEST_FILE:
            yield Breach(path, 1, f"has {size:,} bytes, more than {LARGEST_FILE:,}")


def no_tracked_file_names_a_folder_of_one_machine(project: Project) -> Iterator[Breach]:
    for path in project.sizes:
        text = project.texts.get(path, "")
        for match in MACHINE_PATH.finditer(text):
            yield Breach(path, line_at(text, match.start(1)), f"names a folder of one machine: {match[1]}")


def requirements_name_no_index_or_machine(project: Project) -> Iterator[Breach]:
    for path, text in project.matching("requirements", ".txt").items():
        for match in OPTION.finditer(text):
            yield Breach(path, line_at(text, match.start()), f"has an option: {match[0]}")


def spaces_accept_a_fresh_torch_and_the_readme_names_it(project: Project) -> Iterator[Breach]:
    requirements = project.texts["requirements.txt"].split()
    readme = " ".join(project.texts["README.md"].split())
    yield from unless("requirements.txt", {f"does not ask for {TORCH}": TORCH in requirements})
    yield from unless("README.md", {f"does not say: {words}": words in readme for words in ABOUT_TORCH})
