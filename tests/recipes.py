"""The recipes of CONTRIBUTING.md, and copies of the project in which they have been followed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.documents import ROOT, Document

GUIDE = Document(ROOT / "CONTRIBUTING.md")
RECIPE = re.compile(r"^### (.+)$", re.M)
EXAMPLE = re.compile(r"^`([\w./]+)`(?:, above (?:the last )?`([^`]+)`)?:\n\n```\w+\n(.*?)^```$", re.M | re.S)


@dataclass(frozen=True)
class Example:
    """A whole file, or lines of a file, as an example in the guide."""

    path: str  # relative to the project
    above: str  # start of the line above which the example goes, the last such line; "" for a new file
    code: str

    def write(self, project: Path) -> None:
        """Write the example into a project. Raises ValueError for a missing line or an existing file."""
        file = project / self.path
        if file.suffix == ".json" and file.exists():  # add to a catalogue of translations
            catalogue = json.loads(file.read_text(encoding="utf-8"))
            merged = {**catalogue, **json.loads(self.code)}
            file.write_text(json.dumps(merged, ensure_ascii=False), encoding="utf-8")
        elif self.above:
            before, line, after = file.read_text(encoding="utf-8").rpartition(self.above)
            if not line:
                raise ValueError(f"{self.path} has no line {self.above!r}")
            file.write_text(f"{before}{self.code}{line}{after}", encoding="utf-8")
        elif file.exists():
            raise ValueError(f"{self.path} is there already")
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(self.code, encoding="utf-8")


def recipes() -> dict[str, str]:
    """Return the text of each recipe by its title."""
    _, *parts = RECIPE.split(GUIDE.section("Recipes"))
    return dict(zip(parts[::2], parts[1::2], strict=True))


def examples(*titles: str) -> list[Example]:
    """Return the examples of the given recipes, or of all."""
    texts = [text for title, text in recipes().items() if not titles or title in titles]
    return [Example(*groups) for text in texts for groups in EXAMPLE.findall(text)]


def copy_project(to: Path, *titles: str) -> Path:
    """Copy the project, without the journeys, and follow the given recipes there, or all."""
    for folder in ("models", "demo", "tests"):
        shutil.copytree(ROOT / folder, to / folder, ignore=shutil.ignore_patterns("__pycache__", "browser"))
    for file in ("pyproject.toml", "app.py"):
        shutil.copy(ROOT / file, to)
    (to / "checkpoints").mkdir()
    for folder in (ROOT / "checkpoints").iterdir():
        (to / "checkpoints" / folder.name).symlink_to(folder)
    for example in examples(*titles):
        example.write(to)
    return to


def trained_copy(to: Path) -> Path:
    """Copy the project, follow all recipes, and train and add the checkpoint of the last one."""
    project = copy_project(to)
    run(
        project,
        "-m",
        "models.training",
        "--config",
        "recipe.json",
        "--output",
        "runs/mine",
        "--device",
        "cpu",
    )
    shutil.copytree(project / "runs" / "mine" / "best", project / "checkpoints" / "reverse-short")
    shutil.copy(project / "recipe.json", project / "checkpoints" / "reverse-short")
    return project


def run(project: Path, *arguments: str, **variables: str) -> str:
    """Run Python in a project and return its output. Fails with its error messages."""
    environment = {**os.environ, "PYTHONPATH": str(project), **variables}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout
