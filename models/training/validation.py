"""The validation set: teacher-forced loss, and greedy decoding where it is asked for."""

from __future__ import annotations

import math

import torch

from models.batch import Batch
from models.corpus import Pair
from models.networks.base import Seq2SeqModel
from models.tokenization import Tokenizer
from models.training.config import TrainingConfig
from models.training.data import bucketed, fitting
from models.training.events import Emit, EvaluationCompleted, SampleDecoded
from models.training.loss import cross_entropy
from models.training.state import Progress

NUM_SAMPLES = 3


class Validator:
    """Judges a model on the validation pairs of one run."""

    def __init__(
        self, config: TrainingConfig, pairs: tuple[Pair, ...], tokenizer: Tokenizer, device: torch.device
    ) -> None:
        self.config, self.tokenizer, self.device = config, tokenizer, device
        sources, targets, self.pairs = fitting(tokenizer, pairs, config.data.max_pieces)
        self.batches = []
        for indices in bucketed(sources, targets, config.batch_tokens, None):
            chosen = [sources[i] for i in indices], [targets[i] for i in indices]
            self.batches.append(Batch.from_ids(*chosen, bos_id=Tokenizer.bos_id, pad_id=Tokenizer.pad_id))

    def evaluate(self, model: Seq2SeqModel, progress: Progress, emit: Emit) -> EvaluationCompleted:
        """Update `progress` with the outcome, emit it, and return it."""
        loss = self.loss(model)
        bleu, exact_match = self._decode(model, progress, emit) if self.config.decode_valid else (None, None)
        best = loss < progress.best_loss
        progress.best_loss = min(loss, progress.best_loss)
        progress.evaluations_without_gain = 0 if best else progress.evaluations_without_gain + 1
        event = EvaluationCompleted(progress.step, loss, math.exp(min(loss, 700)), bleu, exact_match, best)
        emit(event)
        return event

    @torch.inference_mode()
    def loss(self, model: Seq2SeqModel) -> float:
        """Cross-entropy in nats per target token, end tokens included."""
        model.eval()
        total, tokens = 0.0, 0
        for batch in self.batches:
            on_device = batch.to(self.device)
            logits = model.project(model.features(on_device)[on_device.tgt_mask])
            total += cross_entropy(logits, on_device.tgt_out[on_device.tgt_mask], 0.0).item()
            tokens += batch.num_tokens
        return total / tokens

    def _decode(self, model: Seq2SeqModel, progress: Progress, emit: Emit) -> tuple[float, float]:
        from models.decoding.decode import translate
        from models.decoding.strategies import Greedy
        from models.evaluation.metrics import measure

        pairs = self.pairs[: self.config.decode_valid]
        outputs = translate(
            model, self.tokenizer, [pair[0] for pair in pairs], Greedy(), max_length=self.config.max_length
        )
        for (source, reference), output in list(zip(pairs, outputs, strict=True))[:NUM_SAMPLES]:
            emit(SampleDecoded(progress.step, source, reference, output))
        metrics = measure(outputs, [[reference] for _, reference in pairs], self.config.data.target_language)
        return metrics.bleu, metrics.exact_match
