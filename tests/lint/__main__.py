"""Prints every breach of the rules, or of those of some rooms: `python -m tests.lint repository.files`."""

from __future__ import annotations

import gc
import sys

from tests.lint.project import Project
from tests.lint.rooms import rules


def main() -> int:
    """Return the exit status: 1 if a rule is broken."""
    gc.disable()  # the syntax trees stay until the end
    project = Project.on_disk()
    breaches = sorted({breach for rule in rules(*sys.argv[1:]) for breach in rule(project)})
    for breach in breaches:
        print(breach)
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
