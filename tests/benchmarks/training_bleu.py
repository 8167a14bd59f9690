"""The time of a translator from scratch to a BLEU of 50, with pairs that the caller has."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import torch

from models.corpus.files.columns import Hints
from models.corpus.files.reading import read_pairs
from models.decoding.options import DecodingOptions
from models.evaluation.command import max_output_length
from models.evaluation.evaluate import evaluate
from models.registry.checkpoint import load_checkpoint
from models.training.events import EvaluationCompleted, TrainingEvent
from models.training.loop.setup import RunFolders
from models.training.loop.trainer import train
from models.training.recipe.config import TrainingConfig

RECIPE = Path(__file__).parents[2] / "checkpoints" / "spa-eng-transformer" / "recipe.json"
GOAL = 50.0


def large_batches(config: TrainingConfig) -> TrainingConfig:
    """The recipe in steps that fill a GPU, on the corpus alone, with a greedy BLEU after every 200 steps."""
    return replace(
        config,
        data=replace(config.data, casual_sources=0.0, supplement=""),
        optimizer=replace(config.optimizer, learning_rate=2e-3, warmup_steps=400, average_decay=0.998),
        batch_tokens=8192,
        evaluate_every=200,
        decode_valid=500,
    )


class BleuWatch:
    """The seconds and the best BLEU on the validation pairs since a run was started."""

    def __init__(self, goal: float, most_seconds: float) -> None:
        self.goal, self.most_seconds = goal, most_seconds
        self.started = time.perf_counter()
        self.step, self.bleu, self.reached_after = 0, 0.0, None

    def add(self, event: TrainingEvent) -> None:
        """Note an evaluation."""
        if isinstance(event, EvaluationCompleted) and event.bleu is not None and event.bleu > self.bleu:
            self.step, self.bleu = event.step, event.bleu
            if self.bleu >= self.goal and self.reached_after is None:
                self.reached_after = time.perf_counter() - self.started

    def is_over(self) -> bool:
        """Whether the goal is reached or the time is up."""
        return self.reached_after is not None or time.perf_counter() - self.started > self.most_seconds


def time_to_bleu(data: Path | None, seconds: float, device: torch.device) -> dict[str, float]:
    """Train on `eng-spa` in the folder `data`, print what was reached within `seconds`, and return it."""
    what = f"from scratch to BLEU {GOAL:.0f}"
    if data is None:
        print(f"{what:40}not measured: it needs the corpus eng-spa, whose folder --data names")
        return {}
    with TemporaryDirectory() as folder:
        watch = BleuWatch(GOAL, seconds)
        config = large_batches(TrainingConfig.load(RECIPE))
        folders = RunFolders(Path(folder), data=data)
        best = train(config, watch.add, folders, device=device, should_stop=watch.is_over)
        checkpoint = load_checkpoint(best, device)
    detail = f"greedily {watch.bleu:.1f} on 500 validation pairs at step {watch.step:,}"
    if watch.reached_after is None:
        print(f"{what:40}not reached in {seconds:.0f} s: {detail}")
    else:
        print(f"{what:40}{watch.reached_after:.1f} s: {detail}")
    options = DecodingOptions("beam", beam_size=4, max_length=max_output_length(checkpoint))
    pairs = read_pairs(data / "test.tsv", Hints(swap=config.data.swap))
    test = evaluate(checkpoint, pairs, options).metrics.bleu
    print(f"{'its BLEU on test.tsv, beam 4':40}{test:.1f}", flush=True)
    figures = {"train_bleu_valid": watch.bleu, "train_bleu_test": test}
    if watch.reached_after is not None:
        figures[f"train_seconds_to_bleu_{GOAL:.0f}"] = watch.reached_after
    return figures
