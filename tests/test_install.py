"""Installation: a fresh .venv gets the torch that Spaces accept, and a .venv with a newer torch keeps it.

The tests run `pip --dry-run` on empty packages that stand in for the real ones, so they need no network.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pip
import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
LISTS = [*ROOT.glob("requirements*.txt"), ROOT / "tests" / "benchmarks" / "requirements-bench.txt"]
PYTHON = ".venv/bin/python"
PIP = (PYTHON, "-m", "pip", "install")
SCRIPT = (PYTHON, ".ci/install.py")
# Versions of torch: those that ZeroGPU accepts (https://huggingface.co/docs/hub/spaces-zerogpu), and others.
ZERO_GPU_VERSIONS = ("2.8.0", "2.9.1", "2.10.0", "2.11.0", "2.12.1", "2.13.0")
ON_OFFER = (*ZERO_GPU_VERSIONS, "2.9.0", "2.12.0", "2.13.1", "2.14.0", "2.15.0")

pytestmark = pytest.mark.slow


def metadata(name: str, version: str) -> str:
    return f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"


class Project:
    """A copy of the Makefile and the requirements, with a .venv that holds all packages but torch."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.wheels = folder, folder / "wheels"
        for path in (ROOT / "Makefile", ROOT / ".ci" / "install.py", *LISTS):
            copy = folder / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
        venv.create(folder / ".venv", symlinks=True)
        (self.packages,) = (folder / ".venv").rglob("site-packages")
        (self.packages / "pip").symlink_to(Path(pip.__file__).parent)
        for path in LISTS:
            for line in path.read_text(encoding="utf-8").splitlines():
                if re.match(r"\w", line) and not line.startswith("torch>"):
                    self.install(line.split("#")[0])
        self.wheels.mkdir()
        for version in ON_OFFER:
            self.offer(version)

    def install(self, requirement: str) -> None:
        """Make pip believe that the oldest version allowed by the requirement is installed."""
        package = Requirement(requirement)
        version = next((bound.version for bound in package.specifier if bound.operator in {">=", "=="}), "1")
        folder = self.packages / f"{package.name.replace('-', '_')}-{version}.dist-info"
        folder.mkdir(exist_ok=True)
        (folder / "METADATA").write_text(metadata(package.name, version), encoding="utf-8")

    def offer(self, version: str) -> None:
        """Offer pip an empty torch of this version."""
        with zipfile.ZipFile(self.wheels / f"torch-{version}-py3-none-any.whl", "w") as wheel:
            folder = f"torch-{version}.dist-info"
            wheel.writestr(f"{folder}/METADATA", metadata("torch", version))
            wheel.writestr(f"{folder}/WHEEL", "Wheel-Version: 1.0\n")

    def would_install(self, *command: str) -> list[str]:
        """Return the packages that pip would install during a command, for example torch-2.13.0."""
        # Settings of pip on this machine must not matter.
        variables = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
        variables |= {"PIP_CONFIG_FILE": os.devnull, "PIP_DRY_RUN": "1", "PIP_NO_INDEX": "1"}
        variables |= {"PIP_FIND_LINKS": str(self.wheels)}
        done = subprocess.run(command, cwd=self.folder, env=variables, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return [name for line in re.findall(r"Would install (.*)", done.stdout) for name in line.split()]

    def would_make(self, target: str) -> list[str]:
        """Return the packages that `make` would install for a target."""
        return self.would_install("make", f"PYTHON={sys.executable}", f".venv/{target}")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_a_fresh_demo_and_a_space_get_the_newest_torch_that_zero_gpu_accepts(project: Project) -> None:
    newest = [f"torch-{ZERO_GPU_VERSIONS[-1]}"]
    assert project.would_make("has-requirements") == newest
    assert project.would_install(*PIP, "-r", "requirements.txt") == newest


def test_make_keeps_a_newer_torch_for_the_app_its_tests_and_benchmarks(project: Project) -> None:
    project.install("torch==2.15.0+cu130")
    assert project.would_make("has-requirements-bench") == []


def test_the_oldest_torch_is_kept_without_make(project: Project) -> None:
    project.install("torch==2.8.0")
    assert project.would_install(*SCRIPT) == []


def test_a_torch_that_is_too_old_is_replaced(project: Project) -> None:
    project.install("torch==2.7.1")
    assert project.would_install(*SCRIPT) == ["torch-2.13.0"]


def test_pip_alone_replaces_a_newer_torch_as_the_readme_says(project: Project) -> None:
    project.install("torch==2.15.0")
    assert project.would_install(*PIP, "-r", "requirements.txt") == ["torch-2.13.0"]


def test_pip_alone_keeps_a_newer_torch_when_installing_additional_requirements(project: Project) -> None:
    project.install("torch==2.15.0")
    assert project.would_install(*PIP, "-r", "requirements-hub.txt", "-r", "requirements-mcp.txt") == []
