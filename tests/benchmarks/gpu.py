"""`python -m tests.benchmarks.gpu [--data FOLDER]`: all that only a GPU can show, in eight minutes.

The tests marked gpu, the benchmark of training, and a translator with its BLEU. A part that exceeds its time
is ended, so that the next has its turn.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from models.device import available_devices

MAX_SECONDS = 480  # seconds of all parts together
BLEU_SECONDS = 90


def parts(device: str, data: Path | None) -> dict[str, tuple[int, list[str]]]:
    """The most seconds and the module with its arguments of each part, by its title."""
    corpus = [] if data is None else ["--data", str(data)]
    benchmark = ["tests.benchmarks", "training", "--rounds", "3"]
    return {
        "tests marked gpu": (
            170,
            ["pytest", "-q", "-p", "no:cacheprovider", "-m", "gpu", "--device", device, "tests/models"],
        ),
        "benchmark, and a run with its BLEU": (
            310,
            [*benchmark, "--bleu-seconds", str(BLEU_SECONDS), *corpus],
        ),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the parts in turn and print the seconds of each; the exit status is that of the worst."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.gpu", description=__doc__)
    parser.add_argument("--data", type=Path, help="folder of the corpus eng-spa")
    options = parser.parse_args(arguments)
    device = available_devices()[0]
    if device == "cpu":
        print("There is no GPU here, and nothing else is measured.")
        return 1
    worst = 0
    for title, (seconds, module) in parts(device, options.data).items():
        started = time.perf_counter()
        try:
            status = subprocess.run(
                [sys.executable, "-u", "-m", *module], timeout=seconds, check=False
            ).returncode
        except subprocess.TimeoutExpired:
            status = 124
        worst = max(worst, abs(status))
        print(f"== {title}: exit status {status} after {time.perf_counter() - started:.0f} s", flush=True)
    return worst


if __name__ == "__main__":
    sys.exit(main())
