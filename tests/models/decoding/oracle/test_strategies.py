"""Every strategy on a T5: its states are values, and its probabilities those of the network."""

from __future__ import annotations

from itertools import pairwise, product

import pytest
import torch
from torch import Tensor

from models.decoding.search.beam import FinishedSequence
from models.decoding.search.step import SearchStep
from models.decoding.search.strategy import DecodingStrategy
from models.decoding.strategies.beam_search import BeamSearch
from models.decoding.strategies.diverse import DiverseBeamSearch
from models.decoding.strategies.exact import ExactSearch
from models.decoding.strategies.exhaustive import ExhaustiveSearch
from models.decoding.strategies.greedy import Greedy
from models.decoding.strategies.sampling import Sampling
from models.decoding.strategies.stochastic import StochasticBeamSearch
from models.decoding.strategies.threshold import ThresholdBeamSearch
from tests.fakes.hugging_face.adapter import VOCAB, HuggingFaceModel, ending_t5, padded_sources
from tests.fakes.hugging_face.marian import EOS, PAD
from tests.models.decoding.search.running import steps_of

pytestmark = pytest.mark.oracle

MAX_LENGTH = 12
LONG, SHORT = 5, 3  # lengths of outputs: in exact search, and in a list of all sequences


@pytest.fixture(scope="module", params=[1, 2])
def model(request: pytest.FixtureRequest) -> HuggingFaceModel:
    return HuggingFaceModel(ending_t5(seed=request.param, end_bias=0.0))


@pytest.fixture(params=[0, 2])
def source(request: pytest.FixtureRequest) -> Tensor:
    sources, mask = padded_sources()
    return sources[request.param][mask[request.param]].unsqueeze(0)


def steps_on(
    model: HuggingFaceModel, strategy: DecodingStrategy, source: Tensor, length: int
) -> list[SearchStep]:
    return steps_of(model, strategy, length, source, bos_id=PAD, eos_id=EOS)


def found_by(
    model: HuggingFaceModel, strategy: DecodingStrategy, source: Tensor, length: int
) -> list[FinishedSequence]:
    return steps_on(model, strategy, source, length)[-1].pools[0].sequences


def teacher_forced(model: HuggingFaceModel, source: Tensor, targets: Tensor) -> Tensor:
    """Log-probabilities of targets (N, T) token by token, computed by the library without a cache."""
    inputs = torch.cat((torch.full((len(targets), 1), PAD), targets[:, :-1]), dim=1)
    with torch.inference_mode():
        logits = model.theirs(input_ids=source.expand(len(targets), -1), decoder_input_ids=inputs).logits
    return logits.log_softmax(dim=-1).gather(2, targets.unsqueeze(2)).squeeze(2)


@torch.inference_mode()
def test_using_a_state_does_not_change_the_state(model: HuggingFaceModel, source: Tensor) -> None:
    root = model.initial_state(model.encode(source, torch.ones_like(source, dtype=torch.bool)))
    first = model.step(torch.tensor([PAD]), root)
    forked = first.state.reorder(torch.tensor([0, 0, 0]))
    onward = model.step(torch.tensor([3, 4, 5]), forked)
    model.step(torch.tensor([6, 7]), onward.state.reorder(torch.tensor([2, 0])))
    for tokens, state, expected in [
        (torch.tensor([PAD]), root, first.logits),
        (torch.tensor([3, 4, 5]), forked, onward.logits),
        (torch.tensor([4]), first.state, onward.logits[1:2]),
    ]:
        assert torch.allclose(model.step(tokens, state).logits, expected, atol=1e-5)
    assert not torch.allclose(onward.logits[0], onward.logits[1], atol=1e-2), "or the tokens would not matter"


def test_an_override_is_refused(model: HuggingFaceModel, source: Tensor) -> None:
    with torch.inference_mode():
        state = model.initial_state(model.encode(source, torch.ones_like(source, dtype=torch.bool)))
        with pytest.raises(ValueError, match=r"override.*None"):
            model.step(torch.tensor([PAD]), state, torch.ones(1, 2, 2, source.shape[1]))


@pytest.mark.parametrize(
    "strategy",
    [
        Greedy(),
        BeamSearch(6),
        ThresholdBeamSearch(5, threshold=0.05),
        DiverseBeamSearch(6, num_groups=3, diversity=1.5),
        StochasticBeamSearch(6, temperature=1.5),
        Sampling(8, temperature=1.2, top_p=0.95),
        ExactSearch(),
    ],
    ids=lambda strategy: strategy.name,
)
def test_every_output_has_the_networks_probability(
    model: HuggingFaceModel, source: Tensor, strategy: DecodingStrategy
) -> None:
    length = LONG if strategy.depth_first else MAX_LENGTH
    result = found_by(model, strategy, source, length)
    assert result
    for output in result:
        expected = teacher_forced(model, source, torch.tensor([output.tokens])).sum().item()
        assert output.log_prob == pytest.approx(expected, abs=1e-4)


@pytest.mark.slow
def test_exact_and_exhaustive_search_find_the_best_of_all_sequences(
    model: HuggingFaceModel, source: Tensor
) -> None:
    open_tokens = [token for token in range(VOCAB) if token != EOS]
    full = torch.tensor(list(product(open_tokens, open_tokens, range(VOCAB))))
    ended = [torch.tensor([[EOS]]), torch.tensor([[token, EOS] for token in open_tokens])]
    scores: dict[tuple[int, ...], float] = {}
    for targets in (*ended, full):
        sums = teacher_forced(model, source, targets).sum(dim=1).tolist()
        scores |= {tuple(row): score for row, score in zip(targets.tolist(), sums, strict=True)}
    best = sorted(scores, key=lambda tokens: -scores[tokens])
    for strategy in (ExactSearch(), ExhaustiveSearch()):
        result = found_by(model, strategy, source, SHORT)
        assert [output.tokens for output in result] == best[: len(result)], strategy.name
        assert [output.log_prob for output in result] == pytest.approx(
            [scores[tokens] for tokens in best[: len(result)]], abs=1e-4
        )


def test_exact_search_returns_to_older_states_and_is_no_worse_than_a_beam(source: Tensor) -> None:
    model = HuggingFaceModel(ending_t5(seed=2, end_bias=0.0))
    steps = steps_on(model, ExactSearch(), source, LONG)
    assert any(later.length < earlier.length for earlier, later in pairwise(steps))
    (best,) = steps[-1].pools[0].sequences
    assert best.log_prob == pytest.approx(
        teacher_forced(model, source, torch.tensor([best.tokens])).sum().item(), abs=1e-4
    )
    assert best.log_prob >= found_by(model, BeamSearch(8), source, LONG)[0].log_prob - 1e-4
