"""`python -m models.inspection.neighbours --checkpoint NAME --pairs FILE.tsv`: store the states of a network.

The page then shows the nearest of them. If the command was stopped, the same command goes on from there.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from models.corpus.files.reading import add_columns, hints_of, read_pairs
from models.corpus.generated.all_tasks import TASKS, generate
from models.corpus.pairs import DataError, Pair
from models.device import resolve_device
from models.environment import SettingError, read
from models.inspection.neighbours import StateSettings
from models.inspection.neighbours.states import MAX_STORED_STEPS
from models.inspection.neighbours.store import Report, StateStoreError, store_states
from models.networks.packed import pack_linears
from models.registry.card import CheckpointError
from models.registry.checkpoint import Checkpoint
from models.registry.name import CheckpointName, UnknownCheckpointError
from models.registry.registry import Registry

PAIRS_SEED = 11
INTERRUPTED_STATUS = 130  # a shell's exit status for Ctrl+C


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the progress; the last line says what is stored and where."""
    options = _parser().parse_args(arguments)
    try:
        root = options.store or read(StateSettings).root
        checkpoint = Registry(options.checkpoints).load(options.checkpoint, resolve_device(options.device))
        if precision := CheckpointName.of(options.checkpoint).precision:
            pack_linears(checkpoint.model, precision)  # the page computes with packed weights, too
        pairs = _pairs(checkpoint, options)
        index = store_states(root, checkpoint, pairs, _progress(), options.most)
    except (UnknownCheckpointError, CheckpointError, DataError, SettingError, StateStoreError) as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.stderr.write("Stopped. The same command goes on from here.\n")
        sys.exit(INTERRUPTED_STATUS)
    left_out = f"; {index.left_out:,} pairs left out" if index.left_out else ""
    sys.stdout.write(f"{index.steps:,} steps of {index.pairs:,} sentences kept in {root}{left_out}\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m models.inspection.neighbours", description=__doc__)
    parser.add_argument("--checkpoint", required=True)
    parser.add_argument(
        "--checkpoints", type=Path, default=Path("checkpoints"), help="folder of the checkpoints"
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--pairs", type=Path, help="a table: TSV, CSV, JSON Lines or TMX")
    source.add_argument("--generated", type=int, metavar="N", help="pairs of a generated task")
    add_columns(parser)
    parser.add_argument("--most", type=int, default=MAX_STORED_STEPS, help="largest number of stored steps")
    parser.add_argument("--store", type=Path, help="folder of the stored states (default: UNROLLED_STATES)")
    parser.add_argument("--device", default="auto")
    return parser


def _pairs(checkpoint: Checkpoint, options: argparse.Namespace) -> tuple[Pair, ...]:
    """The pairs that the arguments choose. Raises DataError."""
    config = checkpoint.config
    if options.pairs is not None:
        return read_pairs(options.pairs, hints_of(options, config.hints))
    if config.task not in TASKS:
        raise DataError(
            "pairs_needed",
            "the pairs of {checkpoint} cannot be generated: give --pairs, a TSV file of them",
            checkpoint=checkpoint.name,
        )
    return generate(config.task, options.generated, random.Random(PAIRS_SEED))


def _progress() -> Report:
    started = time.monotonic()

    def report(part: int, parts: int, steps: int) -> None:
        seconds = time.monotonic() - started
        sys.stdout.write(f"part {part} of {parts}: {steps:,} steps, {seconds:.0f} s\n")
        sys.stdout.flush()

    return report


if __name__ == "__main__":
    main()
