"""`make bench-training`: target tokens per second of the project's recipes and of two peers.

All sides train in turn, in short windows on the same invented pairs. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Protocol

import torch

from models.device import resolve_device, synchronize, use_threads
from models.networks.config import NetworkConfig
from models.networks.recurrent.config import RecurrentConfig
from models.networks.transformer.config import TransformerConfig
from models.tokenization.tokenizer import Tokenizer
from models.training.loop.data import Corpus, TrainingData
from models.training.loop.meter import Meter
from models.training.loop.optimizer import averaged
from models.training.loop.process_group import Group
from models.training.loop.setup import build_network
from models.training.loop.update import Updater
from models.training.recipe.config import DataConfig, TrainingConfig
from models.training.saved.resume_state import RunProgress
from tests.benchmarks.training_data import invented, spread
from tests.benchmarks.training_peers import HIDDEN, MAX_LENGTH, TUTORIAL_BATCH, HuggingFace, Tutorial

GRU_RECIPE = Path(__file__).parents[2] / "checkpoints" / "spa-eng-gru" / "recipe.json"
TRANSFORMER_VOCAB, TUTORIAL_VOCAB = 8000, 3000
PAIRS, BATCHES = 20_000, 4
TUTORIAL_PAIRS = 100 * TUTORIAL_BATCH
STEPS = 10_000  # length of the whole run, which determines the learning rate
ROUNDS, WINDOW = 6, 3.0  # seconds
BUDGET = 170.0  # seconds for all rounds; a busy machine makes fewer of them, but at least two
AIMS = {"hugging_face": 2.5, "tutorial": 4.0}


class Side(Protocol):
    """A training loop to measure."""

    tokens: int  # target tokens of one pass, without padding
    parameters: int

    def run(self) -> float:
        """Make one pass over the batches and return its seconds."""
        ...


class Ours:
    """Our training loop between two evaluations, on `count` batches of a corpus."""

    def __init__(
        self, config: TrainingConfig, corpus: Corpus, tokenizer: Tokenizer, device: torch.device, count: int
    ) -> None:
        self.config, self.device = config, device
        self.data = TrainingData(config, corpus, tokenizer)
        batches = list(self.data.epoch(0))
        self.batches = spread(batches, [len(ids) for ids in self.data.targets], count) if count else batches
        self.tokens = sum(self.data.target_tokens(batch) for batch in self.batches)
        self.model = build_network(config, tokenizer.vocab_size, None).to(device)
        self.parameters = self.model.num_parameters()
        self.averaged = averaged(self.model, config.optimizer.average_decay)
        self.updater = Updater(config, self.model, self.data, Group(), STEPS)
        self.progress = RunProgress()
        self.meter = Meter(self.progress, Group(), config.optimizer.clip_norm, STEPS)

    def run(self) -> float:
        started = time.perf_counter()
        for indices in self.batches:
            losses = self.updater.update(indices, self.progress, print)
            if self.averaged is not None:
                self.averaged.update_parameters(self.model)
            self.progress.step += 1
            self.meter.add(losses)
            if self.progress.step % self.config.report_every == 0:
                self.meter.report()
        synchronize(self.device)
        return time.perf_counter() - started


@dataclass
class Row:
    """A row of the table: a side, and the row with which it is compared."""

    what: str
    side: Side
    peer_of: int | None = None  # the row of ours that it is compared with
    key: str = ""


def main() -> None:
    """Build all sides, train them in turn and print the results."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.training", description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    arguments = parser.parse_args()
    use_threads(arguments.threads)
    torch.manual_seed(0)
    device = resolve_device()
    rows = _rows(device)
    for row in rows:
        row.side.run()  # does not count: fills caches and compiles kernels
    rates: list[list[float]] = []
    started = time.perf_counter()
    while len(rates) < arguments.rounds and (len(rates) < 2 or time.perf_counter() - started < BUDGET):
        rates.append([_rate(row.side) for row in rows])
    figures = _print_table(rows, rates)
    if device.type != "cpu":
        figures |= _print_utilisation(rows, figures, device)
    print(json.dumps({name: round(value, 4) for name, value in figures.items()}))


def _rows(device: torch.device) -> list[Row]:
    recipe = TrainingConfig.load(GRU_RECIPE)
    gru = Ours(recipe, *invented(recipe.tokenizer.vocab_size, PAIRS), device, BATCHES)
    transformer = Ours(_config(TransformerConfig()), *invented(TRANSFORMER_VOCAB, PAIRS), device, BATCHES)
    network = RecurrentConfig(
        d_embed=HIDDEN, d_model=HIDDEN, bidirectional=False, d_attention=HIDDEN, dropout=0.1
    )
    pairs = invented(TUTORIAL_VOCAB, TUTORIAL_PAIRS, MAX_LENGTH - 1)  # without the end token
    small = Ours(_config(network), *pairs, device, 0)
    tutorial = Tutorial(small.data.sources, small.data.targets, TUTORIAL_VOCAB, device)
    theirs = _fastest_hugging_face(transformer, device)
    return [
        Row("ours: Spanish GRU", gru, key="gru"),
        Row("ours: Spanish Transformer", transformer, key="transformer"),
        Row(f"Hugging Face, {theirs.title}", theirs, 1, "hugging_face"),
        Row("ours: the tutorial's size", small, key="tutorial_size"),
        Row("the tutorial's loop", tutorial, 3, "tutorial"),
    ]


def _config(network: NetworkConfig) -> TrainingConfig:
    return TrainingConfig(name="benchmark", data=DataConfig(), network=network)


def _fastest_hugging_face(ours: Ours, device: torch.device) -> HuggingFace:
    """Return the trainer with the precision and attention that are fastest on this machine."""
    network = ours.config.network
    assert isinstance(network, TransformerConfig)
    batches = [ours.data.batch(indices, 0) for indices in ours.batches]

    def build(bf16: bool, attention: str, count: int) -> HuggingFace:
        return HuggingFace(network, ours.model.vocab_size, batches[:count], device, bf16, attention)

    settings = [(bf16, attention) for bf16 in (False, True) for attention in ("eager", "sdpa")]
    # Build the fastest one again, because the settings of one trainer affect later ones in the process.
    return build(*min(settings, key=lambda setting: build(*setting, 2).run()), BATCHES)


def _rate(side: Side) -> float:
    """Return the tokens per second of as many passes as fill the window."""
    passes, seconds = 0, 0.0
    while seconds < WINDOW:
        seconds += side.run()
        passes += 1
    return passes * side.tokens / seconds


def _print_table(rows: list[Row], rates: list[list[float]]) -> dict[str, float]:
    figures = {}
    columns = ("tokens/s", "parameters", "ours / it", "least", "most", "aim")
    print(f"{f'{len(rates)} rounds':40}" + "".join(f"{name:>12}" for name in columns))
    for column, row in enumerate(rows):
        rate = median(window[column] for window in rates)
        figures[f"train_tokens_per_second_{row.key}"] = rate
        cells = [f"{rate:,.0f}", f"{row.side.parameters:,}"]
        if row.peer_of is not None:
            ratios = [window[row.peer_of] / window[column] for window in rates]
            figures[f"train_ratio_{row.key}"] = median(ratios)
            cells += [f"{value:.2f}" for value in (median(ratios), min(ratios), max(ratios), AIMS[row.key])]
        print(f"{row.what:40}" + "".join(f"{cell:>12}" for cell in cells), flush=True)
    return figures


def _print_utilisation(rows: list[Row], figures: dict[str, float], device: torch.device) -> dict[str, float]:
    """Print the share of the device's measured bf16 peak, at 6 operations per parameter and target token.

    The shared embedding table of both recipes counts once, as the output layer.
    """
    peak, shares = _peak(device), {}
    for row in rows[:2]:
        operations = 6 * row.side.parameters * figures[f"train_tokens_per_second_{row.key}"]
        shares[f"train_flop_utilisation_{row.key}"] = operations / peak
        print(f"{row.what:40}{operations / peak:>12.1%} of {peak / 1e12:.0f} TFLOP/s in bf16")
    return shares


def _peak(device: torch.device, width: int = 8192, count: int = 20) -> float:
    """Return the operations per second of a large product in bf16, the best of five trials."""
    left, right = (torch.randn(width, width, device=device, dtype=torch.bfloat16) for _ in range(2))
    seconds = []
    for _ in range(6):  # the first trial warms up
        synchronize(device)
        started = time.perf_counter()
        for _ in range(count):
            left @ right
        synchronize(device)
        seconds.append((time.perf_counter() - started) / count)
    return 2 * width**3 / min(seconds)


if __name__ == "__main__":
    main()
