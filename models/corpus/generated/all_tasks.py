"""Every generated task by name, its pairs, and splits of them whose validation sources are new."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Mapping

from models.corpus.generated.dates import DATES
from models.corpus.generated.letters import COPY, HISTORIES, REVERSAL, SORT
from models.corpus.generated.numbers import ARITHMETIC, NUMBERS
from models.corpus.generated.shapes import SHAPES
from models.corpus.generated.task import GeneratedTask, Options
from models.corpus.pairs import DataError, Pair, Split
from models.errors import Message, quoted_label
from models.setting import Setting

GENERATED: dict[str, GeneratedTask] = {
    task.name: task for task in (REVERSAL, COPY, SORT, DATES, NUMBERS, ARITHMETIC, HISTORIES)
}
TASKS = GENERATED | {SHAPES.name: SHAPES}  # GENERATED lacks the tasks that have pictures
MAX_GENERATED_PAIRS = 1_000_000  # pairs made at once
_PAIR_COUNT = Setting(low=1, high=MAX_GENERATED_PAIRS, default=1)
MIN_SOURCES = 50  # validation takes sources away from training
RESERVED_ONE_IN = 5  # one source in five is reserved for validation


def generate(
    task: str, count: int, rng: random.Random, options: Mapping[str, int] | None = None
) -> tuple[Pair, ...]:
    """Return `count` random pairs of a task, perhaps with repeats. Missing options have their defaults.

    Raises DataError for an unknown task, an invalid option or count.
    """
    generated_task, values = _check_task(task, options)
    _PAIR_COUNT.check(count, DataError, "count")
    return tuple(generated_task.make(rng, values) for _ in range(count))


def generate_split(
    task: str, train_size: int, valid_size: int, rng: random.Random, options: Mapping[str, int] | None = None
) -> Split:
    """Return random training pairs, and different validation pairs whose sources training never sees.

    One source in five is reserved for validation, whatever its length, so training has sources of every
    length. If a task has few sources, the validation set is smaller than `valid_size`, and the note of the
    split says so. Raises DataError if there are too few sources to reserve any.
    """
    generated_task, values = _check_task(task, options)
    _PAIR_COUNT.check(train_size, DataError, "train_size")
    _PAIR_COUNT.check(valid_size, DataError, "valid_size")
    if (sources := generated_task.sources(values)) < MIN_SOURCES:
        raise DataError(
            "too_few_sources",
            "with these options {task} has only {count} different sources, too few to keep some "
            "back for validation: allow at least {least} with larger numbers",
            task=quoted_label(generated_task.title),
            count=sources,
            least=MIN_SOURCES,
        )
    if generated_task.has_pictures:
        return _pictures(generated_task, values, rng, train_size, valid_size)
    salt = rng.getrandbits(64)
    training_pairs = _unreserved_pairs(generated_task, values, rng, salt)
    train = tuple(next(training_pairs) for _ in range(train_size))
    # Only "zero" has a z among the numbers. If it is reserved, the network has never seen that letter.
    tokens = {token for pair in train for token in _tokens(generated_task, pair)}
    valid: dict[str, str] = {}
    for pair in _reserved_pairs(
        generated_task, values, rng, salt, max(1000, 10 * RESERVED_ONE_IN * valid_size)
    ):
        if tokens.issuperset(_tokens(generated_task, pair)):
            valid.setdefault(*pair)
        if len(valid) == valid_size:
            break
    if not valid:
        raise DataError(
            "training_set_too_small",
            "a training set of {count} is too small to learn {task} from: make more",
            count=train_size,
            task=quoted_label(generated_task.title),
        )
    note: str = ""
    if len(valid) < valid_size:
        note = Message(
            "few_for_validation",
            "{count} of {sources} different sources are kept for validation instead of {wanted}; training "
            "sees none of them.",
            sources=f"{sources:,}",
            count=f"{len(valid):,}",
            wanted=f"{valid_size:,}",
        )
    return Split(train, tuple(valid.items()), note)


def _pictures(
    task: GeneratedTask, options: Options, rng: random.Random, train_size: int, valid_size: int
) -> Split:
    """A split of pictures. No two of them are alike, so none are reserved."""
    train = tuple(task.make(rng, options) for _ in range(train_size))
    return Split(train, tuple(task.make(rng, options) for _ in range(valid_size)))


def _reserved_pairs(
    task: GeneratedTask, options: Options, rng: random.Random, salt: int, draws: int
) -> Iterator[Pair]:
    """The pairs with a reserved source among `draws` random pairs. A task may have few such sources."""
    pairs = (task.make(rng, options) for _ in range(draws))
    return (pair for pair in pairs if _is_reserved(pair[0], salt))


def _unreserved_pairs(task: GeneratedTask, options: Options, rng: random.Random, salt: int) -> Iterator[Pair]:
    """Random pairs whose source is not reserved, without end."""
    while True:
        pair = task.make(rng, options)
        if not _is_reserved(pair[0], salt):
            yield pair


def _tokens(task: GeneratedTask, pair: Pair) -> Iterator[str]:
    """The tokens that the task's kind of tokenizer makes of a pair."""
    for text in pair:
        yield from text.split() if task.tokenizer == "word" else text


def _is_reserved(source: str, salt: int) -> bool:
    digest = hashlib.blake2b(source.encode(), digest_size=8, key=salt.to_bytes(8, "big")).digest()
    return int.from_bytes(digest, "big") % RESERVED_ONE_IN == 0


def _check_task(task: str, options: Mapping[str, int] | None) -> tuple[GeneratedTask, dict[str, int]]:
    if task not in TASKS:
        raise DataError(
            "no_such_task",
            "there is no task {task}: choose one of {tasks}",
            task=repr(task),
            tasks=", ".join(TASKS),
        )
    generated_task = TASKS[task]
    return generated_task, generated_task.check(options or {})
