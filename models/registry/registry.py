"""Finds checkpoints in a folder; reads their cards, tokenizers and examples without their weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

from models.decoding.record.untrusted import read_untrusted
from models.decoding.record_json import TraceError
from models.decoding.trace import DecodingTrace
from models.errors import Message, hint, reason_of
from models.registry.card import CheckpointCard, CheckpointError, read_card, restore, unusable
from models.registry.checkpoint import (
    CONFIG,
    WEIGHTS,
    Checkpoint,
    CheckpointConfig,
    load_checkpoint,
    load_config,
    load_tokenizer,
)
from models.registry.hugging_face.card import from_strangers
from models.registry.hugging_face.checks import ANY_WEIGHTS, FILES_FOLDER
from models.registry.hugging_face.files import (
    ADD_AGAIN,
    is_hugging_face,
    load_hugging_face,
    load_hugging_face_tokenizer,
)
from models.registry.name import VARIANT_MARK, CheckpointName, UnknownCheckpointError, is_base
from models.registry.quality_by_length import QualityByLength, QualityError
from models.registry.variant import VariantError, with_variant
from models.tokenization.tokenizer import Tokenizer
from models.whole_file import read_text, write_whole

if TYPE_CHECKING:
    import torch

__all__ = ["EXAMPLE", "QUALITY", "HubModels", "Registry", "UnknownCheckpointError", "Version"]

Version: TypeAlias = tuple[tuple[int, int], ...]  # (time of writing in ns, bytes) of each file

MAX_EXAMPLE_BYTES = 64 << 20
EXAMPLE, QUALITY = "example.json", "quality_by_length.json"
FROM_STRANGERS = Message("from_strangers", "was made by other people, so it is not shown")
TRAIN_AGAIN = Message("train_again", "Train it again, or choose another checkpoint.")
DECODE_A_TEXT = Message("decode_a_text", "Decode a text.")


class HubModels(Protocol):
    """The models that were added from the Hub."""

    def names(self) -> tuple[str, ...]:
        """The checkpoints that can be used now."""

    def folder(self, name: str) -> Path | None:
        """The folder of a checkpoint; None if there is none of that name."""


class Registry:
    """The checkpoints under one folder, without a cache of weights.

    `unlisted` returns the folder of a checkpoint that `names` does not list, or None: only people who know
    its name can use a checkpoint that a visitor trained. The checkpoints of `hub_models` are listed.
    """

    def __init__(
        self,
        root: Path,
        unlisted: Callable[[str], Path | None] = lambda name: None,
        hub_models: HubModels | None = None,
    ) -> None:
        self.root = root
        self._unlisted, self._hub_models = unlisted, hub_models

    def names(self) -> tuple[str, ...]:
        """The names of all folders with a `config.json` in alphabetical order, then those from the Hub.

        A checkpoint need not be usable. Folders whose name cannot be that of a checkpoint are left out.
        """
        return (*self._shipped_names(), *(self._hub_models.names() if self._hub_models else ()))

    def _shipped_names(self) -> list[str]:
        return sorted(filter(is_base, (path.parent.name for path in self.root.glob(f"*/{CONFIG}"))))

    def card(self, name: str | CheckpointName, language: str = "") -> CheckpointCard:
        """The card, with its text in `language` if there is one.

        Raises UnknownCheckpointError, CheckpointError.
        """
        name = CheckpointName.of(name)
        if name.variant:
            self.config(name.stored)  # raises UnknownCheckpointError for a variant that it lacks
        with self._with_remedy(name):
            card = replace(read_card(self.folder(name), language), name=str(name))
        return from_strangers(card) if self.is_from_hub(name) else card

    def cards(self, language: str = "") -> dict[str, CheckpointCard | CheckpointError]:
        """All cards by the names of their checkpoints; the error of a card that cannot be read."""
        result: dict[str, CheckpointCard | CheckpointError] = {}
        for name in self.names():
            try:
                result[name] = self.card(name, language)
            except CheckpointError as error:
                result[name] = error
            except UnknownCheckpointError:
                continue  # removed since it was listed
        return result

    def configs(self) -> dict[str, CheckpointConfig]:
        """All configurations by the names of their checkpoints, without unreadable ones."""
        result: dict[str, CheckpointConfig] = {}
        for name in self.names():
            with suppress(CheckpointError, UnknownCheckpointError):
                result[name] = self.config(name)
        return result

    def config(self, name: str | CheckpointName) -> CheckpointConfig:
        """The configuration of the variant that the name states.

        Raises UnknownCheckpointError, also for a variant that it lacks, and CheckpointError.
        """
        name = CheckpointName.of(name)
        with self._with_remedy(name):
            config = load_config(self.folder(name))
        try:
            return with_variant(config, VARIANT_MARK.join(filter(None, (name.variant, name.precision))))
        except VariantError as error:
            raise UnknownCheckpointError(
                "no_such_variant", "No such variant of {name}: {problem}", name=repr(name.base), problem=error
            ) from error
        except (ValueError, TypeError) as error:
            problem = Message(
                "variants_unreadable",
                "names variants that cannot be read ({reason})",
                reason=reason_of(error),
            )
            raise CheckpointError(name.base, CONFIG, problem) from error

    def tokenizer(self, name: str | CheckpointName) -> Tokenizer:
        """The tokenizer alone, without torch. Raises UnknownCheckpointError, CheckpointError."""
        config, folder = self.config(name), self.folder(name)
        read = load_hugging_face_tokenizer if is_hugging_face(config) else load_tokenizer
        with self._with_remedy(name):
            return read(folder, config)

    def example(self, name: str | CheckpointName) -> DecodingTrace:
        """The stored trace of the checkpoint's first example. Raises CheckpointError if it is unusable."""
        folder = self.folder(name)
        if self.is_from_hub(name):
            raise CheckpointError(str(name), EXAMPLE, FROM_STRANGERS, DECODE_A_TEXT)
        try:
            trace = read_untrusted(read_text(folder / EXAMPLE, MAX_EXAMPLE_BYTES))
        except (OSError, UnicodeDecodeError, TraceError) as error:
            remedy = Message(
                "make_example", "Make it again with `python -m models.registry {name}`.", name=name
            )
            raise CheckpointError(str(name), EXAMPLE, unusable(reason_of(error)), remedy) from error
        return replace(trace, checkpoint=str(name))  # the trace of a run was written under another name

    def quality_by_length(self, name: str | CheckpointName) -> QualityByLength | None:
        """The scores on short and long sources; None if they were not measured.

        Raises UnknownCheckpointError, and CheckpointError if the file is damaged.
        """
        path = self.folder(name) / QUALITY
        if self.is_from_hub(name):
            return None  # strangers have measured it, on unknown texts
        try:
            return replace(QualityByLength.from_json(read_text(path)), checkpoint=str(name))
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError, QualityError) as error:
            remedy = Message(
                "measure_again",
                "Measure again with `python -m models.evaluation.by_length --checkpoint {name}`.",
                name=name,
            )
            raise CheckpointError(str(name), QUALITY, unusable(reason_of(error)), remedy) from error

    def load(self, name: str | CheckpointName, device: torch.device) -> Checkpoint:
        """The whole checkpoint. Raises UnknownCheckpointError, CheckpointError."""
        config, folder = self.config(name), self.folder(name)
        with self._with_remedy(name):
            if is_hugging_face(config):
                checkpoint = load_hugging_face(folder, config, device)
            else:
                checkpoint = load_checkpoint(folder, device)
        try:
            task = self.card(name).task
        except CheckpointError:
            task = ""  # a checkpoint decodes without its card
        return replace(checkpoint, name=str(name), task=task)

    def version(self, name: str | CheckpointName) -> Version:
        """A value that changes with the configuration or the weights, found without reading them.

        Raises UnknownCheckpointError.
        """
        folder = self.folder(name)
        library_weights = sorted((folder / FILES_FOLDER).glob(ANY_WEIGHTS))
        return tuple(map(_modification, (folder / CONFIG, folder / WEIGHTS, *library_weights)))

    @contextmanager
    def _with_remedy(self, name: str | CheckpointName) -> Iterator[None]:
        """Give errors the remedy for a checkpoint that ships, comes from the Hub, or is that of a run."""
        try:
            yield
        except CheckpointError as error:
            if error.remedy is not None:
                raise
            base = CheckpointName.of(name).base
            elsewhere = ADD_AGAIN if self.is_from_hub(name) else TRAIN_AGAIN
            remedy = restore(base) if base in self._shipped_names() else elsewhere
            raise CheckpointError(base, error.file, error.problem, remedy) from error

    def is_from_hub(self, name: str | CheckpointName) -> bool:
        """Whether a checkpoint is from the Hub, so that its files come from strangers."""
        base = CheckpointName.of(name).base
        return (
            self._hub_models is not None
            and base not in self._shipped_names()
            and self._unlisted(base) is None
        )

    def folder(self, name: str | CheckpointName) -> Path:
        """The folder of a checkpoint, the same for all variants. Raises UnknownCheckpointError."""
        base = CheckpointName.of(name).base
        # The name is compared with those that exist, so that no name can lead out of the folder.
        if base in self._shipped_names():
            return self.root / base
        elsewhere = self._unlisted(base) or (self._hub_models.folder(base) if self._hub_models else None)
        if elsewhere is not None:
            return elsewhere
        if self._hub_models is not None and "/" in base:
            raise UnknownCheckpointError(
                "model_not_here",
                "{name} is not here, or not any more. Add it from the Hub, or choose another.",
                name=base[:100],
            )
        raise UnknownCheckpointError(
            "no_such_checkpoint",
            "There is no checkpoint {name}; {hint}",
            name=repr(base),
            hint=hint(base, self.names()),
        )


def _modification(file: Path) -> tuple[int, int]:
    try:
        result = file.stat()
    except OSError:
        return 0, 0
    return result.st_mtime_ns, result.st_size


def write_example(folder: Path, checkpoint: Checkpoint) -> DecodingTrace:
    """Decode the first example at beam 4 and write `example.json`; the checkpoint must have one."""
    from models.decoding.decode import decode, decode_beside_greedy
    from models.decoding.options import DecodingOptions

    search = partial(decode, checkpoint.model, checkpoint.tokenizer, checkpoint.config.examples[0])
    options = DecodingOptions(max_length=checkpoint.config.max_length)
    trace = checkpoint.sign(decode_beside_greedy(search, options))
    write_whole(folder / EXAMPLE, trace.to_json() + "\n")
    return trace
