"""Pairs in three parts that share no source and, for sentences, no target."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from models.corpus.pairs import DataError, Pair
from models.corpus.validation_split import shuffled_keys

SEED = 20240229
_SMALLEST_TRAIN = 8  # times as large as each held-out part, at least


@dataclass(frozen=True)
class Parts:
    """Three parts; the pairs of one source stand on consecutive lines, in the order of their file."""

    train: tuple[Pair, ...]
    valid: tuple[Pair, ...]
    test: tuple[Pair, ...]
    dropped: int  # pairs that train has not, because their target is held out


def split_parts(
    pairs: Sequence[Pair],
    held_out: int,
    key: Callable[[str], str],
    *,
    disjoint_targets: bool,
    seed: int = SEED,
) -> Parts:
    """The pairs in parts, at most `held_out` to validate and to test on, all pairs of a source in one part.

    Sources and targets are the same if their keys are. Seed and texts alone decide. Raises DataError if
    there are too few pairs.
    """
    groups: defaultdict[str, list[Pair]] = defaultdict(list)
    for source, target in pairs:
        groups[key(source)].append((source, target))
    order = shuffled_keys(groups, seed)
    size = min(held_out, len(pairs) // (_SMALLEST_TRAIN + 2))
    used: dict[str, set[str]] = {"test": set(), "valid": set()}  # targets of each part
    parts: dict[str, list[Pair]] = {"test": [], "valid": []}
    assigned: set[str] = set()
    for part, pairs_of_part in parts.items():
        others = set().union(*(targets for name, targets in used.items() if name != part))
        for name in order:
            targets = {key(target) for _, target in groups[name]} if disjoint_targets else set()
            if name in assigned or len(pairs_of_part) + len(groups[name]) > size or targets & others:
                continue
            assigned.add(name)
            used[part] |= targets
            pairs_of_part += sorted(groups[name], key=lambda pair: pair[0])
            if len(pairs_of_part) == size:
                break
    secret = used["test"] | used["valid"]
    rest = [
        pair
        for name in order
        if name not in assigned
        for pair in sorted(groups[name], key=lambda pair: pair[0])
    ]
    train = [pair for pair in rest if not disjoint_targets or key(pair[1]) not in secret]
    if not all((train, *parts.values())):
        raise DataError(
            "too_few_pairs",
            "{count} pairs are too few for training, validation and testing: fetch them anew",
            count=len(pairs),
        )
    return Parts(tuple(train), tuple(parts["valid"]), tuple(parts["test"]), len(rest) - len(train))
