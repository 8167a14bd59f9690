"""`--report` of the command line: runs the systems on the test set and writes the files, also as CSV."""

from __future__ import annotations

import argparse
import csv
import io
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from models.decoding.options import settings
from models.decoding.search.strategy import MAX_PARALLEL_OUTPUTS
from models.device import resolve_device
from models.errors import Message
from models.evaluation.beam_widths.curve import DEFAULT_WIDTHS
from models.evaluation.beam_widths.width_curves import width_curves
from models.evaluation.command import decoding_options, fresh_pairs, load, read_data
from models.evaluation.report.build import OnActivity, build_report, count_words
from models.evaluation.report.evaluation_report import EvaluationReport, as_json
from models.evaluation.run import EvaluationProgress, results_of_columns, run
from models.evaluation.segments import MAX_SYSTEMS, Segments, segments_of_pairs, segments_of_table
from models.evaluation.systems import System
from models.registry.registry import Registry
from models.training.process_group import Group, process_group
from models.whole_file import write_whole

Write = Callable[[EvaluationReport, str], str]
DATA_WRITERS: dict[str, Write] = {
    ".json": lambda report, title: json.dumps(
        {"title": title, **as_json(report)}, ensure_ascii=False, indent=1
    ),
    ".csv": lambda report, title: to_csv(report),
}
PROGRESS_SECONDS = 2.0  # between two lines of progress
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet reads a text with such a start as a formula
SYSTEM_COLUMNS = ("checkpoint", "decoding")
WIDTH_COLUMNS = ("output", "score", "chrf")  # columns of each beam width of a curve
# The heading of each column of a system, and the field with its values.
OUTPUT_COLUMNS = {"output": "output", "chrf": "chrf", "doubt": "mean_nll", "score": "score"}
OUTPUT_COLUMNS |= {name: name for name in ("reference_score", "cause", "evidence")}


def add_report_options(parser: argparse.ArgumentParser, writers: Mapping[str, Write]) -> None:
    """Add the options that only a report needs, which `writers` write by the end of a file's name."""
    group = parser.add_argument_group("report", "with --checkpoint up to four times, and --data")
    kinds = ", ".join(writers)
    group.add_argument("--report", type=Path, action="append", default=[], help=f"a file: {kinds}")
    group.add_argument(
        "--training", type=Path, help="training pairs, which show the words that were seen in training"
    )
    group.add_argument(
        "--changes",
        type=int,
        default=0,
        metavar="N",
        help="change the sources of the first N segments, and compare the outputs",
    )
    group.add_argument(
        "--widths",
        nargs="?",
        type=_widths,
        const=DEFAULT_WIDTHS,
        default=(),
        metavar="1,2,4",
        help=f"run the same searches at these beam widths too (alone: {','.join(map(str, DEFAULT_WIDTHS))})",
    )
    group.add_argument("--title", default="", help="title of the report")


def _widths(text: str) -> tuple[int, ...]:
    low, high = 1, MAX_PARALLEL_OUTPUTS
    try:
        widths = sorted({int(part) for part in text.split(",")})
    except ValueError:
        widths = []
    if len(widths) < 2 or not low <= widths[0] <= widths[-1] <= high:
        raise argparse.ArgumentTypeError(
            f"give two or more widths of {low} to {high}, such as 1,4,16; got {text}"
        )
    return tuple(widths)


def write_reports(options: argparse.Namespace, writers: Mapping[str, Write]) -> None:
    """Run the systems and write each file. Raises ValueError, DataError, CheckpointError."""
    for path in options.report:
        if path.suffix not in writers:
            raise ValueError(f"a report is a file of {', '.join(writers)}; got {path}")
        if not path.parent.is_dir():
            raise ValueError(f"{path} cannot be written: there is no folder {path.parent}")
    with process_group(resolve_device(options.device)) as (group, device):
        options.device = str(device)
        report = _report(options, group)
        if not group.is_first:
            return
    _write(report, options.title or report.title, options.report, writers)


def _write(report: EvaluationReport, title: str, paths: Sequence[Path], writers: Mapping[str, Write]) -> None:
    """Write each file; if none can be written, print the report as JSON. Raises ValueError."""
    reasons = []
    for path in paths:
        try:
            write_whole(path, writers[path.suffix](report, title))
            sys.stdout.write(f"{path}\n")
        except OSError as error:
            reasons.append(f"{path} cannot be written ({error.strerror})")
    if len(reasons) == len(paths):
        sys.stdout.write(DATA_WRITERS[".json"](report, title) + "\n")
        reasons.append("the report was printed as JSON")
    if reasons:
        raise ValueError("; ".join(reasons))


def _report(options: argparse.Namespace, group: Group) -> EvaluationReport:
    systems = _systems(options)
    segments = _segments(options, systems)
    on_progress: Callable[[EvaluationProgress], None] = _printer() if group.is_first else _silent
    on_activity: OnActivity = _activity_printer(_printer()) if group.is_first else _silent
    results = run(systems, segments, on_progress, group) if systems else results_of_columns(segments)
    sources, targets = _training(options, systems)
    report = build_report(
        results,
        training_sources=sources,
        training_targets=targets,
        on_activity=on_activity,
        group=group,
        changes=options.changes,
    )
    widths = _activity_printer(_printer()) if group.is_first else _silent
    return replace(report, width_curves=width_curves(systems, segments, options.widths, widths, group))


def _systems(options: argparse.Namespace) -> list[System]:
    """The systems of `--checkpoint`. Raises ValueError for too many and for an unknown setting."""
    if len(options.checkpoint) > MAX_SYSTEMS:
        raise ValueError(f"at most {MAX_SYSTEMS} systems are compared; got {len(options.checkpoint)}")
    registry = Registry(options.root)
    return [_system(registry, text, options) for text in options.checkpoint]


def _system(registry: Registry, text: str, options: argparse.Namespace) -> System:
    name, _, settings_text = text.partition(":")
    system_options = argparse.Namespace(**vars(options))
    for part in filter(None, settings_text.split(",")):
        key, _, value = part.partition("=")
        if key not in settings():
            raise ValueError(f"{text}: there is no setting {key!r}; there are {', '.join(settings())}")
        setattr(system_options, key, settings()[key].kind(value))
    checkpoint = load(registry, name, options)
    return System(text, checkpoint, decoding_options(system_options, checkpoint))


def _segments(options: argparse.Namespace, systems: list[System]) -> Segments:
    """The test set. Raises DataError, and ValueError if there is no test set."""
    first = systems[0].checkpoint if systems else None
    if options.data is not None:
        reading = read_data(options.data, options, first)
        return segments_of_table(reading.table, reading.columns)
    if first is None:
        raise ValueError("give a test set: --data FILE")
    folder = Registry(options.root).folder(first.name)
    return segments_of_pairs(fresh_pairs(first, folder, options.pairs)[0])


def _training(
    options: argparse.Namespace, systems: list[System]
) -> tuple[Counter[str] | None, Counter[str] | None]:
    """The number of occurrences of each word in the sources and in the targets of the training data."""
    if options.training is None:
        return None, None
    first = systems[0].checkpoint if systems else None
    pairs = read_data(options.training, options, first).select().pairs
    languages = first.config.hints.languages if first else ("", "")
    sources, targets = zip(*pairs, strict=True)
    return count_words(sources, languages[0]), count_words(targets, languages[1])


def _printer() -> Callable[[EvaluationProgress], None]:
    """A listener that prints the progress of a run every two seconds."""
    last_time = 0.0

    def on_progress(progress: EvaluationProgress) -> None:
        nonlocal last_time
        if time.monotonic() - last_time < PROGRESS_SECONDS:
            return
        last_time = time.monotonic()
        left_text = "" if progress.seconds_left is None else f", {progress.seconds_left:.0f} s left"
        sys.stderr.write(f"{progress.share:4.0%} {progress.activity}{left_text}\n")

    return on_progress


def _activity_printer(on_progress: Callable[[EvaluationProgress], None]) -> OnActivity:
    started = time.monotonic()

    def on_activity(activity: Message, share: float) -> None:
        seconds_left = (time.monotonic() - started) * (1 - share) / share if share > 0.02 else None
        on_progress(EvaluationProgress(share, activity, seconds_left))

    return on_activity


def _silent(*_: object) -> None:
    """Print nothing: only the first process of a group reports its progress."""


def to_csv(report: EvaluationReport) -> str:
    """A row for each segment; the headings of a system's columns begin with its name.

    Every row ends with the checkpoints, their decoding, the date and the number of segments.
    """
    names = report.names
    scores = list(report.rows[0].scores)
    widths = [
        (f"{curve.system}, beam width {width}", outputs)
        for curve in report.width_curves
        for width, outputs in curve.outputs.items()
    ]
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(
        [safe(head) for head in ("line", "source", "references", *scores)]
        + [safe(f"{name}: {column}") for name in names for column in OUTPUT_COLUMNS]
        + [safe(f"{name}: {column}") for name, _ in widths for column in WIDTH_COLUMNS]
        + [safe(f"{name}: {column}") for name in names for column in SYSTEM_COLUMNS]
        + ["date", "segments"]
    )
    decodings = (text for system in report.systems for text in (system.checkpoint, system.decoding_in_full))
    constants = [*map(safe, decodings), report.date, str(report.segments)]
    for index, row in enumerate(report.rows):
        first = [row.line, safe(row.source), safe(" ||| ".join(row.references))]
        numbers = [row.scores[name] for name in scores]
        cells = [
            _cell(getattr(row.systems[name], field)) for name in names for field in OUTPUT_COLUMNS.values()
        ]
        cells += [_cell(getattr(outputs[index], column)) for _, outputs in widths for column in WIDTH_COLUMNS]
        writer.writerow([*first, *numbers, *cells, *constants])
    return file.getvalue()


def safe(text: str) -> str:
    """The text, after an apostrophe if a spreadsheet would take it for a formula (OWASP, CSV injection)."""
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


def _cell(value: object) -> object:
    return safe(value) if isinstance(value, str) else value
