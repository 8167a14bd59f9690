"""`python -m models.evaluation --checkpoint NAME [--data FILE.tsv]`: metrics as JSON on the last line.

With `--report FILE.html`, FILE.json or FILE.csv it compares one to four systems on a test set in every way:
`--checkpoint NAME --checkpoint NAME:strategy=greedy --data FILE`.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from models.corpus.generated.shapes import SHAPES, scene_pair
from models.corpus.pairs import DataError, Pair
from models.decoding.decode import decode
from models.decoding.options import DecodingOptions
from models.evaluation import command
from models.evaluation.beam_widths.width_curves import width_curves
from models.evaluation.evaluate import Scores, anti_diagonal_share, evaluate, shape_attention
from models.evaluation.report.command import DATA_WRITERS, add_report_options, write_reports
from models.evaluation.report.evaluation_report import EvaluationReport, as_json
from models.evaluation.segments import segments_of_pairs
from models.evaluation.systems import System
from models.registry.card import CheckpointError
from models.registry.checkpoint import Checkpoint
from models.registry.registry import Registry, UnknownCheckpointError

MAX_TRACED = 500  # sources whose attention is measured


def _page(report: EvaluationReport, title: str) -> str:
    """The page of a report, which the demo writes."""
    from demo.evaluate.parts.html_report import to_html

    return to_html(report, title)


WRITERS = {".html": _page, **DATA_WRITERS}


def main() -> int:
    """The exit status: 0, or 1 with one sentence on standard error."""
    options = _parser().parse_args()
    try:
        if options.report:
            write_reports(options, WRITERS)
            return 0
        if len(options.checkpoint) > 1:
            raise ValueError("several checkpoints are compared in a report: add --report FILE.html")
        if not options.checkpoint:
            raise ValueError("name a checkpoint: --checkpoint NAME")
        options.checkpoint = options.checkpoint[0]
        registry = Registry(options.root)
        checkpoint = command.load(registry, options.checkpoint, options)
        folder = registry.folder(options.checkpoint)
        pairs = _pairs(checkpoint, folder, options)
        scores = evaluate(checkpoint, pairs, command.decoding_options(options, checkpoint))
        result = _flat(scores)
        if checkpoint.config.task == "reversal" and checkpoint.model.attention_shape is not None:
            result["anti_diagonal"] = round(_anti_diagonal(checkpoint, pairs), 2)
        if options.widths:
            result["width_curves"] = _curves(checkpoint, pairs, options)
        if checkpoint.tokenizer.picture is not None and options.data is None:
            result |= _shape_attention(checkpoint, command.task_recipe(folder) or command.TaskRecipe())
    except (CheckpointError, UnknownCheckpointError, DataError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{options.checkpoint}: {scores.sources:,} sources, {scores.strategy}, {scores.seconds:.1f} s")
    print(json.dumps(result))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = command.build_parser("python -m models.evaluation", __doc__)
    parser.add_argument("--checkpoint", action="append", default=[], help="NAME, or NAME:setting=value,...")
    parser.add_argument("--pairs", type=int, default=2000, help="how many to generate without --data")
    add_report_options(parser, WRITERS)
    return parser


def _pairs(checkpoint: Checkpoint, folder: Path, options: argparse.Namespace) -> tuple[Pair, ...]:
    if options.data is not None:
        return command.file_pairs(checkpoint, options)
    pairs, description = command.fresh_pairs(checkpoint, folder, options.pairs)
    print(f"{options.checkpoint}: {description}")
    return pairs


def _flat(scores: Scores) -> dict[str, object]:
    flat = asdict(scores)
    flat |= flat.pop("metrics")
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in flat.items()}


def _curves(
    checkpoint: Checkpoint, pairs: tuple[Pair, ...], options: argparse.Namespace
) -> list[dict[str, Any]]:
    """The curves of the same search over the beam widths, without its outputs; prints their findings."""
    system = System(options.checkpoint, checkpoint, command.decoding_options(options, checkpoint))
    curves = width_curves([system], segments_of_pairs(pairs), options.widths)
    for sentence in (sentence for curve in curves for sentence in curve.findings):
        print(sentence)
    return [{name: value for name, value in as_json(curve).items() if name != "outputs"} for curve in curves]


def _anti_diagonal(checkpoint: Checkpoint, pairs: tuple[Pair, ...]) -> float:
    greedy = DecodingOptions("greedy", max_length=command.max_output_length(checkpoint))
    return anti_diagonal_share(
        decode(checkpoint.model, checkpoint.tokenizer, source, greedy) for source, _ in pairs[:MAX_TRACED]
    )


def _shape_attention(checkpoint: Checkpoint, recipe: command.TaskRecipe) -> dict[str, float]:
    rng, max_shapes = random.Random(command.FRESH_SEED), SHAPES.check(recipe.options)["shapes"]
    greedy = DecodingOptions("greedy", max_length=command.max_output_length(checkpoint))
    scenes = [scene_pair(rng, max_shapes) for _ in range(MAX_TRACED)]
    traces = (decode(checkpoint.model, checkpoint.tokenizer, picture, greedy) for _, (picture, _) in scenes)
    assert checkpoint.tokenizer.picture is not None
    pairs = zip(traces, (scene for scene, _ in scenes), strict=True)
    result = shape_attention(pairs, checkpoint.tokenizer.picture)
    return {} if result is None else {name: round(value, 2) for name, value in asdict(result).items()}


if __name__ == "__main__":
    torch.set_grad_enabled(False)
    sys.exit(main())
