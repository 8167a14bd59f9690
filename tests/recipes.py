"""The recipes of CONTRIBUTING.md, and a copy of the project in which they have been followed."""

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
    """A file, or lines of one, as the guide has it."""

    path: str  # relative to the project
    above: str  # the last line of the file that begins so, above which it stands; "" for a file of its own
    code: str

    def write(self, project: Path) -> None:
        """Put it where it belongs. Raises ValueError for a line that is not there, or a file that is."""
        file = project / self.path
        if file.suffix == ".json" and file.exists():  # a catalogue of translations
            known = json.loads(file.read_text(encoding="utf-8"))
            together = {**known, **json.loads(self.code)}
            file.write_text(json.dumps(together, ensure_ascii=False), encoding="utf-8")
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
    """The text of each recipe by its title."""
    _, *parts = RECIPE.split(GUIDE.section("Recipes"))
    return dict(zip(parts[::2], parts[1::2], strict=True))


def examples(*titles: str) -> list[Example]:
    """Those of some recipes, of all by default."""
    chosen = [text for title, text in recipes().items() if not titles or title in titles]
    return [Example(*found) for text in chosen for found in EXAMPLE.findall(text)]


def copy_project(to: Path, *titles: str) -> Path:
    """A copy without the journeys, in which these recipes, all by default, have been followed."""
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
    """A copy after all recipes, in which the checkpoint of the last recipe has been trained and added."""
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
    """Run Python in a project and return what it prints. Fails with its complaints."""
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
