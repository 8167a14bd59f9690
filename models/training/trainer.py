"""The training loop. Speaks in typed events; knows no process and no user interface."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from models.batch import Batch
from models.device import (
    gains_from_bf16,
    gains_from_chunked_loss,
    has_fused_optimizer,
    training_autocast,
)
from models.networks.base import Seq2SeqModel
from models.networks.config import build_model, network_dict
from models.registry.checkpoint import Checkpoint, CheckpointConfig, save_checkpoint
from models.tokenization import Tokenizer
from models.training.config import OptimizerConfig, TrainingConfig
from models.training.data import Corpus, TrainingData, load_corpus
from models.training.events import CheckpointSaved, Emit, RunFinished, RunStarted
from models.training.loss import chunked_cross_entropy, cross_entropy
from models.training.meter import Meter
from models.training.state import STATE, Progress, load_state, save_state
from models.training.validation import Validator

LAST, BEST = "last", "best"


class TrainingError(RuntimeError):
    """A run that cannot go on; the message says what to change."""


def train(
    config: TrainingConfig,
    emit: Emit,
    *,
    output: Path,
    device: torch.device,
    data_folder: Path = Path(),
    recipe_folder: Path = Path(),
    resume: bool = False,
    should_stop: Callable[[], bool] = lambda: False,
) -> Path:
    """Run to the end, or until `should_stop`; returns the folder of the best checkpoint.

    The recipe's files are relative to `data_folder`, its supplement to `recipe_folder`.
    Writes `output/best`, `output/last` (both checkpoints) and `output/state.safetensors`, from which
    `resume` goes on. A run that is stopped before its first evaluation has no best: then it is the last.
    Raises DataError, ConfigError, TokenizerError, StateError, TrainingError or OSError; the caller turns
    them into events.
    """
    torch.manual_seed(config.seed)
    resume = resume and (output / STATE).exists()
    run = _Run(
        config, load_corpus(config.data, data_folder, config.seed, recipe_folder), output, device, resume
    )
    if resume:
        run.progress = load_state(output, run.model, run.averaged, run.optimizer)
    emit(run.started())
    config.save(output / "recipe.json")
    run.loop(emit, should_stop)
    emit(RunFinished(run.progress.step, run.progress.seconds, run.progress.target_tokens))
    return output / (BEST if math.isfinite(run.progress.best_loss) else LAST)


class _Run:
    """The moving parts of one run."""

    def __init__(
        self, config: TrainingConfig, corpus: Corpus, output: Path, device: torch.device, resume: bool
    ) -> None:
        output.mkdir(parents=True, exist_ok=True)
        self.config, self.corpus, self.output, self.device = config, corpus, output, device
        self.tokenizer = _tokenizer(config, corpus, output / "tokenizer.json", resume)
        self.data = TrainingData(config, corpus, self.tokenizer)
        vocab_size = self.tokenizer.vocab_size
        self.model = build_model(config.network, vocab_size, Tokenizer.pad_id).to(device)
        settings = config.optimizer
        self.averaged = (
            AveragedModel(self.model, multi_avg_fn=get_ema_multi_avg_fn(settings.average_decay))
            if settings.average_decay
            else None
        )
        self.optimizer = torch.optim.AdamW(
            self.model.parameters(),
            betas=(0.9, settings.beta2),
            weight_decay=settings.weight_decay,
            fused=has_fused_optimizer(device),
        )
        self.validator = Validator(config, corpus.valid, self.tokenizer, device)
        self.steps_per_epoch = len(list(self.data.epoch(0)))
        self.total_steps = self.steps_per_epoch * config.epochs
        self.progress = Progress()

    def started(self) -> RunStarted:
        return RunStarted(
            name=self.config.name,
            parameters=self.model.num_parameters(),
            vocab_size=self.tokenizer.vocab_size,
            train_pairs=len(self.data.targets),
            valid_pairs=len(self.corpus.valid),
            total_steps=self.total_steps,
            device=self.device.type,
            resumed_at=self.progress.step,
        )

    def loop(self, emit: Emit, should_stop: Callable[[], bool]) -> None:
        meter = Meter(self.progress)
        while self.progress.epoch < self.config.epochs:
            batches = list(self.data.epoch(self.progress.epoch))
            for indices in batches[self.progress.batch :]:
                meter.add(*self._update(indices))
                if self.progress.step % self.config.report_every == 0:
                    self._report(meter, emit)
                if self.progress.step % self.config.evaluate_every == 0:
                    self._report(meter, emit)  # so that no clock runs while the model is judged
                    self._evaluate(emit)
                    meter.restart()
                if should_stop() or self._out_of_patience():
                    self._report(meter, emit)
                    self._save_last(emit)
                    return
            self.progress.epoch, self.progress.batch = self.progress.epoch + 1, 0
        self._report(meter, emit)
        if self.progress.step % self.config.evaluate_every:  # else it was judged just now
            self._evaluate(emit)

    def _report(self, meter: Meter, emit: Emit) -> None:
        """Emit what was measured since the last report, if there is anything. Raises TrainingError."""
        if not meter.losses:
            return
        event = meter.report(self.progress, self.optimizer.param_groups[0]["lr"])
        if not math.isfinite(event.loss + event.gradient_norm):
            raise TrainingError(
                f"the loss is no longer a number at step {event.step}: lower optimizer.learning_rate "
                "or optimizer.clip_norm, or lengthen optimizer.warmup_steps"
            )
        emit(event)

    def _update(self, indices: list[int]) -> tuple[Tensor, Tensor, int]:
        """One optimizer step; returns loss and gradient norm still on the device, and the tokens."""
        batch = self.data.batch(indices, self.progress.epoch).to(self.device)
        settings = self.config.optimizer
        tokens = batch.num_tokens
        self.model.train()
        with training_autocast(self.device, settings.bf16):
            loss = training_loss(self.model, batch, settings) / tokens
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        norm = nn.utils.clip_grad_norm_(self.model.parameters(), settings.clip_norm)
        for group in self.optimizer.param_groups:
            group["lr"] = self._learning_rate()
        self.optimizer.step()
        if self.averaged is not None:
            self.averaged.update_parameters(self.model)
        self.progress.step += 1
        self.progress.batch += 1
        self.progress.target_tokens += tokens
        return loss.detach(), norm, tokens

    def _learning_rate(self) -> float:
        return learning_rate(self.config.optimizer, self.progress.step + 1, self.total_steps)

    def _out_of_patience(self) -> bool:
        return 0 < self.config.patience <= self.progress.evaluations_without_gain

    def _evaluate(self, emit: Emit) -> None:
        """Judge the averaged weights where there are any: they are what the checkpoint holds."""
        model = self._judged()
        result = self.validator.evaluate(model, self.progress, emit)
        if result.best:
            self._save(BEST, model, emit)
        self._save_last(emit)

    def _judged(self) -> Seq2SeqModel:
        model = self.model if self.averaged is None else self.averaged.module
        assert isinstance(model, Seq2SeqModel)
        return model

    def _save_last(self, emit: Emit) -> None:
        save_state(self.output, self.progress, self.model, self.averaged, self.optimizer)
        self._save(LAST, self._judged(), emit)

    def _save(self, kind: str, model: Seq2SeqModel, emit: Emit) -> None:
        config, folder = self.config, self.output / kind
        description = CheckpointConfig(
            network=network_dict(config.network),
            vocab_size=self.tokenizer.vocab_size,
            task=config.data.task,
            source_language=config.data.source_language,
            target_language=config.data.target_language,
            examples=config.examples,
            max_length=config.max_length,
            swapped_columns=config.data.swap,
        )
        save_checkpoint(folder, Checkpoint(config.name, description, self.tokenizer, model))
        config.save(folder / "recipe.json")
        emit(CheckpointSaved(self.progress.step, kind, str(folder)))


def training_loss(model: Seq2SeqModel, batch: Batch, settings: OptimizerConfig) -> Tensor:
    """Label-smoothed cross-entropy summed over the real target tokens, in nats."""
    features = model.features(batch)[batch.tgt_mask]
    targets = batch.tgt_out[batch.tgt_mask]
    layer = getattr(model, "output", None)
    if gains_from_chunked_loss(features.device) and isinstance(layer, nn.Linear):
        bf16 = settings.bf16 and gains_from_bf16(features.device)
        return chunked_cross_entropy(features, layer, targets, settings.label_smoothing, bf16)
    return cross_entropy(model.project(features), targets, settings.label_smoothing)


def learning_rate(settings: OptimizerConfig, step: int, total_steps: int) -> float:
    """Linear warm-up to `learning_rate`, then a cosine down to `final_ratio` of it. step counts from 1."""
    if step <= settings.warmup_steps:
        return settings.learning_rate * step / settings.warmup_steps
    done = (step - settings.warmup_steps) / max(1, total_steps - settings.warmup_steps)
    cosine = 0.5 * (1 + math.cos(math.pi * min(1.0, done)))
    return settings.learning_rate * (settings.final_ratio + (1 - settings.final_ratio) * cosine)


def _tokenizer(config: TrainingConfig, corpus: Corpus, path: Path, resume: bool) -> Tokenizer:
    """The one of an earlier part of this run, else a new one, learnt from the training pairs alone."""
    if resume:
        return Tokenizer.load(path)
    settings = config.tokenizer
    texts = (text for pair in corpus.train for text in pair)
    tokenizer = Tokenizer.train(texts, settings.kind, settings.vocab_size, settings.min_frequency)
    tokenizer.save(path)
    return tokenizer
