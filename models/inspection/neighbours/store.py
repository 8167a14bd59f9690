"""States on disk: parts as safetensors, mapped into memory, and a JSON file that says whose they are.

A part is written whole or not at all, and the JSON file when all parts are there: so a command that was
stopped goes on where it was, and whoever reads meanwhile sees the states that were there before.
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
from models.errors import Message, UnrolledError
from models.inspection.neighbours.states import (
    KINDS,
    MAX_STEPS,
    Example,
    StatePart,
    StateTable,
    divided,
    examples,
    first,
    states,
)
from models.registry.checkpoint import Checkpoint
from models.registry.name import CheckpointName
from models.whole_file import write_whole

FORMAT_VERSION = 1
INDEX, LOCK = "store.json", ".lock"
COLUMNS = ("vectors", "squares", "tokens", "pairs", "places")  # of a table

Report = Callable[[int, int, int], None]  # parts done, parts in all, steps done


class StateStoreError(UnrolledError, ValueError):
    """States that cannot be kept, or that are not this checkpoint's."""


@dataclass(frozen=True)
class Index:
    """`store.json`."""

    checkpoint: str
    fingerprint: str  # of the network whose states these are
    folder: str  # of the parts
    parts: int
    pairs: int
    steps: int
    left_out: int  # pairs that do not fit the network, or that are beyond the largest number of steps
    format_version: int = FORMAT_VERSION


@dataclass(frozen=True)
class StateStore:
    """The states of a checkpoint on some sentences."""

    parts: tuple[StatePart, ...]
    left_out: int = 0

    @property
    def pairs(self) -> int:
        """Sentences."""
        return sum(len(part.pairs) for part in self.parts)

    def count(self, kind: str) -> int:
        """States of a kind."""
        return sum(len(part.tables[kind]) for part in self.parts if kind in part.tables)


def fingerprint(checkpoint: Checkpoint) -> str:
    """A digest of a checkpoint's configuration and weights."""
    config = checkpoint.config
    precision = CheckpointName.of(checkpoint.name).precision
    what = (precision, config.network, config.vocab_size, config.sha256)
    digest = hashlib.sha256(json.dumps(what, sort_keys=True, default=dict).encode())
    if not config.sha256:  # never saved
        for name, parameter in checkpoint.model.named_parameters():
            digest.update(name.encode())
            digest.update(parameter.detach().float().cpu().numpy().tobytes())
    return digest.hexdigest()


def states_at_once(checkpoint: Checkpoint, pairs: Sequence[Pair], most: int = MAX_STEPS) -> StateStore:
    """A store in memory alone."""
    result = tuple(first(examples(checkpoint, pairs), most))
    return StateStore(tuple(states(checkpoint, part) for part in divided(result)), len(pairs) - len(result))


def place_of(root: Path, name: str) -> Path:
    """The folder of a checkpoint's states."""
    return root / (re.sub(r"[^\w.@-]+", "--", name).lstrip(".") or "unnamed")


def store_states(
    root: Path,
    checkpoint: Checkpoint,
    pairs: Sequence[Pair],
    report: Report = lambda done, parts, steps: None,
    most: int = MAX_STEPS,
) -> Index:
    """Compute what is not there yet and keep it in place of what was. Raises StateStoreError."""
    place, result = place_of(root, checkpoint.name), tuple(first(examples(checkpoint, pairs), most))
    if not result:
        raise StateStoreError(
            "no_pair_for_states",
            "none of the {count} pairs fits the network: choose other pairs",
            count=f"{len(pairs):,}",
        )
    print_ = fingerprint(checkpoint)
    parts = tuple(divided(result))
    steps = sum(len(item.target) for item in result)
    folder = _key(print_, result)
    index = Index(
        checkpoint.name, print_, folder, len(parts), len(result), steps, left_out=len(pairs) - len(result)
    )
    try:
        place.mkdir(parents=True, exist_ok=True)
        with FileLock(place / LOCK, timeout=0):
            _write_parts(place / folder, checkpoint, parts, report)
            write_whole(place / INDEX, json.dumps(asdict(index), indent=2) + "\n")
            _clear(place, keep=folder)
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
            folder=place,
            reason=error.strerror or error,
        ) from error
    return index


def open_states(root: Path, checkpoint: Checkpoint) -> StateStore | None:
    """What is kept for a checkpoint, mapped into memory; None if nothing is.

    Raises StateStoreError for the states of other weights, and for damaged files.
    """
    place = place_of(root, checkpoint.name)
    try:
        index = Index(**json.loads((place / INDEX).read_bytes()))
        if index.format_version != FORMAT_VERSION or index.fingerprint != fingerprint(checkpoint):
            raise StateStoreError(
                "states_of_other_weights",
                "the stored states of {checkpoint} were made by other weights: make them again with "
                "`python -m models.inspection.neighbours`",
                checkpoint=checkpoint.name,
            )
        files = [place / index.folder / _name(number) for number in range(index.parts)]
        return StateStore(tuple(map(_read, files)), index.left_out)
    except FileNotFoundError:
        if not (place / INDEX).exists():
            return None
        raise _damaged(checkpoint.name) from None
    except StateStoreError:
        raise
    except (OSError, SafetensorError, ValueError, TypeError, KeyError) as error:
        raise _damaged(checkpoint.name) from error


def _damaged(checkpoint: str) -> StateStoreError:
    message = Message(
        "states_damaged",
        "the stored states of {checkpoint} are damaged: make them again with "
        "`python -m models.inspection.neighbours`",
        checkpoint=checkpoint,
    )
    return StateStoreError(message)


def _key(print_: str, found: Sequence[Example]) -> str:
    """A name for the states of these pairs by these weights."""
    digest = hashlib.sha256(f"{FORMAT_VERSION} {print_}".encode())
    for item in found:
        digest.update(json.dumps(item.pair).encode())
    return digest.hexdigest()[:16]


def _name(number: int) -> str:
    return f"part-{number:05}.safetensors"


def _write_parts(
    folder: Path, checkpoint: Checkpoint, parts: Sequence[Sequence[Example]], report: Report
) -> None:
    """Those that are not there; one that lies there is whole."""
    folder.mkdir(exist_ok=True)
    done = 0
    for number, part in enumerate(parts):
        path = folder / _name(number)
        if not path.exists():
            write_whole(path, _packed(states(checkpoint, part)))
        done += sum(len(item.target) for item in part)
        report(number + 1, len(parts), done)


def _packed(part: StatePart) -> bytes:
    tensors = {
        f"{kind}.{column}": getattr(table, column).contiguous()
        for kind, table in part.tables.items()
        for column in COLUMNS
    }
    return save(tensors, metadata={"pairs": json.dumps(part.pairs, ensure_ascii=False)})


def _read(path: Path) -> StatePart:
    with safe_open(path, framework="pt") as file:
        names = set(file.keys())
        tables = {
            kind: StateTable(*(file.get_tensor(f"{kind}.{column}") for column in COLUMNS))
            for kind in KINDS
            if f"{kind}.vectors" in names
        }
        pairs = tuple((source, target) for source, target in json.loads(file.metadata()["pairs"]))
    return StatePart(pairs, tables)


def _clear(place: Path, keep: str) -> None:
    """Remove the parts of states that were there before, as far as the system lets go of them."""
    for folder in place.iterdir():
        if folder.is_dir() and folder.name != keep:
            shutil.rmtree(folder, ignore_errors=True)
