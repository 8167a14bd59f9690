"""Behind “This in PyTorch”: for each lab a short program that prints the numbers that the lab shows at first.

They are shown, not imported: to run one takes torch and nothing of this project.
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent / "pytorch"


def script_of(lab: str) -> str:
    """Return the program of a lab, empty if there is none; `lab` is the name of a lab that exists."""
    path = FOLDER / f"{lab}.py"
    return path.read_text(encoding="utf-8") if path.is_file() else ""
