"""Evaluations of checkpoints with random weights, whose outputs are bad in every way."""

from __future__ import annotations

from typing import Any

import pytest

from demo.evaluate.work.request import EvaluateRequest, requested_systems
from demo.evaluate.work.run import evaluate
from demo.work.context import AppContext
from models.corpus.files.formats import read_pasted
from models.evaluation.report.evaluation_report import EvaluationReport
from models.evaluation.segments import Segments, segments_of_table
from models.registry.registry import Registry

STRATEGIES = [{"strategy": "greedy"}, {"strategy": "beam", "beam_size": 2}]
LINES = """source\treference\tcomet\tother system
hola amigo\thello friend\t0.5\thello friend
buenos días\tgood day\t0.25\tgood night, day
hasta luego\tsee you later\t-1\t=SUM(A1)
hola\t<script>alert(1)</script>\t0.1\t<b>hola</b>
adiós\t\t0.1\tbye
"""


def test_set() -> Segments:
    """Four usable lines, one without a reference, a score and the outputs of another system."""
    return segments_of_table(read_pasted(LINES))


@pytest.fixture(scope="session")
def report(shipped: Any) -> EvaluationReport:
    """Two systems and a column of outputs, with changed sources and beam widths."""
    systems = requested_systems(["words"], STRATEGIES, 12)
    training = (("hola amigo", "hello friend"), ("buenas noches", "good night"))
    request = EvaluateRequest(systems, test_set(), training, changes=2, widths=(1, 2, 4))
    return evaluate(AppContext(Registry(shipped), "cpu"), request)


@pytest.fixture(scope="session")
def alone(shipped: Any) -> EvaluationReport:
    """One system on one segment."""
    segments = segments_of_table(read_pasted("hola amigo\thello friend"))
    request = EvaluateRequest(requested_systems(["words"], STRATEGIES[:1], 12), segments)
    return evaluate(AppContext(Registry(shipped), "cpu"), request)


@pytest.fixture(scope="session")
def outputs_alone(shipped: Any) -> EvaluationReport:
    """An evaluation of a column of outputs, without a checkpoint."""
    return evaluate(AppContext(Registry(shipped), "cpu"), EvaluateRequest((), test_set()))
