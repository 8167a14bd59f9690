"""Training pairs that may lie behind a wrong output, the most likely first.

Three kinds of evidence, each a ranking of its own: how near a pair's decoder states are to the states at the
steps where the output goes wrong (as in Khandelwal et al. 2021), the best of its ranks over these steps; rare
words that the pair's source shares with the source; and rare words that its target shares with the wrong
part of the output. They become one rank by reciprocal rank fusion (Cormack et al. 2009): the sum of
1 / (60 + rank). This is a guess at influence;
`models.evaluation.retrain.experiment` measures it.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from models.corpus.pairs import DataError, Pair
from models.errors import Message
from models.inspection.neighbours.available import states_of
from models.inspection.neighbours.search import neighbours
from models.inspection.neighbours.states import DECODER
from models.inspection.neighbours.store import states_at_once
from models.inspection.question import Question
from models.metrics.words import words
from models.registry.checkpoint import Checkpoint

STATES, SOURCE_WORDS, WRONG_WORDS = "states", "source words", "wrong words"
MOST_PAIRS = 3000  # of which states are computed: some seconds on one core
FUSION = 60  # the constant of reciprocal rank fusion


@dataclass(frozen=True)
class WrongOutput:
    """What a checkpoint wrote for a source, and what it should have written."""

    source: str
    output: str
    wanted: str


@dataclass(frozen=True)
class Evidence:
    """What speaks for one pair, by one kind."""

    kind: str  # STATES, SOURCE_WORDS or WRONG_WORDS
    rank: int  # from 1; equal values have equal ranks
    value: float  # the Euclidean distance of states; the summed rarity of shared words, in nats
    shared: tuple[str, ...] = ()  # words, the rarest first


@dataclass(frozen=True)
class Proposed:
    """A training pair that may lie behind the wrong output."""

    place: int  # in the pairs that were given, from 0
    pair: Pair
    score: float
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True)
class Proposal:
    """Pairs, the most likely first, and what was not looked at."""

    pairs: tuple[Proposed, ...]
    looked_at: int
    note: Message | str = ""


def propose(checkpoint: Checkpoint, pairs: Sequence[Pair], wrong: WrongOutput, most: int = 10) -> Proposal:
    """At most `most` of the training pairs; only those with any evidence.

    Of more than MOST_PAIRS the words of all are compared, but the states only of the MOST_PAIRS that share
    the rarest words, in the given order among equals; the others are left out. Raises DataError for no pairs
    and for an output that is as wanted.
    """
    if not pairs:
        raise DataError("no_training_pairs", "There are no training pairs to look through: give some.")
    if wrong.output == wrong.wanted:
        raise DataError(
            "output_not_wrong", "The output is the wanted text already, so no training pair is to blame."
        )
    target = checkpoint.config.target_language
    source_words = _shared(
        _bags([source for source, _ in pairs], checkpoint.config.source_language),
        words(wrong.source, checkpoint.config.source_language),
    )
    wrong_part = Counter(words(wrong.output, target)) - Counter(words(wrong.wanted, target))
    wrong_words = _shared(_bags([text for _, text in pairs], target), wrong_part)
    by_words = (source_words, wrong_words)
    chosen = list(range(len(pairs)))
    note: Message | str = ""
    if len(pairs) > MOST_PAIRS:
        rarity = [
            math.fsum(value for each in by_words if i in each for value, _ in (each[i],)) for i in chosen
        ]
        chosen = sorted(sorted(chosen, key=lambda i: -rarity[i])[:MOST_PAIRS])
        note = Message(
            "training_pairs_left_out",
            "Of {count} training pairs only the {most} that share the rarest words were looked through.",
            count=f"{len(pairs):,}",
            most=f"{MOST_PAIRS:,}",
        )
    states: dict[int, Evidence] = {}
    for near in _near(checkpoint, [pairs[i] for i in chosen], wrong):
        distances = {i: (near[pairs[i]], ()) for i in chosen if pairs[i] in near}
        for i, each in _ranked(STATES, distances, largest=False).items():
            states[i] = min(each, states.get(i, each), key=lambda one: (one.rank, one.value))
    ranked = (
        states,
        _ranked(SOURCE_WORDS, {i: source_words[i] for i in chosen if i in source_words}),
        _ranked(WRONG_WORDS, {i: wrong_words[i] for i in chosen if i in wrong_words}),
    )
    found = (_proposed(i, pairs[i], [each[i] for each in ranked if i in each]) for i in chosen)
    order = sorted((each for each in found if each.evidence), key=lambda each: -each.score)
    return Proposal(tuple(order[:most]), len(chosen), note)


def goes_wrong(written: Sequence[int], wanted: Sequence[int]) -> int:
    """The step of the first token that is not as wanted. Both end with the end token."""
    both = enumerate(zip(written, wanted, strict=False))
    return next((at for at, (ours, theirs) in both if ours != theirs), min(len(written), len(wanted)) - 1)


def differing_steps(written: Sequence[int], wanted: Sequence[int]) -> list[int]:
    """Where each part of `written` begins that is not as wanted, ascending. Both end with the end token.

    Texts of one length are compared place by place, others by their longest common parts.
    """
    first = goes_wrong(written, wanted)
    if len(written) == len(wanted):
        differs = [ours != theirs for ours, theirs in zip(written, wanted, strict=True)]
        others = [at for at in range(first + 1, len(written)) if differs[at] and not differs[at - 1]]
    else:
        matcher = SequenceMatcher(None, written[first:], wanted[first:], autojunk=False)
        others = [first + block.a + block.size for block in matcher.get_matching_blocks()]
    return [first, *(step for step in others if first < step < len(written))]


def _near(
    checkpoint: Checkpoint, pairs: Sequence[Pair], wrong: WrongOutput
) -> Iterator[Mapping[Pair, float]]:
    """For each differing step, by pair the distance of its nearest state that wrote the same wrong token."""
    tokenizer = checkpoint.tokenizer
    (source,) = tokenizer.encode_ids([wrong.source])
    written, wanted = (
        (*tokenizer.first_ids, *ids) for ids in tokenizer.target.encode_ids([wrong.output, wrong.wanted])
    )
    store = states_at_once(checkpoint, list(dict.fromkeys(pairs)))
    for step in differing_steps(written, wanted):
        question = Question(tuple(source), (tokenizer.bos_id, *written[:step]), written[step])
        query = states_of(checkpoint, question).of_step[DECODER]
        found: dict[Pair, float] = {}
        for each in neighbours(store.parts, DECODER, query, store.count(DECODER)):
            if each.token == written[step]:
                found.setdefault(each.pair, each.distance)  # the nearest come first
        yield found


def _bags(texts: Sequence[str], language: str) -> list[frozenset[str]]:
    return [frozenset(words(text, language)) for text in texts]


def _shared(
    bags: Sequence[frozenset[str]], wanted: Iterable[str]
) -> dict[int, tuple[float, tuple[str, ...]]]:
    """By place the summed inverse document frequency of the words it shares, and these, the rarest first."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    asked = set(wanted)
    for place, bag in enumerate(bags):
        for word in bag & asked:
            places[word].append(place)
    rarity = {word: math.log(len(bags) / len(where)) for word, where in places.items()}
    shared: defaultdict[int, list[str]] = defaultdict(list)
    for word in sorted(rarity, key=lambda word: (-rarity[word], word)):
        if rarity[word] > 0:  # a word of every pair tells nothing
            for place in places[word]:
                shared[place].append(word)
    return {
        place: (math.fsum(rarity[word] for word in those), tuple(those)) for place, those in shared.items()
    }


def _ranked(
    kind: str, values: Mapping[int, tuple[float, tuple[str, ...]]], *, largest: bool = True
) -> dict[int, Evidence]:
    """Equal values share the rank of the first of them."""
    counts = Counter(value for value, _ in values.values())
    ranks, rank = dict[float, int](), 1
    for value in sorted(counts, reverse=largest):
        ranks[value] = rank
        rank += counts[value]
    return {place: Evidence(kind, ranks[value], value, those) for place, (value, those) in values.items()}


def _proposed(place: int, pair: Pair, evidence: Sequence[Evidence]) -> Proposed:
    score = math.fsum(1 / (FUSION + each.rank) for each in evidence)
    return Proposed(place, pair, score, tuple(evidence))
