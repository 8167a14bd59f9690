"""Installs lists of packages with pip, but keeps the torch that is there: python .ci/install.py [LIST ...].

pip alone would replace a torch newer than the newest that `requirements.txt` allows for the sake of Spaces.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

APP = "requirements.txt"
OLDEST_TORCH = re.compile(r"torch>=([\d.]+)")


def main() -> int:
    """Return pip's exit status."""
    lists = [Path(name) for name in sys.argv[1:] or (APP,)]
    packages = dict.fromkeys(line for path in lists for line in _lines(path))
    requirements = [line for line in packages if not _is_torch_to_keep(line)]
    return subprocess.call(
        [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", *requirements]
    )


def _lines(path: Path) -> Iterator[str]:
    """The requirements in a list and in the lists that it includes."""
    for line in path.read_text(encoding="utf-8").splitlines():
        requirement = line.split("#")[0].strip()
        if requirement.startswith("-r "):
            yield from _lines(path.parent / requirement.removeprefix("-r "))
        elif requirement:
            yield requirement


def _is_torch_to_keep(requirement: str) -> bool:
    """Whether the requirement is torch's and the installed torch is not too old for it."""
    oldest = OLDEST_TORCH.match(requirement)
    if oldest is None:
        return False
    try:
        installed = version("torch")
    except PackageNotFoundError:
        return False
    return _release(installed) >= _release(oldest[1])


def _release(text: str) -> tuple[int, ...]:
    """2.15.0+cu130 as (2, 15, 0)."""
    return tuple(map(int, re.match(r"[\d.]*\d", text)[0].split(".")))


if __name__ == "__main__":
    sys.exit(main())
