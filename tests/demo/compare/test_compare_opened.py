"""A row of a comparison in full, beside the better output that its search missed."""

from __future__ import annotations

from typing import Any

import pytest

from demo.compare.handlers import on_compare, on_open
from demo.compare.view.payload import strategies_payload
from demo.compare.work.examples import comparison_examples
from demo.widgets.figures.lost_output import ComparedTrace, lost_output
from demo.work.context import AppContext
from demo.work.requests.checks import RequestError
from models.decoding.limits import DecodingError
from models.registry.registry import Registry
from tests.demo.conftest import LETTERS
from tests.documents import ROOT
from tests.refusals import refused

GREEDY, BEAM = (
    {"strategy": "greedy", "max_length": 20},
    {"strategy": "beam", "beam_size": 8, "max_length": 20},
)


def rows(context: AppContext, checkpoint: str, text: str) -> list[dict[str, Any]]:
    """Greedy and a wide beam, as the page reads them."""
    *_, last = on_compare(context, checkpoint, text, "", [GREEDY, BEAM])
    result: list[dict[str, Any]] = strategies_payload(last)["rows"]
    return result


@pytest.mark.slow
def test_a_row_with_a_search_error_opens_with_the_better_output() -> None:
    context = AppContext(Registry(ROOT / "checkpoints"), "cpu")
    name = context.default_checkpoint or ""
    greedy, beam = rows(context, name, comparison_examples(context.config(name))[0].text)
    better = greedy["request"]["better"]
    assert better == beam["ids"]
    assert beam["request"]["better"] == []
    trace = on_open(context, greedy["request"])
    assert isinstance(trace, ComparedTrace)
    assert trace.better is not None
    assert list(trace.better.token_ids) == better
    assert trace.better.log_prob == pytest.approx(beam["logProb"], abs=1e-3)
    assert lost_output(trace) is not None


def test_an_output_that_is_not_better_is_not_shown_as_better(context: AppContext) -> None:
    row = rows(context, LETTERS, "hola")[1]
    answer = on_open(context, {**row["request"], "better": row["ids"]})
    assert lost_output(answer) is None
    with refused(DecodingError, "no_such_token"):
        on_open(context, {**row["request"], "better": [10**6]})
    with refused(RequestError, "not_token_ids"):
        on_open(context, {**row["request"], "better": "x"})
