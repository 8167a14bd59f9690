"""`python -m demo.static --output FOLDER`: write the page without a server, or check such a folder.

Any web server can serve the folder, under any path. Each checkpoint decodes in the reader's browser.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from demo.static.python_files import PYODIDE
from demo.static.site.check import problems, report
from demo.static.site.checkpoints import ALL
from demo.static.site.folder import write_folder
from models.registry.card import CheckpointError
from models.registry.name import UnknownCheckpointError
from models.registry.registry import Registry


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the folder unless it is only checked; print its sizes, and end with an error for each problem."""
    options = _parser().parse_args(arguments)
    if not (options.check or PYODIDE.is_dir()):
        sys.exit("Pyodide, which the folder needs, is missing: run npm ci first.")
    try:
        if not options.check:
            write_folder(options.output, Registry(options.registry), options.checkpoints)
    except (UnknownCheckpointError, CheckpointError) as error:
        sys.exit(str(error))
    sys.stdout.write(report(options.output))
    if faults := problems(options.output):
        sys.exit("\n".join(faults))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m demo.static", description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("site"), help="folder to write (default: site)")
    parser.add_argument("--checkpoints", nargs="*", default=[], metavar="NAME", help=f"names, or {ALL}")
    parser.add_argument(
        "--registry", type=Path, default=Path("checkpoints"), help="folder of the checkpoints"
    )
    parser.add_argument("--check", action="store_true", help="only check the folder, and print its sizes")
    return parser


if __name__ == "__main__":
    main()
