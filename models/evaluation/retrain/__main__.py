"""`python -m models.evaluation.retrain --checkpoint NAME --training FILE.tsv --source TEXT --wanted TEXT`.

It proposes training pairs that may have caused a wrong output, by their lines in the file. Then it fine-tunes
the checkpoint with all pairs and, from the same weights, without the first ten proposed pairs, without named
lines, or with corrected ones, and compares the outputs of both for this source and for held-out pairs. A
checkpoint of a generated task needs no file: its training pairs are generated again.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from models.corpus.files.reading import add_columns
from models.corpus.generated.all_tasks import TASKS
from models.corpus.pairs import DataError, Pair
from models.decoding.options import DecodingOptions
from models.decoding.outputs import translate
from models.device import resolve_device
from models.evaluation.command import max_output_length, read_data
from models.evaluation.fresh import TaskRecipe, fresh_pairs, task_recipe, training_pairs
from models.evaluation.retrain.arms import BOTH_ARMS, Changes, ExperimentTestSet
from models.evaluation.retrain.experiment import Experiment, result_json
from models.evaluation.retrain.fine_tuning import FineTuningSettings, check_trainable
from models.evaluation.retrain.propose import WrongOutput, propose
from models.evaluation.retrain.words import plan_line, progress_line, result_lines, table_lines
from models.registry.card import CheckpointError
from models.registry.checkpoint import Checkpoint
from models.registry.registry import Registry, UnknownCheckpointError

DEFAULT_DROPPED, DEFAULT_HELD_OUT = 10, 100  # pairs
PROGRESS_SECONDS = 2.0  # between two lines of progress
INTERRUPTED = 130  # the exit status of a program that was stopped by Ctrl+C


@dataclass(frozen=True)
class TrainingPairs:
    """Training pairs with their lines, and held-out pairs if the data include some."""

    lines: tuple[int, ...]  # the lines of each pair, from 1
    pairs: tuple[Pair, ...]
    held_out: tuple[Pair, ...] = ()


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status: 0, or 1 with one sentence on standard error."""
    try:
        _run(_parser().parse_args(arguments))
    except (CheckpointError, UnknownCheckpointError, DataError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("Stopped.\n")
        return INTERRUPTED
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m models.evaluation.retrain", description=__doc__)
    parser.add_argument("--checkpoint", required=True, help="the checkpoint whose output is wrong")
    parser.add_argument(
        "--start",
        help="the checkpoint that both arms start from (default: --checkpoint)",
    )
    parser.add_argument("--training", type=Path, help="a table: TSV, CSV, JSON Lines or TMX")
    add_columns(parser)
    parser.add_argument("--source", required=True, help="the text whose output is wrong")
    parser.add_argument("--wanted", required=True, help="the right output")
    selection = parser.add_mutually_exclusive_group()
    selection.add_argument(
        "--drop",
        type=int,
        default=DEFAULT_DROPPED,
        metavar="N",
        help="drop the first N proposed pairs (default 10)",
    )
    selection.add_argument("--lines", metavar="3,17", default="", help="drop these lines of the file instead")
    parser.add_argument(
        "--correct",
        nargs=2,
        action="append",
        default=[],
        metavar=("LINE", "TARGET"),
        help="give a line another target instead of dropping it; may be repeated, also with --lines",
    )
    parser.add_argument(
        "--held-out", type=int, default=DEFAULT_HELD_OUT, metavar="N", help="largest number of held-out pairs"
    )
    parser.add_argument(
        "--steps", type=int, default=FineTuningSettings.steps, help="training steps of each arm (default 100)"
    )
    parser.add_argument("--learning-rate", type=float, default=FineTuningSettings.learning_rate)
    parser.add_argument("--seed", type=int, default=FineTuningSettings.seed)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--root", type=Path, default=Path("checkpoints"))
    return parser


def _run(options: argparse.Namespace) -> None:
    """Run the command. Raises DataError, CheckpointError, UnknownCheckpointError, ValueError."""
    started = time.monotonic()
    settings = FineTuningSettings(options.steps, learning_rate=options.learning_rate, seed=options.seed)
    _check(options)
    registry, device = Registry(options.root), resolve_device(options.device)
    checkpoint = registry.load(options.checkpoint, device)
    start = registry.load(options.start, device) if options.start else checkpoint
    for network in (checkpoint, start):
        check_trainable(network)
    training = _training(checkpoint, registry.folder(options.checkpoint), options)
    dropped, corrected = (
        _dropped_indices(training, options.lines),
        _corrected_pairs(training, options.correct),
    )
    wrong = _wrong(checkpoint, options)
    _say(f"{options.checkpoint} writes: {wrong.output}", f"wanted: {wrong.wanted}")
    proposal = propose(checkpoint, training.pairs, wrong, max(DEFAULT_DROPPED, options.drop))
    _say(*table_lines(proposal, training.lines))
    proposed = () if dropped or corrected else (pair.index for pair in proposal.pairs[: options.drop])
    changes = Changes(frozenset((*dropped, *proposed)), corrected)
    if not changes.dropped and not corrected:
        raise ValueError("no training pair has anything to do with the wrong output: name some with --lines")
    if training.held_out:
        test_set = ExperimentTestSet(wrong, training.held_out)
        experiment = Experiment(training.pairs, changes, test_set, settings)
    else:
        experiment = Experiment.with_held_out(training.pairs, changes, wrong, options.held_out, settings)
    _say(plan_line(experiment))
    result = _experiment(experiment, start)
    _say(*result_lines(result), f"{time.monotonic() - started:.0f} s in all, on {device}")


def _check(options: argparse.Namespace) -> None:
    """Raise ValueError for options that cannot be used."""
    for name in ("source", "wanted"):
        if not getattr(options, name).strip():
            raise ValueError(f"--{name} is empty: give a text")
    if options.drop < 1:
        raise ValueError(f"--drop must be at least 1; got {options.drop}")
    if options.held_out < 0:
        raise ValueError(f"--held-out must be at least 0; got {options.held_out}")


def _training(checkpoint: Checkpoint, folder: Path, options: argparse.Namespace) -> TrainingPairs:
    """The training pairs. Raises DataError, and ValueError if there are none."""
    config = checkpoint.config
    if options.training is not None:
        selection = read_data(options.training, options, checkpoint).select()
        return TrainingPairs(selection.lines, selection.pairs)
    if config.task not in TASKS:
        raise ValueError(f"checkpoint {checkpoint.name!r} needs --training, a TSV file of its training pairs")
    pairs = training_pairs(config.task, task_recipe(folder) or TaskRecipe())
    held_out = fresh_pairs(checkpoint, folder, options.held_out).pairs if options.held_out else ()
    return TrainingPairs(tuple(range(1, len(pairs) + 1)), pairs, held_out)


def _wrong(checkpoint: Checkpoint, options: argparse.Namespace) -> WrongOutput:
    greedy = DecodingOptions("greedy", max_length=max_output_length(checkpoint))
    (output,) = translate(checkpoint.model, checkpoint.tokenizer, [options.source], greedy)
    return WrongOutput(options.source, output, options.wanted)


def _dropped_indices(training: TrainingPairs, lines: str) -> list[int]:
    """The indices of the lines "3,17". Raises ValueError."""
    if wrong := [text for text in lines.split(",") if lines and not text.strip().isdecimal()]:
        raise ValueError(f"--lines takes numbers with commas between them, such as 3,17; got {wrong[0]!r}")
    return [_index(training, int(text)) for text in lines.split(",") if lines]


def _corrected_pairs(training: TrainingPairs, corrections: Sequence[Sequence[str]]) -> dict[int, Pair]:
    """The pairs with their new targets, by index. Raises ValueError."""
    corrected: dict[int, Pair] = {}
    for line, target in corrections:
        if not line.isdecimal() or not target.strip():
            raise ValueError(f"--correct takes a line and a text, such as 17 'hi'; got {line!r} {target!r}")
        index = _index(training, int(line))
        corrected[index] = training.pairs[index][0], target
    return corrected


def _index(training: TrainingPairs, line: int) -> int:
    """The index of the pair in a line. Raises ValueError."""
    if line not in training.lines:
        raise ValueError(f"line {line:,} holds no training pair; the last is {training.lines[-1]:,}")
    return training.lines.index(line)


def _experiment(experiment: Experiment, start: Checkpoint) -> dict[str, object]:
    started = printed = time.monotonic()
    for progress in experiment.run(start):
        if progress.result is not None:
            return result_json(experiment, progress.result)
        seconds = time.monotonic()
        if seconds - printed >= PROGRESS_SECONDS:
            printed = seconds
            _say(progress_line(progress, BOTH_ARMS * experiment.settings.steps, seconds - started))
    raise AssertionError("an experiment ends with its result")


def _say(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
