"""`make bench`: a table for people; the last line is one JSON object."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from typing import Any

from tests.benchmarks import classroom, corpus, decoding, evaluation, inspect, load, page, translation, zoo

MEASUREMENTS: dict[str, Callable[[], tuple[list[dict[str, Any]], dict[str, float]]]] = {
    "decoding": decoding.measure,
    "corpus": corpus.measure,
    "translation": translation.measure,
    "zoo": zoo.measure,
    "inspect": inspect.measure,
    "page": page.measure,
}
COLUMNS = ("ours ms", "theirs ms", "ratio")


def main() -> None:
    """Run the measurements one after the other, since two at once would slow each other."""
    if sys.argv[1:2] == ["load"]:  # takes minutes and has its own options
        load.main(sys.argv[2:])
        return
    if sys.argv[1:2] == ["class"]:
        classroom.main(sys.argv[2:])
        return
    if sys.argv[1:2] == ["evaluate"]:
        evaluation.main(sys.argv[2:])
        return
    if sys.argv[1:2] == ["training"]:
        from tests.benchmarks import training  # asks for accelerate, which the others do without

        training.main(sys.argv[2:])
        return
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument(
        "only",
        nargs="*",
        help=f"some of {', '.join(MEASUREMENTS)}; default: all; or load, class, evaluate or training",
    )
    names = parser.parse_args().only or list(MEASUREMENTS)
    figures: dict[str, float] = {}
    print(f"{'':32}" + "".join(f"{name:>12}" for name in COLUMNS))
    for name in names:
        rows, results = MEASUREMENTS[name]()
        figures |= results
        print("\n".join(_lines(rows)), flush=True)
    print(json.dumps({name: round(value, 4) for name, value in figures.items()}))


def _lines(rows: Sequence[dict[str, Any]]) -> list[str]:
    cells = (("" if name not in row else f"{row[name]:.2f}" for name in COLUMNS) for row in rows)
    return [
        f"{row['what']:32}" + "".join(f"{cell:>12}" for cell in line)
        for row, line in zip(rows, cells, strict=True)
    ]


if __name__ == "__main__":
    main()
