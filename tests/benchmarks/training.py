"""`python -m tests.benchmarks training`: target tokens per second of the project's recipes and of two peers.

All sides train in turn, in short windows on the same invented pairs. With `--data` a translator is trained to
a BLEU of 50. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Protocol

import torch

from demo.training.work.workload import OPERATIONS
from models.corpus.pairs import Split
from models.device import device_title, gains_from_bf16, resolve_device, synchronize, use_threads
from models.networks.config import NetworkConfig
from models.networks.recurrent.config import RecurrentConfig
from models.networks.transformer.config import TransformerConfig
from models.tokenization.tokenizer import Tokenizer
from models.training.data.training_data import TrainingData
from models.training.loop.resume_state import RunProgress
from models.training.loop.setup import build_network
from models.training.loop.update import Updater
from models.training.loop.validation import Meter
from models.training.process_group import Group
from models.training.recipe.config import TrainingConfig
from models.training.recipe.sections import DataConfig
from tests.benchmarks.training_bleu import time_to_bleu
from tests.benchmarks.training_data import invented, spread
from tests.benchmarks.training_peers import (
    HIDDEN,
    MAX_LENGTH,
    TUTORIAL_BATCH,
    HuggingFace,
    TrainerSettings,
    Tutorial,
)

GRU_RECIPE = Path(__file__).parents[2] / "checkpoints" / "spa-eng-gru" / "recipe.json"
TRANSFORMER_VOCAB, TUTORIAL_VOCAB = 8000, 3000
PAIRS = 20_000
BATCHES, CPU_BATCHES = 4, 1  # of a pass; two slow cores train on one batch in nine seconds
TUTORIAL_BATCHES = 25  # of the tutorial, for each of our batches
STEPS = 10_000  # length of the whole run, which determines the learning rate
ROUNDS, WINDOW = 6, 3.0  # seconds
BLEU_SECONDS = 240.0
BUDGET = 170.0  # seconds for all rounds; a busy machine makes fewer of them, but at least two
AIMS = {"hugging_face": 2.5, "hugging_face_collator": 2.5, "tutorial": 4.0}


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
        self, config: TrainingConfig, corpus: Split, tokenizer: Tokenizer, device: torch.device, count: int
    ) -> None:
        self.config, self.device = config, device
        self.data = TrainingData(config, corpus, tokenizer, device)
        batches = list(self.data.epoch(0))
        self.batches = spread(batches, [len(ids) for ids in self.data.targets], count) if count else batches
        self.tokens = sum(self.data.target_tokens(batch) for batch in self.batches)
        self.model = build_network(config, tokenizer.vocab_size, None).to(device)
        self.parameters = self.model.num_parameters()
        self.updater = Updater(config, self.model, self.data, Group(), STEPS)
        self.progress = RunProgress()
        self.meter = Meter(self.progress, Group(), config.optimizer.clip_norm, STEPS)

    def run(self) -> float:
        started = time.perf_counter()
        for indices in self.batches:
            losses = self.updater.update(indices, self.progress, print)
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


def main(arguments: Sequence[str]) -> None:
    """Build all sides, train them in turn and print the results."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks training", description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument(
        "--compile",
        action=argparse.BooleanOptionalAction,
        help="the trainer with torch_compile too; by default on a GPU, because a CPU takes many minutes",
    )
    parser.add_argument(
        "--data", type=Path, help="folder of the corpus eng-spa, for the time to a BLEU of 50"
    )
    parser.add_argument("--bleu-seconds", type=float, default=BLEU_SECONDS, help="for that at most")
    options = parser.parse_args(arguments)
    use_threads(options.threads)
    torch.manual_seed(0)
    device = resolve_device()
    print(f"on {device_title(device)}")
    rows = _rows(device, CPU_BATCHES if device.type == "cpu" else BATCHES)
    for row in rows:
        print(f"warming up: {row.what}", flush=True)
        row.side.run()  # does not count: fills caches and compiles kernels
    rates: list[list[float]] = []
    started = time.perf_counter()
    while len(rates) < options.rounds and (len(rates) < 2 or time.perf_counter() - started < BUDGET):
        rates.append([_rate(row.side) for row in rows])
    figures = _print_table(rows, rates)
    if device.type != "cpu":
        figures |= _print_utilisation(rows, figures, device)
    figures |= time_to_bleu(options.data, options.bleu_seconds, device)
    if options.compile is None:
        options.compile = device.type != "cpu"
    if options.compile:
        figures |= _print_compiled(rows, device)
    else:
        print(f"{'Hugging Face, torch_compile':40}left out; --compile measures it")
    print(json.dumps({name: round(value, 4) for name, value in figures.items()}))


def _rows(device: torch.device, batches: int) -> list[Row]:
    recipe = TrainingConfig.load(GRU_RECIPE)
    gru = Ours(recipe, *invented(recipe.tokenizer.vocab_size, PAIRS), device, batches)
    transformer = Ours(_config(TransformerConfig()), *invented(TRANSFORMER_VOCAB, PAIRS), device, batches)
    network = RecurrentConfig(
        d_embed=HIDDEN, d_model=HIDDEN, bidirectional=False, d_attention=HIDDEN, dropout=0.1
    )
    size = TUTORIAL_BATCHES * batches * TUTORIAL_BATCH
    pairs = invented(TUTORIAL_VOCAB, size, MAX_LENGTH - 1)  # without the end token
    small = Ours(_config(network), *pairs, device, 0)
    tutorial = Tutorial(small.data.sources, small.data.targets, TUTORIAL_VOCAB, device)
    fastest = _fastest_settings(transformer, device)
    collated = replace(fastest, collator=True)
    return [
        Row("ours: Spanish GRU", gru, key="gru"),
        Row("ours: Spanish Transformer", transformer, key="transformer"),
        Row(f"Hugging Face, {fastest.title}", _hugging_face(transformer, device, fastest), 1, "hugging_face"),
        Row(
            f"Hugging Face, {collated.title}",
            _hugging_face(transformer, device, collated),
            1,
            "hugging_face_collator",
        ),
        Row("ours: the tutorial's size", small, key="tutorial_size"),
        Row("the tutorial's loop", tutorial, 4, "tutorial"),
    ]


def _config(network: NetworkConfig) -> TrainingConfig:
    return TrainingConfig(name="benchmark", data=DataConfig(), network=network)


def _hugging_face(
    ours: Ours, device: torch.device, settings: TrainerSettings, count: int | None = None
) -> HuggingFace:
    """Return the trainer on the first `count` of our batches, or on all."""
    network = ours.config.network
    assert isinstance(network, TransformerConfig)
    batches = [ours.data.batch(indices, 0) for indices in ours.batches[:count]]
    return HuggingFace(network, ours.model.vocab_size, batches, device, settings)


def _fastest_settings(ours: Ours, device: torch.device) -> TrainerSettings:
    """Return the precision and the attention with which the trainer is fastest on this machine."""
    # The row builds its trainer again, because the settings of one trainer affect later ones in the process.
    # A processor that only emulates bfloat16 would need minutes for a single batch.
    precisions = (False, True) if gains_from_bf16(device) else (False,)
    settings = [TrainerSettings(bf16, attention) for bf16 in precisions for attention in ("eager", "sdpa")]
    return min(settings, key=lambda setting: _hugging_face(ours, device, setting, 2).run())


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
        operations = OPERATIONS * row.side.parameters * figures[f"train_tokens_per_second_{row.key}"]
        shares[f"train_flop_utilisation_{row.key}"] = operations / peak
        print(f"{row.what:40}{operations / peak:>12.1%} of {peak / 1e12:.0f} TFLOP/s in bf16")
    return shares


def _print_compiled(rows: list[Row], device: torch.device) -> dict[str, float]:
    """Print the pace of the trainer with `torch_compile`: one pass, since each call would compile again."""
    ours, peer = rows[1].side, rows[2].side
    assert isinstance(ours, Ours)
    assert isinstance(peer, HuggingFace)
    settings = replace(peer.settings, compiled=True)
    started = time.perf_counter()
    try:
        theirs = _hugging_face(ours, device, settings)
        rate = theirs.tokens / theirs.run()
    except Exception as error:  # whatever a compiler fails of, such as headers that are missing
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        print(f"{f'Hugging Face, {settings.title}':40}does not work here: {reason[:200]}")
        return {}
    detail = f"in one pass after compiling, {time.perf_counter() - started:.0f} s in all"
    print(f"{f'Hugging Face, {settings.title}':40}{rate:>12,.0f} {detail}", flush=True)
    return {"train_tokens_per_second_hugging_face_compiled": rate}


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
