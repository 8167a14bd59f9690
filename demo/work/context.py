"""The state that all visitors share: checkpoints on disk and in memory, and the device."""

from __future__ import annotations

import logging
import time
from dataclasses import replace
from functools import cached_property, partial
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from demo.work.checkpoint_label import checkpoint_label, checkpoint_words
from demo.work.hub import Hub
from demo.work.operator.caps import MAX_CACHED_BYTES, MAX_TOKENIZERS
from demo.work.requests.checks import RequestError, check_fits
from demo.work.requests.decode import DecodeRequest, as_request_error, decoding_bytes, without_output
from demo.work.training_service import TrainingService
from demo.work.turns import Turns
from demo.work.watch import Watch
from models.budget import letting_others_run
from models.decoding.trace import DecodingTrace
from models.errors import message_of
from models.lru_cache import LruCache
from models.registry.card import CheckpointError
from models.registry.hugging_face.files import is_hugging_face, tokenizer_in_variant
from models.registry.name import CheckpointName, UnknownCheckpointError
from models.registry.registry import Registry, Version
from models.tokenization.tokenizer import Tokenizer

if TYPE_CHECKING:
    from models.decoding.judge.verdict import ScoredText
    from models.decoding.search.strategy import LengthNormalizer
    from models.registry.checkpoint import Checkpoint, CheckpointConfig

PREFERRED = "spa-eng-gru"  # the checkpoint that the page opens with
# A checkpoint that is being written is read again for this long, with this pause.
RETRY_SECONDS, PAUSE_SECONDS = 5.0, 0.05

logger = logging.getLogger("unrolled")

T = TypeVar("T")


class AppContext:
    """Checkpoints by name, read on first use and cached while there is room.

    A checkpoint that cannot be read raises its CheckpointError each time; the others stay usable.
    """

    def __init__(
        self,
        registry: Registry,
        device: str = "auto",
        max_cached_bytes: int = MAX_CACHED_BYTES,
        training: TrainingService | None = None,
        hub: Hub | None = None,
    ) -> None:
        """`device` is an argument of `models.device.resolve_device`; without `training` nobody can train.

        Without `hub` nothing is fetched; otherwise it is the `hub_models` argument of `registry`.
        """
        self.registry = registry
        self.training = training
        self.hub = hub
        self.device_name = device
        self.turns = Turns()
        self._shared: dict[type, Any] = {}
        # The versions matter, since a run overwrites its checkpoint.
        self._checkpoints: LruCache[CheckpointName, tuple[Version, Checkpoint]]
        self._checkpoints = LruCache(max_cached_bytes, size=_weights_bytes)
        self._tokenizers: LruCache[str, tuple[Version, Tokenizer]] = LruCache(MAX_TOKENIZERS)
        self._loading: dict[CheckpointName, Lock] = {}
        self._lock = Lock()  # guards `_loading` and `_shared`, and is never held while a file is read

    @property
    def default_checkpoint(self) -> str | None:
        """The name of the checkpoint that the page opens with: one with a usable example if there is any."""
        names = sorted(self.registry.names(), key=lambda name: name != PREFERRED)
        return next(filter(self._has_example, names), next(iter(names), None))

    def config(self, name: str | CheckpointName) -> CheckpointConfig:
        """The configuration of a checkpoint, without weights.

        Raises UnknownCheckpointError, CheckpointError.
        """
        return self.registry.config(CheckpointName.of(name).stored)

    def tokenizer(self, name: str | CheckpointName) -> Tokenizer:
        """The tokenizer alone, without torch. Raises UnknownCheckpointError, CheckpointError."""
        config = self.config(name)
        base = CheckpointName.of(name).base  # its variants share one vocabulary
        version = self.registry.version(base)
        cached = self._tokenizers.get(base)
        if cached is not None and cached[0] == version:
            return tokenizer_in_variant(cached[1], config)
        tokenizer = self.registry.tokenizer(base)  # two requests may read the same file at once
        self._tokenizers[base] = version, tokenizer
        return tokenizer_in_variant(tokenizer, config)

    def checkpoint(self, name: str | CheckpointName) -> Checkpoint:
        """A checkpoint ready to decode, its weights rounded where its name asks for that.

        Raises UnknownCheckpointError, CheckpointError, RequestError.
        """
        name = CheckpointName.of(name)
        config = self.config(name)  # raises for a missing checkpoint, which needs no lock
        if name.variant:  # the same weights
            weights = self.checkpoint(replace(name, variant=""))
            tokenizer = tokenizer_in_variant(weights.tokenizer, config)
            return replace(weights, name=str(name), config=config, tokenizer=tokenizer)
        if self.hub is not None:
            self.hub.use(name.base)
        with self._lock:
            loading = self._loading.setdefault(name, Lock())
        with loading:  # a second request for the same checkpoint waits here
            cached = self._checkpoints.get(name)
            if cached is None or cached[0] != self.registry.version(name):
                cached = self._checkpoints[name] = self._load(name)
            return cached[1]

    def label(self, name: str | CheckpointName) -> str:
        """The label of a checkpoint on the page and in files: see `checkpoint_label`."""
        return checkpoint_label(str(name), self.registry, self.training)

    def title(self, name: str | CheckpointName) -> str:
        """The name of a checkpoint in a list: in words, then its label, by which it can be found.

        A visitor's own checkpoint has a title already.
        """
        label = self.label(name)
        words = checkpoint_words(str(name), self.registry) if label == str(name) else ""
        return f"{words} · {label}" if words else label

    def check_fits(self, name: str | CheckpointName, text: str) -> None:
        """Raise RequestError for a picture where the checkpoint reads text, or the reverse."""
        check_fits(self.label(name), text, self.config(name).reads_pictures)

    def decode(
        self, request: DecodeRequest, watch: Watch | None = None, *, also_others: bool = True
    ) -> DecodingTrace:
        """Decode a request; if `also_others`, compute greedy's output too, and one without required words.

        Raises RequestError, UnknownCheckpointError, CheckpointError.
        """
        from models.decoding.decode import decode, decode_beside_greedy
        from models.decoding.interventions import Intervention

        self.check_fits(request.checkpoint, request.text)
        watch = watch or Watch()
        with watch.loading():
            checkpoint = self.checkpoint(request.checkpoint)
        with as_request_error():
            size = decoding_bytes(checkpoint, request)
            with self.turns.turn(watch, size=size), letting_others_run(watch.let_others_run):
                search = partial(
                    decode,
                    checkpoint.model,
                    checkpoint.tokenizer,
                    request.text,
                    language=checkpoint.config.target_language,
                    intervention=Intervention(request.forced, request.overrides),
                    on_step=watch,
                )
                run = partial(decode_beside_greedy, search) if also_others else search
                trace = run(request.settings)
        if not trace.hypotheses:
            raise RequestError(without_output(trace))
        return checkpoint.sign(trace)

    def score(
        self, name: str | CheckpointName, source: str, target: str, normalizer: LengthNormalizer | None = None
    ) -> ScoredText:
        """Score a text as an output of a checkpoint, in a turn like that of a decoding.

        Raises DecodingError, RequestError, UnknownCheckpointError, CheckpointError.
        """
        from models.decoding.judge.rescore import rescore

        checkpoint = self.checkpoint(name)
        with self.turns.turn(Watch()):
            return rescore(checkpoint.model, checkpoint.tokenizer, source, target, normalizer)

    def warm_up(self) -> None:
        """Load torch and the default checkpoint, so that the first visitor need not wait for them."""
        from models.device import use_threads

        use_threads(1)  # visitors run in parallel, and small networks gain nothing from more
        name = self.default_checkpoint
        try:
            if name is not None:
                self.checkpoint(name)
        except (CheckpointError, UnknownCheckpointError, RequestError) as error:
            logger.warning("%s", error)

    def end_work(self, seconds: float) -> bool:
        """End all work, and return whether it ended within `seconds`."""
        with self._lock:
            for one in self._shared.values():
                one.close()
        return self.turns.close(seconds)

    def one_for_all(self, kind: type[T]) -> T:
        """The one object of a class that all visitors share, made on first use; `end_work` closes it."""
        with self._lock:
            if kind not in self._shared:
                self._shared[kind] = kind()
            return self._shared[kind]  # type: ignore[no-any-return]

    def device_type(self) -> str:
        """The kind of device that checkpoints live on: "cpu", or that of a GPU. Raises RequestError."""
        return str(getattr(self._device, "type", "cpu"))

    @cached_property
    def _device(self) -> Any:  # a `torch.device`; torch is not imported here
        from models.device import resolve_device

        try:
            return resolve_device(self.device_name)
        except (ValueError, RuntimeError) as error:
            raise RequestError(
                "device_lacking",
                "The server was started with a device that it lacks: {problem}.",
                problem=message_of(error),
            ) from error

    def _has_example(self, name: str) -> bool:
        try:
            self.registry.example(name)
        except (CheckpointError, UnknownCheckpointError):
            return False
        return True

    def _load(self, name: CheckpointName) -> tuple[Version, Checkpoint]:
        from models.networks.packed import is_packed, pack_linears

        version, checkpoint = self._read(name.stored)
        checkpoint.model.requires_grad_(False)  # only inputs need gradients here
        if is_hugging_face(checkpoint.config):
            if name.precision:
                raise RequestError(
                    "no_eight_bit_form",
                    "{name} has no form with weights of 8 bits. Use it as it is.",
                    name=name.stored,
                )
            return version, checkpoint
        pack_linears(checkpoint.model, name.precision or "fp16")  # the page only decodes
        if name.precision and not is_packed(checkpoint.model):
            raise RequestError(
                "eight_bits_need_kernels",
                "Weights of 8 bits need a CPU with the right kernels. Use the full checkpoint.",
            )
        return version, replace(checkpoint, name=str(name))

    def _read(self, name: CheckpointName) -> tuple[Version, Checkpoint]:
        """Read a checkpoint and its version; retry while a run is writing it, until its files fit."""
        until = time.monotonic() + RETRY_SECONDS
        while True:
            version = self.registry.version(name)
            try:
                return version, self.registry.load(name, self._device)
            except CheckpointError:
                if self.registry.version(name) == version or time.monotonic() > until:
                    raise
            time.sleep(PAUSE_SECONDS)


def _weights_bytes(entry: tuple[Version, Checkpoint]) -> int:
    from models.networks.packed import memory_bytes

    return memory_bytes(entry[1].model)
