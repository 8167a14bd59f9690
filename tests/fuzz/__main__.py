"""Call the page at random and print the calls that failed; exit with 1 if there are any.

    python -m tests.fuzz --seed 1 --count 300

A call fails if it gets no answer or one with a status of 500 or more, or if the server logs an error or
prints a traceback meanwhile.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from tests.fakes.servers.hub_server import FakeHub

# Limits that keep calls short; the page reads them when it is imported.
SMALL = {
    "UNROLLED_DEADLINE": "1",
    "UNROLLED_MAX_CHARACTERS": "100",
    "UNROLLED_MAX_OUTPUT_TOKENS": "20",
    "UNROLLED_MAX_BEAM_SIZE": "8",
    "UNROLLED_MAX_SAMPLES": "16",
    "HF_HUB_DISABLE_XET": "1",
    "GRADIO_ANALYTICS_ENABLED": "False",
    "OMP_NUM_THREADS": "1",
}
FOLDERS = ("HF_HOME", "UNROLLED_CORPORA", "XDG_CACHE_HOME", "HOME", "GRADIO_TEMP_DIR")  # variables


def main() -> int:
    """Run the calls and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300, help="calls; default: %(default)s")
    options = parser.parse_args()
    server = FakeHub()
    with tempfile.TemporaryDirectory(prefix="unrolled-fuzz-") as folder:
        os.environ.update(SMALL)
        os.environ.update({"HF_ENDPOINT": server.url, "UNROLLED_CORPORA_URL": server.url})
        os.environ.update(dict.fromkeys(FOLDERS, folder))
        from tests.fuzz.driver import drive  # after the settings above

        outcome = drive(options.seed, options.count, Path(folder), server)
    server.close()
    for failure in outcome.failures:
        print(failure, end="\n\n")
    print(f"Seed {options.seed}: {options.count} calls, {len(outcome.failures)} failed. {outcome.summary()}")
    return 1 if outcome.failures else 0


if __name__ == "__main__":
    sys.exit(main())
