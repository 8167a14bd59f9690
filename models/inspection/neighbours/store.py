"""States on disk: parts as safetensors, mapped into memory, and a JSON file that names their network.

Parts are written atomically, and the JSON file after all of them. So a stopped command can go on later, and
readers see the old states until the end.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from filelock import FileLock, Timeout
from safetensors import SafetensorError, safe_open
from safetensors.torch import save

from models.corpus.pairs import Pair
from models.errors import UnrolledError
from models.inspection.neighbours.states import (
    MAX_STORED_STEPS,
    STATE_KINDS,
    Example,
    StatePart,
    StateTable,
    divide,
    examples,
    first_examples,
    states,
)
from models.records import record
from models.registry.checkpoint import Checkpoint
from models.registry.name import CheckpointName
from models.whole_file import read_bytes, write_whole

STORE_VERSION = 1
STORE_INDEX, STORE_LOCK = "store.json", ".lock"
TABLE_COLUMNS = ("vectors", "squares", "tokens", "pairs", "places")
# What reading damaged files may raise.
DAMAGE = (
    *(OSError, SafetensorError, ValueError, TypeError, AttributeError),
    *(LookupError, ArithmeticError, RuntimeError),
)

Report = Callable[[int, int, int], None]  # finished parts, all parts, finished steps


class StateStoreError(UnrolledError, ValueError):
    """States that cannot be stored, or that belong to another network."""


@dataclass(frozen=True)
class Index:
    """The content of `store.json`."""

    checkpoint: str
    fingerprint: str  # the fingerprint of the network
    folder: str  # the folder of the parts
    parts: int
    pairs: int
    steps: int
    left_out: int  # pairs that do not fit the network, or exceed the number of steps
    format_version: int = STORE_VERSION


@dataclass(frozen=True)
class StateStore:
    """The states of a checkpoint on some sentences."""

    parts: tuple[StatePart, ...]

    @property
    def pairs(self) -> int:
        """Number of sentences."""
        return sum(len(part.pairs) for part in self.parts)

    def count(self, kind: str) -> int:
        """Number of states of a kind."""
        return sum(len(part.tables[kind]) for part in self.parts if kind in part.tables)


def fingerprint(checkpoint: Checkpoint) -> str:
    """A digest of a checkpoint's configuration and weights."""
    config = checkpoint.config
    precision = CheckpointName.of(checkpoint.name).precision
    identity = (precision, config.network, config.vocab_size, config.sha256)
    digest = hashlib.sha256(json.dumps(identity, sort_keys=True, default=dict).encode())
    if not config.sha256:  # the checkpoint was never saved
        for name, parameter in checkpoint.model.named_parameters():
            digest.update(name.encode())
            digest.update(parameter.detach().float().cpu().numpy().tobytes())
    return digest.hexdigest()


def states_at_once(checkpoint: Checkpoint, pairs: Sequence[Pair]) -> StateStore:
    """A store in memory only."""
    fitting = first_examples(examples(checkpoint, pairs), MAX_STORED_STEPS)
    return StateStore(tuple(states(checkpoint, part) for part in divide(fitting)))


def folder_of(root: Path, name: str) -> Path:
    """The folder of a checkpoint's states."""
    return root / (re.sub(r"[^\w.@-]+", "--", name).lstrip(".") or "unnamed")


def store_states(
    root: Path,
    checkpoint: Checkpoint,
    pairs: Sequence[Pair],
    report: Report = lambda done, parts, steps: None,
    max_steps: int = MAX_STORED_STEPS,
) -> Index:
    """Compute the missing states and store them in place of older ones. Raises StateStoreError."""
    root_of_checkpoint = folder_of(root, checkpoint.name)
    fitting = tuple(first_examples(examples(checkpoint, pairs), max_steps))
    if not fitting:
        raise StateStoreError(
            "no_pair_for_states",
            "none of the {count} pairs fits the network: choose other pairs",
            count=f"{len(pairs):,}",
        )
    network_digest = fingerprint(checkpoint)
    parts = tuple(divide(fitting))
    folder, left_out = _key(network_digest, fitting), len(pairs) - len(fitting)
    steps = sum(len(example.target) for example in fitting)
    index = Index(checkpoint.name, network_digest, folder, len(parts), len(fitting), steps, left_out)
    try:
        root_of_checkpoint.mkdir(parents=True, exist_ok=True)
        with FileLock(root_of_checkpoint / STORE_LOCK, timeout=0):
            _write_parts(root_of_checkpoint / folder, checkpoint, parts, report)
            write_whole(root_of_checkpoint / STORE_INDEX, json.dumps(asdict(index), indent=2) + "\n")
            _clear(root_of_checkpoint, keep=folder)
    except Timeout:
        raise StateStoreError(
            "states_being_stored",
            "another command stores states of {checkpoint} now: wait for it, or stop it",
            checkpoint=checkpoint.name,
        ) from None
    except OSError as error:
        raise StateStoreError(
            "states_not_stored",
            "the states cannot be stored in {folder} ({reason}): free some space on the disk, then give the "
            "same command again, which goes on from here",
            folder=root_of_checkpoint,
            reason=error.strerror or error,
        ) from error
    return index


def open_states(root: Path, checkpoint: Checkpoint) -> StateStore | None:
    """The stored states of a checkpoint, mapped into memory; None if there are none.

    Raises StateStoreError for the states of other weights, and for damaged files.
    """
    folder = folder_of(root, checkpoint.name)
    try:
        index = record(Index, json.loads(read_bytes(folder / STORE_INDEX)))
        if index.format_version != STORE_VERSION or index.fingerprint != fingerprint(checkpoint):
            raise StateStoreError(
                "states_of_other_weights",
                "the stored states of {checkpoint} were made by other weights: make them again with "
                "`python -m models.inspection.neighbours`",
                checkpoint=checkpoint.name,
            )
        if index.parts < 1:
            raise _damaged_error(checkpoint.name)
        files = (folder / index.folder / _name(number) for number in range(index.parts))
        return StateStore(tuple(map(_read, files)))
    except FileNotFoundError:
        if not (folder / STORE_INDEX).exists():
            return None
        raise _damaged_error(checkpoint.name) from None
    except StateStoreError:
        raise
    except DAMAGE as error:
        raise _damaged_error(checkpoint.name) from error


def _damaged_error(checkpoint: str) -> StateStoreError:
    return StateStoreError(
        "states_damaged",
        "the stored states of {checkpoint} are damaged: make them again with "
        "`python -m models.inspection.neighbours`",
        checkpoint=checkpoint,
    )


def _key(network_digest: str, fitting: Sequence[Example]) -> str:
    """A name for the states of these pairs by these weights."""
    digest = hashlib.sha256(f"{STORE_VERSION} {network_digest}".encode())
    for example in fitting:
        digest.update(json.dumps(example.pair).encode())
    return digest.hexdigest()[:16]


def _name(number: int) -> str:
    return f"part-{number:05}.safetensors"


def _write_parts(
    folder: Path, checkpoint: Checkpoint, parts: Sequence[Sequence[Example]], report: Report
) -> None:
    """Write the parts that are missing; a part that exists is complete."""
    folder.mkdir(exist_ok=True)
    stored_steps = 0
    for number, part in enumerate(parts):
        path = folder / _name(number)
        if not path.exists():
            write_whole(path, _pack(states(checkpoint, part)))
        stored_steps += sum(len(example.target) for example in part)
        report(number + 1, len(parts), stored_steps)


def _pack(part: StatePart) -> bytes:
    tensors = {
        f"{kind}.{column}": getattr(table, column).contiguous()
        for kind, table in part.tables.items()
        for column in TABLE_COLUMNS
    }
    return save(tensors, metadata={"pairs": json.dumps(part.pairs, ensure_ascii=False)})


def _read(path: Path) -> StatePart:
    if not path.is_file():
        raise FileNotFoundError(path)
    with safe_open(path, framework="pt") as file:
        names = set(file.keys())
        tables = {
            kind: StateTable(*(file.get_tensor(f"{kind}.{column}") for column in TABLE_COLUMNS))
            for kind in STATE_KINDS
            if f"{kind}.vectors" in names
        }
        pairs = tuple((source, target) for source, target in json.loads(file.metadata()["pairs"]))
    if not tables or not all(isinstance(text, str) for pair in pairs for text in pair):
        raise ValueError("no states, or pairs of other things than texts")
    for table in tables.values():
        _check_table(table, len(pairs))
    return StatePart(pairs, tables)


def _check_table(table: StateTable, num_pairs: int) -> None:
    """Raise ValueError for a table with columns that do not fit each other. The vectors are not read."""
    columns = (table.squares, table.tokens, table.pairs, table.places)
    if table.vectors.dim() != 2 or any(column.shape != table.vectors.shape[:1] for column in columns):
        raise ValueError("columns of different lengths")
    if any(column.is_floating_point() for column in columns[1:]) or not table.vectors.is_floating_point():
        raise ValueError("columns of other types")
    if len(table) and (min(column.min() for column in columns) < 0 or int(table.pairs.max()) >= num_pairs):
        raise ValueError("numbers out of range")
    if not table.squares.isfinite().all():
        raise ValueError("vectors that are not finite")


def _clear(folder: Path, keep: str) -> None:
    """Remove the parts of older states, as far as the system allows it."""
    for path in folder.iterdir():
        if path.is_dir() and path.name != keep:
            shutil.rmtree(path, ignore_errors=True)
