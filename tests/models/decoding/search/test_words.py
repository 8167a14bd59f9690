"""Required words, against enumeration of all sequences that contain them."""

from __future__ import annotations

import math

import pytest
import torch

from models.decoding.search.constraints import BannedTokens
from models.decoding.search.strategy import DecodingStrategy, LengthNormalizer
from models.decoding.search.words import RequiredWords, first_end
from models.decoding.status import Reason, Status
from models.decoding.strategies.beam_search import BeamSearch
from models.decoding.strategies.diverse import DiverseBeamSearch
from models.decoding.strategies.exact import ExactSearch
from models.decoding.strategies.exhaustive import ExhaustiveSearch
from models.decoding.strategies.greedy import Greedy
from models.decoding.strategies.minimum_bayes_risk import MinimumBayesRisk
from models.decoding.strategies.sampling import Sampling
from models.decoding.strategies.stochastic import StochasticBeamSearch
from models.decoding.strategies.threshold import ThresholdBeamSearch
from models.decoding.trace import RequiredPhrase
from tests.fakes.markov import BOS, EOS, MarkovModel
from tests.grids import full_only
from tests.models.decoding.search.running import finished_of, steps_of, tokens_of, trace_of

A, B, C = 4, 5, 6
LENGTH = 4  # 3 letters make 121 sequences of at most this length
ALPHA = LengthNormalizer("power", 1.0)
PHRASES: dict[str, tuple[tuple[int, ...], ...]] = {
    "a word": ((A,),),
    "a phrase": ((A, B),),
    "a phrase that repeats itself": ((A, A, B),),
    "phrases that overlap": ((A, B), (B, C)),
    "a phrase within another": ((A, B, A), (B, A)),
    "one word twice": ((C,), (C,)),
    "as many as there is room for": ((A,), (B,), (C, A)),
    "phrases that overlap either way": ((A, B, C), (C, A)),
    "more than there is room for": ((A, B, C), (C, C, A)),
}
# Complete searches: each leaves out nothing, or only sequences that cannot win.
WIDE: list[DecodingStrategy] = [
    BeamSearch(125, ALPHA, "never"),
    ThresholdBeamSearch(125, ALPHA, "never", threshold=0.0),
    DiverseBeamSearch(200, ALPHA, "never", num_groups=1),
    StochasticBeamSearch(125),
    ExhaustiveSearch(8, ALPHA),
    ExactSearch(),
]
SMALL: list[DecodingStrategy] = [
    BeamSearch(2),
    BeamSearch(5, ALPHA, "never"),
    ThresholdBeamSearch(3, threshold=0.9),
    DiverseBeamSearch(6, num_groups=2, diversity=2.0),
    StochasticBeamSearch(3, temperature=0.5),
]


def required(*phrases: tuple[int, ...]) -> RequiredWords:
    return RequiredWords(tuple(RequiredPhrase(str(phrase), phrase) for phrase in phrases))


def contains(tokens: tuple[int, ...], phrases: tuple[tuple[int, ...], ...]) -> bool:
    text = "".join(map(chr, tokens))
    return all("".join(map(chr, phrase)) in text for phrase in phrases)


def enumerated(model: MarkovModel, phrases: tuple[tuple[int, ...], ...]) -> list[tuple[int, ...]]:
    """Every possible sequence that contains the phrases."""
    result = (tokens for tokens in model.sequences(LENGTH) if contains(tokens, phrases))
    return [tokens for tokens in result if model.log_prob(tokens) > -math.inf]


@pytest.mark.parametrize("strategy", WIDE, ids=lambda strategy: strategy.name)
@pytest.mark.parametrize("phrases", PHRASES.values(), ids=PHRASES)
@pytest.mark.parametrize("seed", [0, *full_only(range(1, 8))])
def test_a_complete_search_finds_the_best_output_with_the_words(
    strategy: DecodingStrategy, phrases: tuple[tuple[int, ...], ...], seed: int
) -> None:
    model = MarkovModel.random(letters=3, seed=seed)
    fitting = enumerated(model, phrases)
    result = finished_of(model, strategy, LENGTH, words=required(*phrases))
    if strategy.name == "stochastic":  # it ranks by draws, and draws without replacement
        assert sorted(tokens_of(result)) == sorted(fitting)
        return
    scores = sorted((strategy.normalizer(model.log_prob(x), len(x)) for x in fitting), reverse=True)
    assert [output.score for output in result] == pytest.approx(scores[: strategy.pool_size], abs=1e-5)
    assert {*tokens_of(result)} <= {*fitting}


@pytest.mark.parametrize("strategy", SMALL, ids=repr)
@pytest.mark.parametrize("phrases", PHRASES.values(), ids=PHRASES)
@pytest.mark.parametrize("seed", [0, *full_only(range(1, 8))])
def test_a_narrow_beam_finds_any_words_that_fit(
    strategy: DecodingStrategy, phrases: tuple[tuple[int, ...], ...], seed: int
) -> None:
    model = MarkovModel.random(letters=3, seed=seed, end_bias=2.0)
    result = finished_of(model, strategy, LENGTH, words=required(*phrases))
    assert all(contains(output.tokens, phrases) for output in result)
    assert bool(result) == bool(enumerated(model, phrases))
    for output in result:
        assert output.log_prob == pytest.approx(model.log_prob(output.tokens), abs=1e-5)


def test_words_of_the_best_output_do_not_lower_its_probability() -> None:
    model = MarkovModel.random(letters=4, seed=3)
    free = finished_of(model, BeamSearch(4), 6)[0]
    word = free.tokens[0]
    assert word != EOS
    assert finished_of(model, BeamSearch(8), 6, words=required((word,)))[0].log_prob >= free.log_prob


def test_a_batch_finds_what_each_sentence_finds_alone() -> None:
    model, words = MarkovModel.random(letters=5, seed=1), required((A, B), (C,))
    together = steps_of(model, BeamSearch(4), 8, torch.full((3, 2), 5), words=words)[-1].pools
    alone = finished_of(model, BeamSearch(4), 8, words=words)
    assert [tokens_of(pool.sequences) for pool in together] == [tokens_of(alone)] * 3


def test_banks_take_turns_and_the_trace_marks_dropped_candidates() -> None:
    """The start leads to A .6, B .3, C .1, and only B has no future: by hand for a beam of two."""
    table = {BOS: {A: 0.6, B: 0.3, C: 0.1}}
    table |= {A: {A: 0.5, EOS: 0.5}, B: {EOS: 1.0}, C: {A: 0.2, EOS: 0.8}}
    trace = trace_of(MarkovModel.from_table(7, table), BeamSearch(2), 3, words=required((C,)))
    first = {node.token_id: node for node in trace.steps[0].nodes}
    assert [(first[x].status, first[x].reason) for x in (A, B, C)] == [
        (Status.KEPT, Reason.WITHIN_BEAM),
        (Status.PRUNED, Reason.HELD_BACK),
        (Status.KEPT, Reason.FOR_WORDS),
    ]
    ends = [node for node in trace.steps[1].nodes if node.token_id == EOS]
    assert {node.parent: node.reason for node in ends} == {
        first[A].id: Reason.WITHOUT_WORDS,
        first[C].id: Reason.END_TOKEN,
    }
    assert trace.hypotheses[0].token_ids == (C, EOS)
    assert trace.hypotheses[0].log_prob == pytest.approx(math.log(0.1 * 0.8), abs=1e-5)


def test_diverse_groups_penalise_the_tokens_kept_for_the_words() -> None:
    """Group 1 goes on with A and, for the words, with C: group 2 pays for C and not for B."""
    table = {BOS: {A: 0.4, B: 0.35, C: 0.25}}
    table |= {token: {A: 0.3, B: 0.3, C: 0.2, EOS: 0.2} for token in (A, B, C)}
    strategy = DiverseBeamSearch(4, num_groups=2, diversity=1.0)
    trace = trace_of(MarkovModel.from_table(7, table), strategy, 4, words=required((C,)))
    second = {node.token_id: node for node in trace.steps[0].nodes if node.group == 1}
    penalties = {
        token: second[token].cumulative - (second[token].rank_score or second[token].cumulative)
        for token in second
    }
    assert penalties == pytest.approx({A: 1.0, B: 0.0, C: 1.0}, abs=1e-5)


@pytest.mark.parametrize("strategy", [BeamSearch(3), ExactSearch(), ExhaustiveSearch()], ids=repr)
def test_an_impossible_word_leaves_no_output(strategy: DecodingStrategy) -> None:
    model = MarkovModel.random(letters=3, seed=0)
    banned = [BannedTokens((A,), EOS)]
    assert finished_of(model, strategy, 4, words=required((A,)), constraints=banned) == []


def test_only_strategies_with_several_hypotheses_allow_required_words() -> None:
    others = [Greedy(), BeamSearch(1), DiverseBeamSearch(3, num_groups=3), Sampling(4), MinimumBayesRisk(4)]
    assert all(strategy.allows_required_words for strategy in (*WIDE, *SMALL))
    assert not any(strategy.allows_required_words for strategy in others)


@pytest.mark.parametrize("phrases", PHRASES.values(), ids=PHRASES)
def test_no_shorter_sequence_has_all_the_words(phrases: tuple[tuple[int, ...], ...]) -> None:
    words = required(*phrases)
    sequences = MarkovModel.random(letters=3, seed=0).sequences(6)
    shortest = min(len(x) - (x[-1] == EOS) for x in sequences if contains(x, phrases))
    assert words.min_tokens_bound <= shortest
    if len(words.phrases) < 3:
        assert words.min_tokens_bound == shortest


def test_the_step_of_a_phrase_is_that_of_its_last_token() -> None:
    assert first_end((A, B), (A, A, B, A, B)) == 2
    assert first_end((A, B), (B, A)) is None
    assert required((B,), (A, B)).word_ends((A, B, EOS)) == (1, 1)
