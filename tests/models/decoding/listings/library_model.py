"""The library as the model of a listing: it answers a prefix as the search loop would."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch

from models.decoding import request
from models.decoding.search.beam import NEG_INF, Beam
from models.decoding.search.loop import Expander, search
from models.decoding.strategies.listings.sampling import sampling
from models.decoding.strategies.stochastic import StochasticBeamSearch, _gumbel, conditional_gumbel
from models.networks.base import DecoderState


class LibraryModel:
    """`next(prefix)` and `end` of a search whose arguments `search_arguments` has calls."""

    def __init__(self, network: Any, encoded: Any, strategy: Any, conditions: Any, seed: int) -> None:
        self.network, self.strategy, self.conditions = network, strategy, conditions
        self.end = conditions.eos_id
        self.rng = torch.Generator().manual_seed(seed)
        self._expander = Expander(network, strategy, conditions, self.rng, torch.device("cpu"))
        self._states: dict[tuple[int, ...], DecoderState] = {(): network.initial_state(encoded)}
        self._log_probs: dict[tuple[int, ...], torch.Tensor] = {}

    def distribution(self, prefix: list[int]) -> torch.Tensor:
        """The log-probabilities (1, 1, V) of the next token, after the constraints."""
        key = tuple(prefix)
        if key not in self._log_probs:
            last = torch.tensor([key[-1] if key else self.conditions.bos_id])
            predicted = self.network.step(last, self._state(key))
            zero = torch.zeros(1, 1)
            beam = Beam(torch.tensor([[list(key)]], dtype=torch.int64), zero, zero, self.end)
            forced = self.conditions.forced_token(len(key))
            log_probs = self._expander._log_probs(beam, predicted.logits, forced)
            if forced is None:
                self._expander._bans.apply(log_probs, len(key))
            self._log_probs[key] = self._expander._process(log_probs, beam, forced)
            self._states[(*key, -1)] = predicted.state
        return self._log_probs[key]

    def _state(self, prefix: tuple[int, ...]) -> DecoderState:
        """The decoder's state after the tokens before the last one; states may be shared by a step."""
        if not prefix:
            return self._states[()].reorder(torch.tensor([0]))
        self.distribution(list(prefix[:-1]))
        return self._states[(*prefix[:-1], -1)].reorder(torch.tensor([0]))

    def next(self, prefix: list[int]) -> list[tuple[int, float]]:
        """The possible tokens, best first, with their log-probabilities."""
        log_probs = self.distribution(prefix).flatten()
        values, ids = log_probs.sort(descending=True, stable=True)
        pairs = zip(ids.tolist(), values.tolist(), strict=True)
        return [(token, value) for token, value in pairs if value > NEG_INF]

    def perturb(self) -> Callable[..., list[tuple[float, list[int]]]]:
        """Return the conditional Gumbel noise of a stochastic beam search."""
        strategy, tempered = self.strategy, {(): 0.0}
        assert isinstance(strategy, StochasticBeamSearch)

        def perturb(_: Any, beam: list[tuple[float, list[int]]]) -> list[tuple[float, list[int]]]:
            rows = [self.distribution(prefix).flatten() for _, prefix in beam]
            is_first = beam[0][1] == []
            width = 1 if is_first else strategy.beam_size
            phi = torch.full((1, width, len(rows[0])), NEG_INF, dtype=torch.float64)
            maximum = torch.full((1, width), NEG_INF, dtype=torch.float64)
            if is_first:
                maximum = _gumbel((1, 1), self.rng)
            for index, (row, (noisy, prefix)) in enumerate(zip(rows, beam, strict=True)):
                phi[0, index] = strategy._at_temperature(row) + tempered[tuple(prefix)]
                maximum[0, index] = maximum[0, index] if is_first else noisy
            perturbed = conditional_gumbel(phi, maximum, self.rng)
            rows_of_beam = []
            for index, (_, prefix) in enumerate(beam):
                for token in (perturbed[0, index] > NEG_INF).nonzero().flatten().tolist():
                    extended = [*prefix, token]
                    tempered[tuple(extended)] = float(phi[0, index, token])
                    rows_of_beam.append((float(perturbed[0, index, token]), extended))
            return rows_of_beam

        return perturb

    def chances(self, _: Any, prefix: list[int]) -> list[tuple[float, int]]:
        """The probabilities that a draw gives to the tokens, in the order of the model."""
        self.asked = prefix
        chances = self.strategy.chances(self.distribution(prefix)).flatten().tolist()
        order = self.distribution(prefix).flatten().sort(descending=True, stable=True).indices.tolist()
        return [(chances[token], token) for token in order]

    def draw(self) -> Callable[[Any], tuple[int, float]]:
        """Return a draw by inversion, with one vector of uniform numbers for all rows of a step."""
        uniform: dict[int, Iterator[float]] = {}

        def draw(_: Any) -> tuple[int, float]:
            length = len(self.asked)
            if length not in uniform:
                uniform[length] = iter(
                    torch.rand((1, self.strategy.num_samples, 1), generator=self.rng).flatten().tolist()
                )
            log_probs = self.distribution(self.asked)
            cumulative = self.strategy.chances(log_probs).cumsum(dim=-1)
            threshold = torch.full((1, 1, 1), next(uniform[length])) * cumulative[..., -1:]
            token = int(
                torch.searchsorted(cumulative, threshold, right=True).clamp_max(log_probs.shape[-1] - 1)
            )
            return token, float(log_probs.flatten()[token])

        return draw


def names(model: LibraryModel, settings: dict[str, Any]) -> dict[str, Any]:
    """The arguments that a listing may have, by name."""
    normalizer, stopping = model.strategy.normalizer, settings.get("early_stopping")

    def attainable(total: float, length: int) -> float:
        if stopping is True:
            return -math.inf
        reaches = stopping == "never" and normalizer.alpha > 0
        return float(normalizer(total, settings["max_length"] if reaches else length))

    arguments = {**settings, "model": model, "score": normalizer, "attainable": attainable}
    if isinstance(model.strategy, StochasticBeamSearch):
        arguments["perturb"] = model.perturb()
    if "num_samples" in settings:
        draws = {"max_length": settings["max_length"], "chances": model.chances, "draw": model.draw()}
        arguments |= {**draws, "sample": lambda model, count: sampling(model, num_samples=count, **draws)}
    return {**arguments, "bound": -math.inf, "output": []}


@contextmanager
def search_arguments(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[Any, ...]]]:
    """Catch the arguments of each search that runs within."""
    calls: list[tuple[Any, ...]] = []

    def caught_search(*arguments: Any) -> Any:
        calls.append(arguments)
        return search(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(request, "search", caught_search)
        yield calls
