"""The training loop. Reports typed events."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import InitVar, asdict, dataclass
from pathlib import Path

import torch

from models.corpus.files.reading import Reading
from models.corpus.pairs import Split
from models.device import device_title
from models.networks.architectures import network_dict
from models.networks.base import Seq2SeqModel
from models.registry.checkpoint import Checkpoint, CheckpointConfig, load_checkpoint, save_checkpoint
from models.training.data.training_data import TrainingData, load_corpus
from models.training.events import (
    CheckpointSaved,
    Emit,
    EvaluationCompleted,
    Notice,
    RunFinished,
    RunStarted,
    RunStopped,
)
from models.training.loop import setup
from models.training.loop.card import Outcome, write_card_and_example
from models.training.loop.optimizer import freeze
from models.training.loop.resume_state import STATE_FILE, RunProgress, load_state, pairs_digest, save_state
from models.training.loop.setup import RunFolders
from models.training.loop.update import TrainingError, Updater
from models.training.loop.validation import Meter, Validator, decode_training_pairs
from models.training.process_group import Group, process_group
from models.training.recipe.config import TrainingConfig
from models.training.runs.request import STOPPED

LAST, BEST = "last", "best"
STOP_EVERY = 10  # several processes agree whether to stop only after this many steps


def train(
    config: TrainingConfig,
    emit: Emit,
    folders: RunFolders,
    *,
    device: torch.device,
    resume: bool = False,
    should_stop: Callable[[], bool] = lambda: False,
    on_reading: Callable[[Reading], None] = lambda reading: None,
) -> Path:
    """Train to the end, or until `should_stop`, and return the folder of the best checkpoint.

    `on_reading` gets the `Reading` of each file of pairs before training starts. `resume` continues from the
    state in `folders.output`. If a run is stopped before its first evaluation, its last checkpoint counts as
    the best. Under `torchrun` each process calls this with the same arguments; the first emits and writes.
    Raises DataError, ConfigError, TokenizerError, CheckpointError, StateError, TrainingError or OSError;
    the caller turns them into events.
    """
    with process_group(device) as (group, own_device):
        torch.manual_seed(config.seed)
        resume = resume and (folders.output / STATE_FILE).exists()
        group.wait()  # all processes look for the state before the first one writes it
        base = None if resume else setup.starting_checkpoint(config, folders.start)
        on_reading_once = on_reading if group.is_first else _silent
        corpus = load_corpus(config.data, folders.data, config.seed, folders.recipe, on_reading_once)
        emit_once = emit if group.is_first else _silent
        run = _TrainingRun(config, corpus, base, folders.output, own_device, group, emit_once, resume)
        return run.train(should_stop)


def _silent(_: object) -> None:
    """Ignore an event: the first process reports for all."""


@dataclass(eq=False)
class _TrainingRun:
    """The state of one run."""

    config: TrainingConfig
    corpus: Split
    base: InitVar[Checkpoint | None]  # the checkpoint that is fine-tuned, unless a run is resumed
    output: Path
    device: torch.device
    group: Group  # the processes that train together
    emit: Emit
    resume: InitVar[bool]

    def __post_init__(self, base: Checkpoint | None, resume: bool) -> None:
        config, corpus = self.config, self.corpus
        output, device, group = self.output, self.device, self.group
        output.mkdir(parents=True, exist_ok=True)
        # The saved recipe describes the network that was built: resuming needs only the run folder.
        config = setup.effective_config(config, base, output if resume else None)
        self.config = config = setup.with_examples(config, corpus)
        self.tokenizer = setup.run_tokenizer(config, corpus, output, base, resume, group)
        self.data = TrainingData(config, corpus, self.tokenizer, device)
        self.model = setup.build_network(config, self.tokenizer.vocab_size, base).to(device)
        freeze(self.model, config.freeze)
        self.validator = Validator(config, corpus.valid, self.tokenizer, device, group)
        self.steps_per_epoch = len(list(self.data.epoch(0)))
        self.total_steps = self.steps_per_epoch * config.epochs
        self.updater = Updater(config, self.model, self.data, group, self.total_steps)
        self.progress = RunProgress(pairs=pairs_digest(corpus.train, corpus.valid))
        if resume:
            optimizer = self.updater.optimizer
            self.progress = load_state(output, self.progress, self.model, self._average, optimizer)
        if group.rank:
            torch.manual_seed(config.seed + 1_000_003 * group.rank + self.progress.step)  # its own dropout

    def train(self, should_stop: Callable[[], bool]) -> Path:
        """Train from the first event to the last."""
        self.emit(self._start_event())
        if self.corpus.note and not self.progress.step:
            self.emit(Notice(0, self.corpus.note))
        if self.group.is_first:
            self.config.save(self.output / setup.RECIPE)
        if not self.progress.step:
            self._decode_training_pairs(self.model)
        stopped = self._loop(should_stop)
        best = self.output / (BEST if math.isfinite(self.progress.best_loss) else LAST)
        if self.group.is_first:
            self._write_card_and_example(best)
        progress = self.progress
        if stopped:
            self.emit(RunStopped(progress.step, STOPPED))
        else:
            self.emit(RunFinished(progress.step, progress.seconds, progress.target_tokens))
        self.group.wait()
        return best

    def _start_event(self) -> RunStarted:
        trainable = sum(parameter.numel() for parameter in self.updater.parameters)
        return RunStarted(
            name=self.config.name,
            parameters=self.model.num_parameters(),
            trainable_parameters=trainable,
            vocab_size=self.tokenizer.vocab_size,
            train_pairs=len(self.data.targets),
            valid_pairs=len(self.validator.pairs),
            total_steps=self.total_steps,
            device=device_title(self.device),
            processes=self.group.size,
            resumed_at=self.progress.step,
        )

    def _loop(self, should_stop: Callable[[], bool]) -> bool:
        """Train until the epochs are done or patience is out; return True if stopped before that."""
        config, progress = self.config, self.progress
        self.meter = Meter(progress, self.group, config.optimizer.clip_norm, self.total_steps)
        self.saved_at = time.monotonic()
        if self._out_of_patience():  # a run that has ended is resumed
            return False
        while progress.epoch < config.epochs:
            batches = list(self.data.epoch(progress.epoch))
            for indices in batches[progress.batch :]:
                self._train_batch(indices)
                if self._out_of_patience():
                    self._report()
                    return False
                if self._agrees_to_stop(should_stop):
                    self._report()
                    self._save_last()
                    return True
            progress.epoch, progress.batch = progress.epoch + 1, 0
        self._report()
        # This holds too if the run was stopped at its last step and is now resumed.
        if progress.step > progress.last_evaluated_step:
            self._evaluate()
        return False

    def _train_batch(self, indices: list[int]) -> None:
        """Do one optimizer step, then report, evaluate and save if due."""
        config, progress = self.config, self.progress
        measurement = self.updater.update(indices, progress, self.emit)
        progress.step += 1
        progress.batch += 1
        progress.target_tokens += measurement.tokens
        self.meter.add(measurement)
        if self.meter.is_due(config.report_every):
            self._report()
        if progress.step % config.report_every == 0:
            self.updater.compile_if_long(self.meter.seconds_left(), progress.step, self.emit)
        if progress.step % config.evaluate_every == 0:
            self._report()  # first, so that the speed does not include the evaluation
            self._evaluate()
            self.meter.restart()
        elif time.monotonic() - self.saved_at > config.save_every:
            self._save_last()

    def _agrees_to_stop(self, should_stop: Callable[[], bool]) -> bool:
        if self.group.size == 1:
            return should_stop()
        return self.progress.step % STOP_EVERY == 0 and self.group.any(should_stop(), self.device)

    def _report(self) -> None:
        """Emit the means since the last report, if there are any. Raises TrainingError."""
        if not self.meter.steps:
            return
        event = self.meter.report()
        if not math.isfinite(event.loss + event.gradient_norm):
            raise TrainingError(
                "loss_no_number",
                "the loss is no longer a number at step {step}: lower optimizer.learning_rate or "
                "optimizer.clip_norm, or lengthen optimizer.warmup_steps",
                step=event.step,
            )
        self.emit(event)

    def _out_of_patience(self) -> bool:
        return 0 < self.config.patience <= self.progress.evaluations_without_gain

    def _evaluate(self) -> None:
        """Evaluate the weights that the checkpoint holds: the averaged ones if there are any."""
        model = self._model_to_evaluate()
        result = self.validator.evaluate(model, self.progress, self.emit)
        if result.best:
            self.progress.best = asdict(result)
            self._save(BEST)
        self._save_last()

    @property
    def _average(self) -> Seq2SeqModel | None:
        return None if self.updater.average is None else self.updater.average.model

    def _model_to_evaluate(self) -> Seq2SeqModel:
        return self.model if self._average is None else self._average

    def _save_last(self) -> None:
        if self.group.is_first:
            save_state(self.output, self.progress, self.model, self._average, self.updater.optimizer)
            self._save(LAST)
        self.saved_at = time.monotonic()

    def _save(self, kind: str) -> None:
        if not self.group.is_first:
            return
        folder = self.output / kind
        save_checkpoint(folder, self._checkpoint())
        self.config.save(folder / setup.RECIPE)
        self.emit(CheckpointSaved(self.progress.step, kind, str(folder)))

    def _checkpoint(self) -> Checkpoint:
        config = self.config
        description = CheckpointConfig(
            network=network_dict(config.network),
            vocab_size=self.tokenizer.vocab_size,
            task=config.data.task,
            source_language=config.data.source_language,
            target_language=config.data.target_language,
            examples=config.examples,
            max_length=config.max_length,
            swapped_columns=config.data.swap,
            # Unknown for a fine-tuned network, whose earlier pairs are not here. Pictures are equally long.
            usual_length=None
            if config.start or config.network.reads_pictures
            else self.data.encoded.usual_length,
        )
        return Checkpoint(config.name, description, self.tokenizer, self._model_to_evaluate())

    def _write_card_and_example(self, folder: Path) -> None:
        """Write the card and the first example of the saved checkpoint."""
        if not folder.exists():
            return
        outcome = Outcome(
            train_pairs=len(self.data.targets),
            valid_pairs=len(self.validator.pairs),
            valid_too_long=len(self.corpus.valid) - len(self.validator.pairs),
            steps=self.progress.step,
            seconds=self.progress.seconds,
            device=device_title(self.device),
            best=None if self.progress.best is None else EvaluationCompleted(**self.progress.best),
            note=self.corpus.note,
        )
        checkpoint = load_checkpoint(folder, self.device)
        write_card_and_example(folder, checkpoint, self.config, outcome)
        self._decode_training_pairs(checkpoint.model)

    def _decode_training_pairs(self, model: Seq2SeqModel) -> None:
        if self.group.is_first:
            decode_training_pairs(self.config, model, self.data, self.progress.step, self.emit)
