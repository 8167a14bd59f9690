"""Decoding strategies: each says which expansions to consider and when to stop, nothing else."""

from models.decoding.strategies.base import MAX_ROWS, DecodingStrategy
from models.decoding.strategies.beam_search import BeamSearch, Greedy, ThresholdBeamSearch
from models.decoding.strategies.complete import ExactSearch, ExhaustiveSearch
from models.decoding.strategies.diverse import DiverseBeamSearch
from models.decoding.strategies.sampling import MinimumBayesRisk, Sampling
from models.decoding.strategies.stochastic import StochasticBeamSearch

__all__ = [
    "MAX_ROWS",
    "BeamSearch",
    "DecodingStrategy",
    "DiverseBeamSearch",
    "ExactSearch",
    "ExhaustiveSearch",
    "Greedy",
    "MinimumBayesRisk",
    "Sampling",
    "StochasticBeamSearch",
    "ThresholdBeamSearch",
]
