"""What all visitors share: the checkpoints on disk, those in memory, the device. No visitor's state."""

from __future__ import annotations

import logging
import time
from collections import OrderedDict
from dataclasses import replace
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING

from demo.checks import check_fits
from demo.hub.service import Hub
from demo.i18n import say
from demo.i18n.library import heard
from demo.limits import MAX_CACHED_BYTES, MAX_TOKENIZERS
from demo.request import DecodeRequest, RequestError
from demo.training.service import Training
from demo.turns import Turns
from demo.watch import Watch
from models.decoding.trace import DecodingTrace, Stop
from models.registry.card import CheckpointError
from models.registry.foreign import is_foreign, speaking
from models.registry.registry import Registry
from models.registry.variant import split_name
from models.tokenization import Tokenizer

if TYPE_CHECKING:
    from models.registry.checkpoint import Checkpoint, CheckpointConfig

EIGHT_BIT = "@int8"  # behind a checkpoint's name: its linear layers rounded to 8 bits
PREFERRED = "spa-eng-gru"  # shown when the page opens
READS, MOMENT = 3, 0.05  # how often a checkpoint is tried, and seconds between

logger = logging.getLogger("unrolled")


class AppContext:
    """Checkpoints by name, read when first wanted and kept while there is room.

    A checkpoint that cannot be read raises its CheckpointError each time; the others stay usable.
    """

    def __init__(
        self,
        registry: Registry,
        device: str = "auto",
        max_cached_bytes: int = MAX_CACHED_BYTES,
        training: Training | None = None,
        hub: Hub | None = None,
    ) -> None:
        """`device` as `models.device.resolve_device` takes it; without `training` nobody can train.

        Without `hub` nothing is fetched; with it, it is the shelf of `registry`.
        """
        self.registry = registry
        self.training = training
        self.hub = hub
        self.device_name = device
        self.turns = Turns()
        self._max_cached_bytes = max_cached_bytes
        self._checkpoints: OrderedDict[str, Checkpoint] = OrderedDict()  # least recently used first
        self._versions: dict[str, int] = {}  # of the checkpoints in memory: a run writes its own anew
        self._tokenizers: OrderedDict[str, tuple[int, Tokenizer]] = OrderedDict()
        self._loading: dict[str, Lock] = {}
        self._lock = Lock()  # guards weights and locks, and is never held while a file is read

    @property
    def default_checkpoint(self) -> str | None:
        """The name that the page opens with: one with a usable example if there is any."""
        names = sorted(self.registry.names(), key=lambda name: name != PREFERRED)
        return next(filter(self._has_example, names), next(iter(names), None))

    def config(self, name: str) -> CheckpointConfig:
        """What a checkpoint is, without its weights. Raises UnknownCheckpointError, CheckpointError."""
        return self.registry.config(base_name(name))

    def tokenizer(self, name: str) -> Tokenizer:
        """The tokenizer alone, without torch. Raises UnknownCheckpointError, CheckpointError."""
        config = self.config(name)
        name, _ = split_name(base_name(name))  # its variants share one vocabulary
        version = self.registry.version(name)
        kept = self._tokenizers.get(name)
        if kept is not None and kept[0] == version:
            return speaking(kept[1], config)
        tokenizer = self.registry.tokenizer(name)  # two visitors may read it at once: the same file
        with self._lock:
            self._tokenizers[name] = version, tokenizer
            while len(self._tokenizers) > MAX_TOKENIZERS:
                self._tokenizers.popitem(last=False)
        return speaking(tokenizer, config)

    def checkpoint(self, name: str) -> Checkpoint:
        """A checkpoint ready to decode; `EIGHT_BIT` behind its name rounds its weights.

        Raises UnknownCheckpointError, CheckpointError, RequestError.
        """
        config = self.config(name)  # only what exists gets a lock of its own
        base, variant = split_name(base_name(name))
        if variant:  # the same weights
            weights = self.checkpoint(base + name[len(base_name(name)) :])
            return replace(weights, name=name, config=config, tokenizer=speaking(weights.tokenizer, config))
        if self.hub is not None:
            self.hub.use(base)
        with self._lock:
            loading = self._loading.setdefault(name, Lock())
        with loading:  # whoever asks for the same one meanwhile waits; others pass
            kept = self._kept(name, self.registry.version(base_name(name)))
            if kept is not None:
                return kept
            checkpoint, version = self._load(name)
            self._keep(checkpoint, version)
            return checkpoint

    def check_fits(self, name: str, text: str) -> None:
        """Raises RequestError for a picture where a text is read, and the other way round."""
        check_fits(name, text, self.config(name).reads_pictures)

    def decode(self, request: DecodeRequest, watch: Watch | None = None) -> DecodingTrace:
        """The trace of a request. Raises RequestError, UnknownCheckpointError, CheckpointError."""
        from models.decoding.decode import DecodingError, decode

        self.check_fits(request.checkpoint, request.text)
        watch, settings = watch or Watch(), request.settings
        with watch.loading():
            checkpoint = self.checkpoint(request.checkpoint)
        try:
            with self.turns.turn(watch):
                trace = decode(
                    checkpoint.model,
                    checkpoint.tokenizer,
                    request.text,
                    settings.build_strategy(checkpoint.config.target_language),
                    max_length=settings.max_length,
                    seed=settings.seed,
                    checkpoint=checkpoint.name,
                    processors=settings.build_processors(checkpoint.tokenizer),
                    forced=request.forced,
                    overrides=request.overrides,
                    watch=watch,
                )
        except DecodingError as error:
            raise RequestError(heard(str(error))) from error
        if not trace.hypotheses:
            raise RequestError(_without_output(trace))
        return replace(trace, settings={**trace.settings, **settings.constraints()})

    def warm_up(self) -> None:
        """Load torch and the default checkpoint, so that the first visitor need not wait for them."""
        from models.device import use_threads

        use_threads(1)  # visitors run side by side, and small networks gain nothing from more
        name = self.default_checkpoint
        try:
            if name is not None:
                self.checkpoint(name)
        except (CheckpointError, RequestError) as error:
            logger.warning("%s", error)

    def device_type(self) -> str:
        """The kind of device that checkpoints live on: "cpu", or that of a GPU. Raises RequestError."""
        return str(getattr(self._device, "type", "cpu"))

    @cached_property
    def _device(self) -> object:
        from models.device import resolve_device

        try:
            return resolve_device(self.device_name)
        except (ValueError, RuntimeError) as error:
            raise RequestError(f"The server was started with a device that it lacks: {error}") from error

    def _has_example(self, name: str) -> bool:
        try:
            self.registry.example(name)
        except CheckpointError:
            return False
        return True

    def _kept(self, name: str, version: int) -> Checkpoint | None:
        with self._lock:
            if name not in self._checkpoints or self._versions[name] != version:
                return None
            self._checkpoints.move_to_end(name)
            return self._checkpoints[name]

    def _load(self, name: str) -> tuple[Checkpoint, int]:
        from models.networks.packed import is_packed, pack_linears

        checkpoint, version = self._read(base_name(name))
        if is_foreign(checkpoint.config):
            if name.endswith(EIGHT_BIT):
                raise RequestError(
                    say("{name} has no form with weights of 8 bits. Use it as it is.", name=base_name(name))
                )
            return checkpoint, version
        precision = "int8" if name.endswith(EIGHT_BIT) else "fp16"
        pack_linears(checkpoint.model, precision)  # the page only decodes
        if precision == "int8" and not is_packed(checkpoint.model):
            raise RequestError(
                say("Weights of 8 bits need a CPU with the right kernels. Use the full checkpoint.")
            )
        return replace(checkpoint, name=name), version

    def _read(self, name: str) -> tuple[Checkpoint, int]:
        """A checkpoint with its version; one that a run is about to write is read again a moment later."""
        for _ in range(READS):
            version = self.registry.version(name)
            try:
                return self.registry.load(name, self._device), version
            except CheckpointError:
                time.sleep(MOMENT)
                if self.registry.version(name) == version:
                    raise
        return self.registry.load(name, self._device), version

    def _keep(self, checkpoint: Checkpoint, version: int) -> None:
        """Make room by letting go of what was not used for longest; the newest stays, however large."""
        from models.networks.packed import memory_bytes

        def total() -> int:
            return sum(memory_bytes(kept.model) for kept in self._checkpoints.values())

        with self._lock:
            self._checkpoints[checkpoint.name] = checkpoint
            self._checkpoints.move_to_end(checkpoint.name)
            self._versions[checkpoint.name] = version
            while len(self._checkpoints) > 1 and total() > self._max_cached_bytes:
                oldest, _ = self._checkpoints.popitem(last=False)
                del self._versions[oldest]


def base_name(name: str) -> str:
    """The name of the folder, whatever the precision asked for."""
    return name.removesuffix(EIGHT_BIT)


def _without_output(trace: DecodingTrace) -> str:
    """Why a search found nothing at all, and what to do."""
    stop = trace.exploration.stop if trace.exploration else Stop.COMPLETE
    if stop is Stop.TIME:
        return say(
            "Decoding took too long and was stopped before any output was finished. Ask for a shorter output "
            "or fewer beams, or try again when the server is less busy."
        )
    if stop is Stop.BUDGET:
        return say(
            "The budget was spent before any output was finished. Raise it, or ask for a shorter output."
        )
    if stop is Stop.CANCELLED:
        return say("Stopped before any output was finished; the result below is the one before.")
    return say(
        "No output satisfies these constraints. Ban fewer words, or allow shorter outputs and repetitions."
    )
