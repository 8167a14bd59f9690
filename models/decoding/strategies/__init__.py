"""Decoding strategies, one per file. A strategy makes the decisions of a search; the loop carries them out.

The package loads all its modules, and each registers its strategy, so a new strategy is only a new file.
No module loads torch before a search begins.
"""

from models.decoding.description import Description, Family
from models.decoding.search.strategy import MAX_PARALLEL_OUTPUTS, DecodingStrategy
from models.decoding.strategies.beam_search import BeamSearch
from models.decoding.strategies.diverse import DiverseBeamSearch
from models.decoding.strategies.exact import ExactSearch
from models.decoding.strategies.exhaustive import ExhaustiveSearch
from models.decoding.strategies.greedy import Greedy
from models.decoding.strategies.minimum_bayes_risk import MinimumBayesRisk
from models.decoding.strategies.sampling import Sampling
from models.decoding.strategies.stochastic import StochasticBeamSearch
from models.decoding.strategies.table import (
    description_of,
    family,
    forget,
    is_used,
    names,
    register,
    setting_by_field,
    strategy_class,
    users,
)
from models.decoding.strategies.threshold import ThresholdBeamSearch
from models.discovery import import_modules

# Exported for code that names a class. A strategy need not be listed here to be registered.
__all__ = [
    "MAX_PARALLEL_OUTPUTS",
    "BeamSearch",
    "DecodingStrategy",
    "Description",
    "DiverseBeamSearch",
    "ExactSearch",
    "ExhaustiveSearch",
    "Family",
    "Greedy",
    "MinimumBayesRisk",
    "Sampling",
    "StochasticBeamSearch",
    "ThresholdBeamSearch",
    "description_of",
    "family",
    "forget",
    "is_used",
    "names",
    "register",
    "setting_by_field",
    "strategy_class",
    "users",
]

import_modules(__name__)
