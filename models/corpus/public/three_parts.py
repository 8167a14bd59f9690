"""Pairs in three parts that share no source and, for sentences, no target."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from models.corpus.pairs import DataError, Pair
from models.corpus.validation_split import shuffled_keys

SPLIT_SEED = 20240229
_MIN_TRAIN_RATIO = 8  # pairs of the training part for each pair of a held-out part


@dataclass(frozen=True)
class Parts:
    """Three parts; the pairs of one source stand on consecutive lines, in the order of their file."""

    train: tuple[Pair, ...]
    valid: tuple[Pair, ...]
    test: tuple[Pair, ...]
    dropped: int  # pairs left out of training, since their target is in a held-out part


def split_parts(
    pairs: Sequence[Pair],
    held_out: int,
    key: Callable[[str], str],
    *,
    disjoint_targets: bool,
    seed: int = SPLIT_SEED,
) -> Parts:
    """Split pairs into three parts, with all pairs of a source in one part.

    held_out: the most pairs of the validation part and of the test part. key: texts with the same key count
    as the same. disjoint_targets: whether the parts must share no target. The result depends only on the
    texts and the seed. Raises DataError if there are too few pairs.
    """
    groups: defaultdict[str, list[Pair]] = defaultdict(list)
    for source, target in pairs:
        groups[key(source)].append((source, target))
    shuffled = shuffled_keys(groups, seed)
    size = min(held_out, len(pairs) // (_MIN_TRAIN_RATIO + 2))
    targets_of: dict[str, set[str]] = {"test": set(), "valid": set()}  # targets of each part
    parts: dict[str, list[Pair]] = {"test": [], "valid": []}
    assigned: set[str] = set()
    for part, pairs_of_part in parts.items():
        other_targets = set().union(*(targets for name, targets in targets_of.items() if name != part))
        for name in shuffled:
            targets = {key(target) for _, target in groups[name]} if disjoint_targets else set()
            if name in assigned or len(pairs_of_part) + len(groups[name]) > size or targets & other_targets:
                continue
            assigned.add(name)
            targets_of[part] |= targets
            pairs_of_part += sorted(groups[name], key=lambda pair: pair[0])
            if len(pairs_of_part) == size:
                break
    held_out_targets = targets_of["test"] | targets_of["valid"]
    remaining = [
        pair
        for name in shuffled
        if name not in assigned
        for pair in sorted(groups[name], key=lambda pair: pair[0])
    ]
    train = [pair for pair in remaining if not disjoint_targets or key(pair[1]) not in held_out_targets]
    if not all((train, *parts.values())):
        raise DataError(
            "too_few_pairs",
            "{count} pairs are too few for training, validation and testing: download them again",
            count=len(pairs),
        )
    return Parts(tuple(train), tuple(parts["valid"]), tuple(parts["test"]), len(remaining) - len(train))
