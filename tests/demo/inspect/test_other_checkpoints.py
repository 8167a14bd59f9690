"""The checkpoints that a view of Inspect offers if it does not apply to the one on show."""

from __future__ import annotations

from urllib.parse import parse_qs

import pytest

from demo.inspect import inspect_views
from demo.inspect.inspection import elsewhere, fits
from demo.work.context import AppContext
from tests.demo.inspect.view_requests import ask, decoded

TRANSFORMER, RECURRENT = "spa-eng-transformer", "spa-eng-gru"


@pytest.mark.parametrize(
    ("view", "here"), [("units", TRANSFORMER), ("gradient", TRANSFORMER), ("lens", RECURRENT)]
)
def test_an_inapplicable_view_offers_suitable_checkpoints(context: AppContext, view: str, here: str) -> None:
    answer = ask(context, view, decoded(context, here), 0)
    assert "refused" in answer
    links = [parse_qs(row[0]["query"]) for row in answer["table"]["rows"]]
    described_view = next(item for item in inspect_views() if item.name == view)
    assert links
    assert all(fits(described_view, context.config(link["checkpoint"][0])) for link in links)
    assert all(link["inspect"] == [view] for link in links)
    text = decoded(context, here).source_text
    assert links[0]["text"] == [text], "those that read the same text come first"


def test_an_offered_checkpoint_of_another_task_gets_its_own_text(context: AppContext) -> None:
    units = next(view for view in inspect_views() if view.name == "units")
    configs = context.registry.configs()
    table = elsewhere(units, configs[TRANSFORMER], {"reverse-gru": configs["reverse-gru"]}, "hola")
    ((link, text),) = table.rows
    assert "text" not in parse_qs(link.query)  # type: ignore[union-attr]
    assert text == ""
