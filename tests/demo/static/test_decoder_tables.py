"""Each strategy, setting, cell and network works in the browser's decoder, or the folder leaves it out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from demo.static.site import decoder
from demo.static.site.checkpoints import select_names
from demo.static.site.decoder import absent_settings, can_run, decoder_names, with_its_strategies
from demo.static.site.page import build_page, description
from demo.work.context import AppContext
from models.decoding.options import settings
from models.decoding.strategies import description_of, forget, names, register
from models.networks.architectures import ARCHITECTURES
from models.networks.cells import CELLS
from models.registry.card import CheckpointError
from models.registry.registry import Registry
from tests.demo.static.decodings import CHECKPOINTS, SEARCHES
from tests.fakes.ranked_strategy import Ranked
from tests.refusals import refused

REGISTRY = Registry(CHECKPOINTS)


@pytest.fixture
def ranked() -> Iterator[None]:
    """A strategy that the decoder lacks."""
    register(Ranked)
    yield
    forget(Ranked.name)


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Any:
    """`without(table, name)` leaves a name out of a table of the decoder."""

    def leave_out(table: tuple[str, str], absent: str) -> None:
        tables = (decoder.STRATEGIES, decoder.SETTINGS, decoder.NETWORKS, decoder.CELLS)
        remaining = {one: decoder_names(one) for one in tables}
        remaining[table] -= {absent}
        monkeypatch.setattr(decoder, "decoder_names", remaining.__getitem__)

    return leave_out


def folder_page() -> dict[str, Any]:
    """The description of the folder's page."""
    with with_its_strategies():
        return description(build_page(AppContext(REGISTRY)))


def test_the_tables_of_the_decoder_name_what_the_library_has() -> None:
    assert {"greedy", "beam", "sampling"} <= decoder_names(decoder.STRATEGIES) <= {*names()}
    assert {"strategy", "beam_size", "must_contain"} <= decoder_names(decoder.SETTINGS) <= settings().keys()
    assert {"recurrent"} <= decoder_names(decoder.NETWORKS) <= ARCHITECTURES.keys()
    assert {"gru"} <= decoder_names(decoder.CELLS) <= CELLS.keys()


def test_every_strategy_setting_and_choice_of_the_decoder_is_compared_with_the_library() -> None:
    """`test_decoding.py` compares `SEARCHES`, and decodings with required and banned words."""
    tried = {(name, value) for search in SEARCHES for name, value in search.items()}
    strategies = {value for name, value in tried if name == "strategy"}
    assert decoder_names(decoder.STRATEGIES) == strategies
    varied = {name for name, value in tried if value != settings()[name].default}
    assert decoder_names(decoder.SETTINGS) - absent_settings() - varied <= {"banned", "must_contain"}
    for name in decoder_names(decoder.SETTINGS) - {"strategy"}:
        setting = settings()[name]
        values = {setting.default, *(value for other, value in tried if other == name)}
        assert {*setting.words} <= values


@pytest.mark.slow
@pytest.mark.usefixtures("ranked")
def test_a_strategy_that_the_decoder_lacks_is_left_out() -> None:
    page = folder_page()
    assert "ranked" in names(), "it is left out of the folder alone"
    assert "ranked" not in page["captions"]
    assert not [text for text in strings(page["tree"]) if '"ranked"' in text or "only-ranked" in text]
    offered = {value for node in nodes(page["tree"]) for _, value in node.get("choices", ())}
    assert offered & {*names()} == decoder_names(decoder.STRATEGIES)


@pytest.mark.slow
def test_a_setting_that_the_decoder_lacks_is_left_out(without: Any) -> None:
    without(decoder.SETTINGS, "beam_size")
    assert "beam_size" in description_of("beam").captions or "beam_size" in description_of("beam").main
    page = folder_page()
    assert page["controls"].keys() == {"checkpoint", "text", *decoder_names(decoder.SETTINGS)} - {"beam_size"}
    assert {node["id"] for node in nodes(page["tree"])} >= {*page["controls"].values()}
    assert {"Groups", "Beam size"} & {node.get("label") for node in nodes(page["tree"])} == {"Groups"}
    assert "beam_size" not in {name for captions in page["captions"].values() for name in captions}
    assert "beam_size" not in {*page["limits"], *page["limits"].values()}
    forms = [form for node in nodes(page["tree"]) for form in node.get("props", {}).get("forms", ())]
    assert forms
    assert "beam_size" not in {field["name"] for form in forms for field in form["fields"]}


def test_a_network_or_cell_that_the_decoder_lacks_is_left_out(without: Any) -> None:
    assert can_run({"architecture": "recurrent", "cell": "lstm"})
    without(decoder.CELLS, "lstm")
    assert not can_run({"architecture": "recurrent", "cell": "lstm"})
    without(decoder.NETWORKS, "transformer")
    selected = select_names(REGISTRY, ["all"])
    assert "reverse-gru" in selected
    assert "dates-transformer" not in selected
    with refused(CheckpointError, "checkpoint_unusable", "dates-transformer", "config.json"):
        select_names(REGISTRY, ["dates-transformer"])


def nodes(node: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield a widget and all inside it."""
    yield node
    for child in node.get("children", ()):
        yield from nodes(child)


def strings(tree: Mapping[str, Any]) -> Iterator[str]:
    """Yield each widget as text, without those inside it."""
    for node in nodes(tree):
        yield json.dumps({name: value for name, value in node.items() if name != "children"})
