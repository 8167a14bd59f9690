"""`python -m models.corpus.public NAME [--output FOLDER]`: prepare a public corpus and print its counts."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from models.corpus.pairs import DataError
from models.corpus.public.catalogue import CORPORA
from models.corpus.public.download import ProgressLines
from models.corpus.public.prepare import line_counts, prepare


def main() -> int:
    """Exit code 0, or 1 with one sentence on standard error."""
    parser = argparse.ArgumentParser(prog="python -m models.corpus.public", description=__doc__)
    parser.add_argument("name", metavar="NAME", help=", ".join(CORPORA))
    parser.add_argument(
        "--output", type=Path, help="folder to write (default: NAME in the cache, see UNROLLED_CORPORA)"
    )
    options = parser.parse_args()
    try:
        folder = prepare(options.name, output=options.output, progress=ProgressLines(sys.stderr))
        counts = line_counts(folder)
    except DataError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped; nothing was left behind", file=sys.stderr)
        return 130
    print(f"{options.name}: {folder}")
    for file, count in counts.items():
        print(f"{file}: {count:,} pairs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
