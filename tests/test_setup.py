"""The repository: its top level, its tracked files and its requirements."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
REQUIRED = {
    *("app.py", "demo", "models", "checkpoints", "recordings", "requirements.txt", "tests", "README.md"),
    *("Makefile", "pyproject.toml", "requirements-dev.txt", ".ci", "LICENSE", "CHANGELOG.md"),
    *("CONTRIBUTING.md", "SECURITY.md", "CITATION.cff"),
    *(".pre-commit-config.yaml", ".gitattributes", ".gitignore"),
    *("package.json", "package-lock.json", "tsconfig.json", "biome.json"),  # checks of the page's scripts
    *("docs", "requirements-hub.txt", "requirements-mcp.txt"),
}
OPTIONAL = {"packages.txt"}  # apt packages, which Spaces installs
REQUIREMENTS = ["requirements.txt", "requirements-dev.txt", "requirements-hub.txt", "requirements-mcp.txt"]
LARGEST_FILE = 10_000_000  # bytes; Spaces wants LFS above it
# First folders of absolute paths that exist on one machine only. URLs and relative paths do not match.
PRIVATE = ("home", "root", "Users", "work", "mnt", "opt")
MACHINE_PATH = re.compile(rf"""(?:^|[\s'"(=`:])/(?:{"|".join(PRIVATE)})/\w""", re.MULTILINE)


@pytest.fixture(scope="module")
def tracked() -> list[Path]:
    """The tracked files; in an unpacked archive, which has no index, all files that .gitignore allows."""
    if (ROOT / ".git").exists():
        # In a container the user often differs from the one who cloned: git needs safe.directory then.
        command = ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z"]
        file_names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        paths = [ROOT / name for name in file_names.split("\0") if name]
    else:
        ignored = {line.strip("/") for line in (ROOT / ".gitignore").read_text().split()}
        paths = [path for path in ROOT.rglob("*") if not ignored & {*path.relative_to(ROOT).parts}]
    return [path for path in paths if path.is_file()]


def test_the_top_level_holds_the_agreed_files(tracked: list[Path]) -> None:
    top = {path.relative_to(ROOT).parts[0] for path in tracked}
    assert top >= REQUIRED, f"not tracked: {sorted(REQUIRED - top)}"
    assert top <= REQUIRED | OPTIONAL, f"no place at the top: {sorted(top - REQUIRED - OPTIONAL)}"


def test_no_tracked_file_needs_lfs(tracked: list[Path]) -> None:
    assert [path for path in tracked if path.stat().st_size > LARGEST_FILE] == []


@pytest.mark.slow
def test_no_tracked_file_names_a_folder_of_one_machine(tracked: list[Path]) -> None:
    files = {path: path.read_bytes() for path in tracked}
    texts = {path: data.decode(errors="ignore") for path, data in files.items() if b"\0" not in data}
    paths = {
        path: match.group().strip() for path, text in texts.items() if (match := MACHINE_PATH.search(text))
    }
    assert paths == {}


@pytest.mark.parametrize("folder", PRIVATE)
@pytest.mark.parametrize("text", ["open('{path}')", "{path}", "cd {path}", "DATA={path}", "a line\n{path}"])
def test_a_machine_path_is_noticed(folder: str, text: str) -> None:
    assert MACHINE_PATH.search(text.format(path=f"/{folder}/name"))


@pytest.mark.parametrize("folder", PRIVATE)
@pytest.mark.parametrize("text", ["https://example.org{path}", "..{path}", "a{path}", "/usr{path}"])
def test_a_path_of_no_machine_is_accepted(folder: str, text: str) -> None:
    assert not MACHINE_PATH.search(text.format(path=f"/{folder}/name"))


def test_a_fresh_torch_is_accepted_by_spaces_and_named_in_the_readme() -> None:
    assert "torch>=2.8,<=2.13.0" in (ROOT / "requirements.txt").read_text().split()
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert "A fresh `.venv` gets torch 2.13.0" in readme
    assert "keeps a torch from 2.8 on, even one newer than 2.13.0" in readme
    assert "`pip install -r requirements.txt` replaces a newer one" in readme


@pytest.mark.parametrize("name", REQUIREMENTS)
def test_requirements_name_no_index_or_machine(name: str) -> None:
    lines = [line.split("#")[0].strip() for line in (ROOT / name).read_text().splitlines()]
    options = [line for line in lines if line.startswith("-")]
    assert all(re.fullmatch(r"-r requirements(-\w+)?\.txt", option) for option in options)
