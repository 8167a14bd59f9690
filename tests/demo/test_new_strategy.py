"""A new strategy is one file: tested with one that is registered at run time."""

from __future__ import annotations

import re
from collections.abc import Iterator

import gradio as gr
import pytest

from demo.api.arguments import setting
from demo.api.endpoints import ENDPOINTS
from demo.compare.handlers import on_compare
from demo.compare.work.rows import Standing, marks
from demo.compare.work.running import run_rows
from demo.decode.controls.strategy import in_form_order
from demo.links import Link
from demo.page.interface import build_demo
from demo.page.theme import style_sheet
from demo.widgets.captions.options import details, short_name
from demo.widgets.captions.trace import ranking_caption
from demo.widgets.figures.samples import sample_cloud
from demo.widgets.strategy_picker.component import StrategyPicker, describe
from demo.work.context import AppContext
from demo.work.requests.decode import DecodeRequest, decoding_options
from demo.work.requests.edit import settings_of
from models.decoding.description import Family
from models.decoding.options import DecodingOptions, settings
from models.decoding.strategies import description_of, forget, meaning, names, register
from tests.demo.conftest import LETTERS
from tests.fakes.links import query
from tests.fakes.ranked_strategy import Ranked
from tests.generated_docs import arguments

RANKED = {"strategy": "ranked", "beam_size": 3, "max_length": 6}


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    register(Ranked)
    yield
    forget(Ranked.name)


@pytest.fixture
def page(context: AppContext) -> gr.Blocks:
    return build_demo(context)


@pytest.mark.slow
def test_a_new_strategy_has_a_button_and_a_sentence(page: gr.Blocks) -> None:
    by_id = {block.elem_id: block for block in page.blocks.values() if getattr(block, "elem_id", None)}
    assert by_id["strategy"].choices[-1] == ("By rank", "ranked")
    message = by_id["strategy-description"].value
    assert '<p class="only only-ranked">Takes the token of the same rank at every step.</p>' in message


@pytest.mark.slow
def test_a_new_strategy_shows_only_its_settings_under_its_own_names(page: gr.Blocks) -> None:
    rules = style_sheet()
    assert '.strategy:has(#strategy input[value="ranked"]:checked) .only:not(.only-ranked)' in rules
    match = re.search(r"nth-of-type\(n \+ (\d+)\)", rules)
    assert match is not None
    rare = ", ".join(f'[value="{name}"]' for name in in_form_order() if description_of(name).rare)
    assert f".strategies label:has(:is({rare}):not(:checked))" in rules
    first, families = int(match[1]), [description_of(name).family for name in in_form_order()]
    assert {*families[: first - 1]} == {Family.SEARCH}
    assert {*families[first - 1 :]} == {Family.DRAW}
    controls = [
        block for block in page.blocks.values() if "only" in (getattr(block, "elem_classes", 0) or ())
    ]
    settings = {
        block.label for block in controls if "only-ranked" in block.elem_classes and hasattr(block, "label")
    }
    assert {name for name in settings if name} == {"Beam size"}
    assert any("seed-row" in block.elem_classes and "only-ranked" in block.elem_classes for block in controls)
    assert any('"ranked": ["Ranks", "How many are written."]' in str(fn.js) for fn in page.fns.values())


def test_the_picker_of_compare_offers_and_describes_a_new_strategy() -> None:
    message = StrategyPicker().translated_props()
    form = next(form for form in message["forms"] if form["strategy"] == "ranked")
    assert (form["name"], [field["name"] for field in form["fields"]]) == (
        "One output by rank",
        ["beam_size"],
    )
    ready = message["presets"][-1]
    assert ready["settings"] == {"strategy": "ranked", "beam_size": 3}
    assert ready["name"] == "By rank, 3 of them"
    assert describe(RANKED) == {
        "name": "By rank, 3 of them",
        "details": "3 hypotheses, seed 0",
        "constraints": [],
    }


def test_a_comparison_runs_a_slow_strategy_last_and_judges_it_as_a_draw(context: AppContext) -> None:
    inputs = (RANKED, {"strategy": "beam", "max_length": 6})
    rows = [DecodeRequest(LETTERS, "hola", decoding_options(item)) for item in inputs]
    done = [[row.outcome is not None for row in run.rows] for run in run_rows(context, rows)]
    assert [False, True] in done, "the second row was done before the first"
    assert [True, False] not in done
    *_, last = on_compare(context, LETTERS, "hola", "", list(inputs))
    scored = marks(last.rows)[0]
    assert scored is not None
    assert scored.standing is Standing.DRAW


def test_programs_can_call_a_new_strategy_and_read_its_description(context: AppContext) -> None:
    assert setting("strategy").kind.__args__[-1] == "ranked"
    assert setting("strategy").meaning.endswith("or ranked (for nobody).")
    assert meaning(settings()["beam_size"]).startswith("Hypotheses that beam, ")
    assert " and ranked keep per step, " in meaning(settings()["beam_size"])
    translate = next(endpoint for endpoint in ENDPOINTS if endpoint.name == "translate")
    inputs = {"checkpoint": LETTERS, "text": "hola", **RANKED}
    answer = translate.handler(
        context, *(inputs.get(argument.name, argument.default) for argument in translate.arguments)
    )
    assert (answer["strategy"], len(answer["hypotheses"])) == ("ranked", 3)
    assert next(iter(answer["settings"].items())) == ("count", 3)


def test_a_link_names_a_new_strategy_alone_or_among_others() -> None:
    text = query("decode", RANKED)
    assert re.search(r"strategy=ranked&beam_size=3", text)
    link = Link.parse([("strategy", "ranked"), ("beam_size", "3")])
    assert (link.take_settings(60), link.faults) == ({"strategy": "ranked", "beam_size": 3}, [])
    several = Link.parse([("tab", "compare"), ("strategies", "ranked,beam_size:3~greedy")])
    assert several.take_strategies(60) == [{"strategy": "ranked", "beam_size": 3}, {"strategy": "greedy"}]


def test_the_trace_of_a_new_strategy_has_captions_and_a_cloud_and_can_be_edited(context: AppContext) -> None:
    request = decoding_options(RANKED)
    trace = context.decode(DecodeRequest(LETTERS, "hola", request))
    assert ranking_caption(trace) == "Ranked by rank."
    assert sample_cloud(trace) is not None
    assert settings_of(trace.strategy, trace.settings).build_strategy() == request.build_strategy()


def test_the_guide_lists_a_new_strategy() -> None:
    assert "or ranked (for nobody)." in arguments()


def test_the_names_of_a_new_strategy_contain_its_settings() -> None:
    request = DecodingOptions("ranked", beam_size=1, seed=7)
    assert (short_name(request), details(request)) == ("By rank, 1 of them", "1 hypothesis, seed 7")


def test_a_strategys_name_is_unique_and_valid_in_a_link() -> None:
    assert names()[-1] == "ranked"
    again = type("Again", (Ranked,), {})
    with pytest.raises(ValueError, match=r"'ranked'.*Ranked"):
        register(again)
    with pytest.raises(ValueError, match=repr("by rank")):
        register(type("Odd", (Ranked,), {"name": "by rank"}))
