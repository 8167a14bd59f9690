"""The registry of cards and figures: a module's declaration takes effect everywhere."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from demo.links import Link, page_config
from demo.links.hiding import hiding_rules, parts
from demo.trace import trace_card as registry
from demo.trace.component import TraceView, page_shell, template
from demo.trace.payload import trace_payload
from demo.trace.trace_card import Card, cards, drawn_cards
from demo.widgets.figures.trace_figure import HideablePart, trace_figures
from demo.widgets.view.assets import DEMO
from tests.fakes.cards import throw_away_cards
from tests.fakes.exported_page import exported_page
from tests.fakes.traces import library_trace


@pytest.fixture
def temporary_cards(tmp_path: Path) -> Iterator[None]:
    with throw_away_cards(tmp_path):
        yield


def payload() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(trace_payload(library_trace()))
    return content


@pytest.mark.usefixtures("temporary_cards")
def test_a_new_figure_is_on_the_page_and_in_the_payload() -> None:
    html = str(TraceView(render=False).html_template)
    assert '<button type="button" role="tab" data-tab="planted">Entropy &lt;of each&gt; step</button>' in html
    panel = '<div class="tv-card tv-planted-card" role="tabpanel" aria-label="Entropy &lt;of each&gt; step"'
    assert f'{panel} data-card="planted">' in html
    assert "<h3>Entropy &lt;of each&gt; step</h3>" in html
    assert '<div class="tv-planted" data-figure="planted"></div>' in html
    assert '<span class="tv-downloads" data-chart="planted" data-name="planted"></span>' in html
    assert '<p class="tv-caption" data-caption="planted"></p>' in html
    content = payload()
    assert len(content["figures"]["planted"]["data"][0]["y"]) == 3
    assert content["captions"]["planted"] == "3 steps."


@pytest.mark.usefixtures("temporary_cards")
def test_a_new_card_is_on_the_page_and_in_the_payload() -> None:
    places = [
        template().index(f'data-card="{name}"')
        for name in ("output", "tree", "cloud", "plantedcard", "files")
    ]
    assert places == sorted(places)
    content = payload()
    assert content["captions"]["plantedcard"] == ["3 tokens.", "3 tokens."]
    assert content["plantedcard"] == {"most": 7}


@pytest.mark.usefixtures("temporary_cards")
@pytest.mark.parametrize("name", ["planted", "plantedcard"])
def test_a_new_part_can_be_left_out(name: str) -> None:
    assert parts()[name].selectors.startswith(f'[data-card="{name}"]')
    assert page_config()["parts"][name] == [f"the {name}", ("decode",)]
    link = Link.parse([("hide", name)])
    assert (link.hide, link.faults) == ((name,), [])


@pytest.mark.usefixtures("temporary_cards")
@pytest.mark.parametrize("name", ["planted", "plantedcard"])
def test_hiding_probabilities_hides_cards_that_show_nothing_else(name: str) -> None:
    rule = next(
        line for line in hiding_rules().splitlines() if line.startswith('[data-hide~="probabilities"]')
    )
    assert f'[data-card="{name}"]' in rule


@pytest.mark.usefixtures("temporary_cards")
def test_a_new_figure_and_a_new_card_are_in_the_exported_page() -> None:
    for name in ("planted", "plantedcard"):
        assert f'data-card="{name}"' in page_shell()
    assert "3 steps." in exported_page(library_trace())


def test_planted_cards_are_gone_after_their_tests() -> None:
    assert "planted" not in {*parts(), *(figure.name for figure in trace_figures())}
    assert 'data-card="plantedcard"' not in template()


def test_every_part_that_a_card_names_is_declared() -> None:
    assert parts()  # raises otherwise
    names = [part.name for card in cards() for part in (card.part, *card.parts) if part is not None]
    assert set(names) <= parts().keys()


def test_an_undeclared_part_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    stray = Card("stray", 1, "", part=HideablePart("stray", "a stray"), hidden_by=("probabilites",))
    monkeypatch.setattr("demo.links.hiding.cards", lambda: (*cards(), stray))
    with pytest.raises(ValueError, match=r"stray.*'probabilites'"):
        parts.__wrapped__()


def test_cards_have_distinct_positions_and_existing_scripts() -> None:
    assert len({card.position for card in cards()}) == len(cards())
    assert [card.script for card in cards() if card.script and not (DEMO / card.script).is_file()] == []


def test_the_stepper_is_beside_the_switch_and_every_tab_below() -> None:
    line, panes = (template().index(f'<div class="tv-{name}">') for name in ("line", "panes"))
    assert line < template().index('data-card="stepper"') < panes
    assert [card.name for card in cards() if card.position == registry.LINE] == ["stepper"]


@pytest.mark.parametrize("position", [25, registry.LINE])
def test_a_tab_positioned_above_the_stepper_is_refused(
    position: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    figure = replace(trace_figures()[0], name="surprise", position=position)
    monkeypatch.setattr(registry, "trace_figures", lambda: (figure,))
    with pytest.raises(ValueError, match=rf"surprise.*centre.*\b{registry.LINE}\b"):
        drawn_cards.__wrapped__()
    assert Card("surprise", position, "").pane == "", "a band may stand there"


def test_every_slot_of_a_card_is_in_its_template() -> None:
    html = template()
    captions = {name for card in cards() for name in card.captions} - {"scores", "none"}  # written by scripts
    assert captions == set(re.findall(r'data-caption="(\w+)"', html))
    charts = {name for card in cards() for name in card.downloads}
    assert charts == set(re.findall(r'data-chart="(\w+)" data-name="[^"]+"', html))


def test_a_pane_holds_a_tab_for_each_of_its_cards_between_the_bands(monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = (
        Card(name, index, name, pane="left", title=f"{name} <b>") for name, index in (("b", 42), ("a", 44))
    )
    bands = [Card(f"band{index}", index, "") for index in (15, registry.LINE, 41, 1000)]
    monkeypatch.setattr(registry, "cards", lambda: (*bands[:3], one, two, bands[3]))
    html = registry.cards_html()
    result = re.findall(r'(?:data-(?:card|tab)="|class="tv-(?=line|switch|panes))(\w+)"', html)
    assert result == ["band15", "line", "band40", "switch", "panes", "b", "a", "b", "a", "band41", "band1000"]
    assert 'role="tab" data-tab="a">a &lt;b&gt;</button>' in html
    assert {card.pane for card in cards()} <= {"", *registry.PANES}
    assert [card.name for card in cards() if card.pane and not card.title] == []
