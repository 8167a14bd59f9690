"""Training pairs that may have caused a wrong output, the most likely first.

Three rankings are evidence. The first is the distance of a pair's decoder states from the states at the steps
where the output goes wrong (as in Khandelwal et al. 2021), by the best rank over these steps. The others are
rare words that the pair's source shares with the source, and rare words that its target shares with the wrong
part of the output. Reciprocal rank fusion (Cormack et al. 2009) joins them: the score is the sum of
1 / (60 + rank). The ranking only guesses the influence; `models.evaluation.retrain.arms` measures it.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from models.corpus.pairs import DataError, Pair
from models.errors import Message
from models.inspection.neighbours.available_states import states_of
from models.inspection.neighbours.search import neighbours
from models.inspection.neighbours.states import DECODER_STATES
from models.inspection.neighbours.store import states_at_once
from models.inspection.question import Question
from models.metrics.words import words
from models.registry.checkpoint import Checkpoint

STATES, SOURCE_WORDS, WRONG_WORDS = "states", "source words", "wrong words"
MAX_SEARCHED_PAIRS = 3000  # pairs whose states are computed, in some seconds on one core
FUSION_CONSTANT = 60  # reciprocal rank fusion adds it to each rank


@dataclass(frozen=True)
class WrongOutput:
    """The output of a checkpoint for a source, and the wanted one."""

    source: str
    output: str
    wanted: str


@dataclass(frozen=True)
class PairEvidence:
    """The evidence for one pair, of one kind."""

    kind: str  # STATES, SOURCE_WORDS or WRONG_WORDS
    rank: int  # the rank from 1; equal values have equal ranks
    value: float  # STATES: Euclidean distance; else the summed rarity of the shared words, in nats
    shared: tuple[str, ...] = ()  # shared words, the rarest first


@dataclass(frozen=True)
class ProposedPair:
    """A training pair that may have caused the wrong output."""

    index: int  # the index in the training pairs
    pair: Pair
    score: float
    evidence: tuple[PairEvidence, ...]


@dataclass(frozen=True)
class Proposal:
    """Pairs, the most likely first, and how many were searched."""

    pairs: tuple[ProposedPair, ...]
    num_searched: int
    note: Message | str = ""


def propose(
    checkpoint: Checkpoint, pairs: Sequence[Pair], wrong: WrongOutput, max_proposed: int = 10
) -> Proposal:
    """Propose at most `max_proposed` of the training pairs that have any evidence.

    If there are more than MAX_SEARCHED_PAIRS, only those that share the rarest words are searched. Raises
    DataError if there are no pairs, or if the output is the wanted one.
    """
    if not pairs:
        raise DataError("no_training_pairs", "There are no training pairs to look through: give some.")
    if wrong.output == wrong.wanted:
        raise DataError(
            "output_not_wrong", "The output is the wanted text already, so no training pair is to blame."
        )
    target = checkpoint.config.target_language
    source_words = _shared_words(
        _bags([source for source, _ in pairs], checkpoint.config.source_language),
        words(wrong.source, checkpoint.config.source_language),
    )
    wrong_part = Counter(words(wrong.output, target)) - Counter(words(wrong.wanted, target))
    wrong_words = _shared_words(_bags([text for _, text in pairs], target), wrong_part)
    by_words = (source_words, wrong_words)
    searched = list(range(len(pairs)))
    note: Message | str = ""
    if len(pairs) > MAX_SEARCHED_PAIRS:
        rarities = [math.fsum(shared[i][0] for shared in by_words if i in shared) for i in searched]
        searched = sorted(sorted(searched, key=lambda i: -rarities[i])[:MAX_SEARCHED_PAIRS])
        note = Message(
            "training_pairs_left_out",
            "Only the {most} of {count} training pairs that share the rarest words were searched.",
            count=f"{len(pairs):,}",
            most=f"{MAX_SEARCHED_PAIRS:,}",
        )
    states: dict[int, PairEvidence] = {}
    for distances_of in _state_distances(checkpoint, [pairs[i] for i in searched], wrong):
        distances = {i: (distances_of[pairs[i]], ()) for i in searched if pairs[i] in distances_of}
        for i, evidence in _rank(STATES, distances, largest=False).items():
            best = states.get(i, evidence)
            states[i] = min(evidence, best, key=lambda item: (item.rank, item.value))
    ranked = (
        states,
        _rank(SOURCE_WORDS, {i: source_words[i] for i in searched if i in source_words}),
        _rank(WRONG_WORDS, {i: wrong_words[i] for i in searched if i in wrong_words}),
    )
    scored = (_proposed_pair(i, pairs[i], [kind[i] for kind in ranked if i in kind]) for i in searched)
    proposed = sorted((pair for pair in scored if pair.evidence), key=lambda pair: -pair.score)
    return Proposal(tuple(proposed[:max_proposed]), len(searched), note)


def first_wrong_step(output: Sequence[int], wanted: Sequence[int]) -> int:
    """The step of the first token that differs from the wanted one. Both end with the end token."""
    pairs = enumerate(zip(output, wanted, strict=False))
    return next(
        (step for step, (output_token, wanted_token) in pairs if output_token != wanted_token),
        min(len(output), len(wanted)) - 1,
    )


def differing_steps(output: Sequence[int], wanted: Sequence[int]) -> list[int]:
    """The steps at which the wrong parts of `output` begin, ascending. Both end with the end token.

    Texts of the same length are compared token by token, others by their longest common parts.
    """
    first = first_wrong_step(output, wanted)
    if len(output) == len(wanted):
        differs = [
            output_token != wanted_token for output_token, wanted_token in zip(output, wanted, strict=True)
        ]
        steps = [step for step in range(first + 1, len(output)) if differs[step] and not differs[step - 1]]
    else:
        matcher = SequenceMatcher(None, output[first:], wanted[first:], autojunk=False)
        steps = [first + block.a + block.size for block in matcher.get_matching_blocks()]
    return [first, *(step for step in steps if first < step < len(output))]


def _state_distances(
    checkpoint: Checkpoint, pairs: Sequence[Pair], wrong: WrongOutput
) -> Iterator[Mapping[Pair, float]]:
    """Yield the distance of each pair's nearest state with the same wrong token, for each differing step."""
    tokenizer = checkpoint.tokenizer
    (source,) = tokenizer.encode_ids([wrong.source])
    output, wanted = (
        (*tokenizer.first_ids, *ids) for ids in tokenizer.target.encode_ids([wrong.output, wrong.wanted])
    )
    store = states_at_once(checkpoint, list(dict.fromkeys(pairs)))
    for step in differing_steps(output, wanted):
        question = Question(tuple(source), (tokenizer.bos_id, *output[:step]), output[step])
        query = states_of(checkpoint, question).of_step[DECODER_STATES]
        distances: dict[Pair, float] = {}
        for neighbour in neighbours(store.parts, DECODER_STATES, query, store.count(DECODER_STATES)):
            if neighbour.token == output[step]:
                # Neighbours are sorted, so the first is the nearest.
                distances.setdefault(neighbour.pair, neighbour.distance)
        yield distances


def _bags(texts: Sequence[str], language: str) -> list[frozenset[str]]:
    return [frozenset(words(text, language)) for text in texts]


def _shared_words(
    bags: Sequence[frozenset[str]], query_words: Iterable[str]
) -> dict[int, tuple[float, tuple[str, ...]]]:
    """Return, by index of the text, the summed inverse document frequency of the shared words, and the words.

    The rarest word comes first. Texts without a shared word are left out.
    """
    indices_of: defaultdict[str, list[int]] = defaultdict(list)
    query_words = set(query_words)
    for index, bag in enumerate(bags):
        for word in bag & query_words:
            indices_of[word].append(index)
    rarity = {word: math.log(len(bags) / len(indices)) for word, indices in indices_of.items()}
    shared: defaultdict[int, list[str]] = defaultdict(list)
    for word in sorted(rarity, key=lambda word: (-rarity[word], word)):
        if rarity[word] > 0:  # a word of every pair is not evidence
            for index in indices_of[word]:
                shared[index].append(word)
    return {
        index: (math.fsum(rarity[word] for word in common), tuple(common)) for index, common in shared.items()
    }


def _rank(
    kind: str, values: Mapping[int, tuple[float, tuple[str, ...]]], *, largest: bool = True
) -> dict[int, PairEvidence]:
    """The evidence of each index, with its rank from 1. Equal values share the best of their ranks."""
    counts = Counter(value for value, _ in values.values())
    ranks, rank = dict[float, int](), 1
    for value in sorted(counts, reverse=largest):
        ranks[value] = rank
        rank += counts[value]
    return {
        index: PairEvidence(kind, ranks[value], value, shared) for index, (value, shared) in values.items()
    }


def _proposed_pair(index: int, pair: Pair, evidence: Sequence[PairEvidence]) -> ProposedPair:
    score = math.fsum(1 / (FUSION_CONSTANT + part.rank) for part in evidence)
    return ProposedPair(index, pair, score, tuple(evidence))
