"""The measurements of a run: its steps since the last report, and its network on validation pairs.

Validation gives the teacher-forced loss, greedy outputs if configured, and the probe.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import torch
from torch import Tensor

from models.batch import Batch
from models.corpus.pairs import Pair, by_source
from models.decoding.limits import MAX_LENGTH, MAX_OUTPUT_TOKENS, MAX_SOURCE_TOKENS
from models.decoding.options import DecodingOptions
from models.decoding.outputs import translate
from models.device import is_faster_with_few_rows, peak_memory
from models.networks.base import Seq2SeqModel
from models.tokenization.tokenizer import Tokenizer
from models.training.data.batches import bucket_by_length
from models.training.data.training_data import TrainingData, encode_short_pairs
from models.training.events import (
    Emit,
    EvaluationCompleted,
    SampleDecoded,
    StepCompleted,
    TrainingPairDecoded,
)
from models.training.loop.exposure import decode_probe
from models.training.loop.objective import cross_entropy
from models.training.loop.resume_state import RunProgress
from models.training.process_group import Group
from models.training.recipe.config import TrainingConfig

NUM_SAMPLES, DECODED_ROWS = 3, 256
MAX_TRAINING_PAIRS = 8  # a reader takes in this many at a glance


@dataclass(frozen=True)
class StepMeasurement:
    """The measurements of one optimizer step."""

    loss: Tensor  # () on the device: this process's part of the mean loss of a target token
    norm: Tensor  # () on the device: the norm of the gradient before clipping
    learning_rate: float
    teacher_forcing: float
    tokens: int  # target tokens, of all processes


class Meter:
    """Means over some steps; the device is asked for numbers only when they are reported."""

    def __init__(self, progress: RunProgress, group: Group, clip_norm: float, total_steps: int) -> None:
        self.progress, self.group = progress, group
        self.clip_norm, self.total_steps = clip_norm, total_steps
        self.began, self.began_at = time.perf_counter(), progress.step
        self.has_reported = False
        self.steps: list[StepMeasurement] = []
        self.restart()

    def restart(self) -> None:
        """Forget the measurements, and restart the clock."""
        self.steps, self.since = [], time.perf_counter()

    def add(self, step: StepMeasurement) -> None:
        """Add a step."""
        self.steps.append(step)

    def is_due(self, every: int) -> bool:
        """Whether to report: after every `every` steps, and at first after 1, 2, 4, 8 and so on."""
        step = self.progress.step
        return step % every == 0 or (step < every and step & (step - 1) == 0)

    def report(self) -> StepCompleted:
        """Return the measurements since the last report, add their time to the run's, and restart."""
        norms = torch.stack([step.norm for step in self.steps])
        clipped = norms.clamp(max=self.clip_norm) if self.clip_norm else norms
        loss = self.group.total(torch.stack([step.loss for step in self.steps]).mean()).item()
        seconds = time.perf_counter() - self.since
        self.progress.seconds += seconds
        event = StepCompleted(
            step=self.progress.step,
            epoch=self.progress.epoch,
            loss=loss,
            learning_rate=self.steps[-1].learning_rate,
            gradient_norm=norms.mean().item(),
            clipped_norm=clipped.mean().item(),
            teacher_forcing=self.steps[-1].teacher_forcing,
            tokens_per_second=sum(step.tokens for step in self.steps) / seconds,
            memory_bytes=peak_memory(norms.device),
            seconds_left=self.seconds_left(),
        )
        if not self.has_reported:  # the first steps take longer: a device wakes up, caches fill
            self.began, self.began_at, self.has_reported = time.perf_counter(), self.progress.step, True
        self.restart()
        return event

    def seconds_left(self) -> float | None:
        """The seconds until the last step at the pace so far, evaluations included; None if unknown."""
        done = self.progress.step - self.began_at
        if not done:
            return None
        pace = (time.perf_counter() - self.began) / done
        return max(0.0, pace * (self.total_steps - self.progress.step))


class Validator:
    """The evaluation of a model on the validation pairs of one run."""

    def __init__(
        self,
        config: TrainingConfig,
        pairs: tuple[Pair, ...],
        tokenizer: Tokenizer,
        device: torch.device,
        group: Group,
    ) -> None:
        self.config, self.tokenizer, self.device, self.group = config, tokenizer, device, group
        encoded = encode_short_pairs(tokenizer, pairs, config.data.max_pieces)
        self.pairs = encoded.pairs
        self.batches = []
        lengths = encoded.source_lengths, encoded.target_lengths
        for indices in bucket_by_length(*lengths, config.batch_tokens, None):
            ids = [encoded.sources[i] for i in indices], [encoded.targets[i] for i in indices]
            self.batches.append(Batch.from_ids(*ids, bos_id=Tokenizer.bos_id, pad_id=Tokenizer.pad_id))
        self.probe = self._probe()

    def evaluate(self, model: Seq2SeqModel, progress: RunProgress, emit: Emit) -> EvaluationCompleted:
        """Evaluate, update `progress`, emit the result and return it.

        Every process evaluates its share of the batches; the first one decodes alone.
        """
        loss = self.loss(model)
        bleu, exact_match = None, None
        if self.config.decode_valid and self.group.is_first:
            bleu, exact_match = self._decode(model, progress, emit)
        if self.group.is_first:
            self._decode_probe(model, progress.step, emit)
        best, progress.last_evaluated_step = loss < progress.best_loss, progress.step
        if best:  # false for a loss that is not a number
            progress.best_loss = loss
        progress.evaluations_without_gain = 0 if best else progress.evaluations_without_gain + 1
        event = EvaluationCompleted(progress.step, loss, math.exp(min(loss, 700)), bleu, exact_match, best)
        emit(event)
        return event

    @torch.inference_mode()
    def loss(self, model: Seq2SeqModel) -> float:
        """Cross-entropy in nats per target token, end tokens included."""
        model.eval()
        sums = torch.zeros(2, dtype=torch.float32, device=self.device)  # nats, tokens
        for batch in self.batches[self.group.rank :: self.group.size]:
            on_device = batch.to(self.device)
            logits = model.project(model.features(on_device)[on_device.tgt_mask])
            nats = cross_entropy(logits, on_device.tgt_out[on_device.tgt_mask], 0.0)
            sums += torch.stack([nats, on_device.tgt_mask.sum()])
        nats_in_all, tokens = self.group.total(sums).tolist()
        return float(nats_in_all / tokens)

    def _probe(self) -> Pair:
        """The probe of the recipe, or else a validation pair whose length fits a picture."""
        if self.config.probe_source:
            return self.config.probe_source, self.config.probe_reference
        lengths = sorted(len(target) for _, target in self.pairs)
        typical = lengths[len(lengths) * 3 // 4]
        return next(pair for pair in self.pairs if len(pair[1]) == typical)

    def _decode_probe(self, model: Seq2SeqModel, step: int, emit: Emit) -> None:
        source, reference = self.probe
        limit = min(MAX_SOURCE_TOKENS, model.max_positions or MAX_SOURCE_TOKENS)
        read, expected = self.tokenizer.encode(source), self.tokenizer.target.encode(reference)
        if max(len(read.tokens), len(expected.tokens)) <= limit:
            length = min(self.config.max_length, MAX_OUTPUT_TOKENS, limit)
            emit(decode_probe(model, self.tokenizer, source, reference, max_length=length, step=step))

    def _decode(self, model: Seq2SeqModel, progress: RunProgress, emit: Emit) -> tuple[float, float]:
        from models.metrics.bootstrap import measure

        pairs = self.pairs[: self.config.decode_valid]
        grouped = by_source(pairs)
        # Decode all at once on a device where a step of many rows takes no longer than one of few.
        rows = DECODED_ROWS if is_faster_with_few_rows(self.device) else len(grouped)
        outputs = translate(model, self.tokenizer, list(grouped), _greedy(self.config), batch_rows=rows)
        for (source, references), output in list(zip(grouped.items(), outputs, strict=True))[:NUM_SAMPLES]:
            emit(SampleDecoded(progress.step, source, references[0], output))
        metrics = measure(outputs, list(grouped.values()), self.config.data.target_language)
        return metrics.bleu, metrics.exact_match


def decode_training_pairs(
    config: TrainingConfig, model: Seq2SeqModel, data: TrainingData, step: int, emit: Emit
) -> None:
    """Emit the greedy output for each of the first training pairs, before or after fine-tuning.

    No source comes twice. Emits nothing for a run from scratch, or for pictures, which no table of texts
    shows.
    """
    if not config.start or config.network.reads_pictures:
        return
    targets: dict[str, str] = {}
    for source, target in data.pairs:
        if len(targets) < MAX_TRAINING_PAIRS:
            targets.setdefault(source, target)
    model.eval()
    outputs = translate(model, data.tokenizer, list(targets), _greedy(config))
    for (source, target), output in zip(targets.items(), outputs, strict=True):
        emit(TrainingPairDecoded(step, source, target, output))


def _greedy(config: TrainingConfig) -> DecodingOptions:
    return DecodingOptions("greedy", max_length=min(config.max_length, MAX_LENGTH))
