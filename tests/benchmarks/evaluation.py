"""`python -m tests.benchmarks evaluate`: 2,000 pairs and two systems, from the test set to the report.

Without `--data` the pairs are generated dates; sentences take longer.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path

import torch

from models.corpus.files.reading import read_pairs
from models.decoding.options import DecodingOptions
from models.evaluation.command import fresh_pairs, max_output_length
from models.evaluation.report.build import build_report
from models.evaluation.run import run
from models.evaluation.segments import Segments, segments_of_pairs
from models.evaluation.systems import System
from models.networks.packed import pack_linears
from models.registry.registry import Registry

PAIRS = 2000
AIM_SECONDS = 60


def main(arguments: Sequence[str]) -> None:
    """Print the seconds for decoding with scoring and for the rest of the report, then JSON."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks evaluate", description=__doc__)
    parser.add_argument("--checkpoint", nargs=2, default=["dates-transformer"] * 2)
    parser.add_argument("--data", type=Path, help="two tab-separated columns, in the checkpoint's order")
    options = parser.parse_args(arguments)
    registry = Registry(Path("checkpoints"))
    systems = [_system(registry, name, number) for number, name in enumerate(options.checkpoint, 1)]
    segments = _segments(registry, systems[0], options.data)
    began = time.perf_counter()
    results = run(systems, segments)
    decoded = time.perf_counter()
    build_report(results)
    ended = time.perf_counter()
    figures = {"run": decoded - began, "report": ended - decoded, "all": ended - began}
    for name, seconds in figures.items():
        print(f"{name:8}{seconds:8.1f} s")
    print(f"{len(segments)} segments, {torch.get_num_threads()} threads; aim of run: {AIM_SECONDS} s")
    print(json.dumps({name: round(value, 2) for name, value in figures.items()}))


def _system(registry: Registry, name: str, number: int) -> System:
    checkpoint = registry.load(name, torch.device("cpu"))
    pack_linears(checkpoint.model, "fp16")
    options = DecodingOptions("beam", beam_size=4, max_length=max_output_length(checkpoint))
    return System(f"{number}: {name}", checkpoint, options)


def _segments(registry: Registry, system: System, data: Path | None) -> Segments:
    checkpoint = system.checkpoint
    if data is None:
        return segments_of_pairs(fresh_pairs(checkpoint, registry.folder(checkpoint.name), PAIRS)[0])
    return segments_of_pairs(read_pairs(data, checkpoint.config.hints)[:PAIRS])
