"""Links: their parameters are read as written, and every fault is reported with a sentence."""

from __future__ import annotations

import random
from dataclasses import asdict
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qsl

import gradio as gr
import pytest
from starlette.datastructures import QueryParams

from demo.i18n import in_language
from demo.links import Link, page_config
from demo.links.hiding import hiding_rules, parts
from demo.links.notice.component import LinkNotice
from demo.links.parameters import MAX_FAULTS, MAX_LINK_CHARACTERS, PARAMETERS, TABLE, VIEW
from demo.page.interface import build_demo
from demo.work.context import AppContext
from demo.work.operator.caps import MAX_NAME_CHARACTERS
from demo.work.requests.decode import decoding_options
from models.decoding.options import DecodingOptions
from tests.demo.conftest import LETTERS, TEXTS, WORDS
from tests.fakes.late_answers import filled_by, handler_of
from tests.fakes.links import query
from tests.fakes.settings import TEXT, some_settings


def read(text: str) -> Link:
    """Read a query as the server does."""
    return Link.parse(parse_qsl(text, keep_blank_values=True))


@pytest.mark.parametrize("seed", range(50))
def test_every_setting_comes_back_from_its_link(seed: int) -> None:
    settings = some_settings(random.Random(seed))
    link = read(query("decode", {"checkpoint": LETTERS, "text": TEXT, **asdict(settings)}))
    assert (link.values["checkpoint"], link.values["text"]) == (LETTERS, TEXT)
    result = link.take_settings(60)
    assert decoding_options(result, 60) == settings
    assert link.faults == []


def test_of_a_repeated_parameter_the_first_one_counts() -> None:
    link = read("text=one&beam_size=3&text=two&beam_size=5")
    assert (link.values["text"], link.values["beam_size"]) == ("one", "3")
    assert link.faults == [
        f"{name} appears in the link more than once; the first one counts." for name in ("text", "beam_size")
    ]


@pytest.mark.parametrize("seed", range(20))
def test_every_comparison_comes_back_from_its_link(seed: int) -> None:
    rng = random.Random(seed)
    strategies = [asdict(some_settings(rng)) for _ in range(rng.randint(1, 5))]
    link = read(query("compare", {"strategies": strategies}))
    assert link.tab == "compare"
    assert link.take_strategies(60) == strategies
    assert link.faults == []


def test_a_view_comes_back_from_its_link() -> None:
    view = {
        "forced": [[12, 5], [7]],
        "version": 2,
        "hypothesis": 3,
        "node": 0,
        "step": 4,
        "layer": 1,
        "head": 2,
        "words": True,
        "strongest": 85,
        "pruned": False,
        "cells": True,
        "rival": 7,
        "open": "why,ranking",
        "line": 120,
        "until": "lost:they",
        "inspect": "lens,side:encoder",
        "rank_by": "gnmt",
        "rank_alpha": 1.25,
    }
    table = {"sort": "-logProb", "pinned": 2, "opened": 1}
    assert (view.keys(), table.keys()) == (VIEW.keys(), TABLE.keys())
    assert read(query("decode", view)).take_view() == view
    assert read(query("compare", {**view, **table})).take_view(table=True) == {**table, **view}


def test_a_link_omits_defaults() -> None:
    settings = asdict(DecodingOptions(strategy="sampling", temperature=2.0))
    assert query("decode", settings) == "tab=decode&strategy=sampling&temperature=2&max_length=60"
    assert query("decode", {"text": "a b"}, ["tree", "next"]) == "tab=decode&text=a%20b&hide=tree,next"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("colour=2", "no parameter 'colour'"),
        ("beam_sise=2", "did you mean beam_size"),
        ("beam_size=40", "'Beam size' must be a whole number from 1 to 16; got 40"),
        ("beam_size=x", "'Beam size' must be a whole number from 1 to 16; got 'x'"),
        ("temperature=nan", "'Temperature' must be a number"),
        ("temperature=inf", "'Temperature' must be a number"),
        ("temperature=1e999", "'Temperature' must be a number"),
        ("strategy=best", "'Strategy' must be one of greedy"),
        ("rival=some", "rival must be a whole number from 0"),
        ("open=why,soul", "open names tabs of the result; there is no 'soul'"),
        ("inspect=soul", "inspect must be one of "),
        ("inspect=dossier,head:2.1", "inspect must be one of "),
        ("inspect=lens,side:" + 3000 * "x", "inspect must have at most 2,000 characters"),
        ("strategy=diverse&num_groups=3", "3 groups do not divide 4 beams"),
        ("strategy=diverse&beam_size=5", "2 groups do not divide 5 beams"),
        ("min_length=30&max_length=20", "'Minimum length' is 30 and 'Maximum length' 20"),
        ("min_length=61", "'Minimum length' is 61 and 'Maximum length' 60"),
        ("seed=1&seed=2", "seed appears in the link more than once"),
        ("tab=nowhere", "tab must be one of decode"),
        ("sort=logProb", "sort means nothing in the tab decode"),
        ("hide=tre", "did you mean tree"),
        ("hide=dossier", "no part 'dossier' to hide"),
        ("words=yes", "words must be one of true, false"),
        ("step=0", "step must be a whole number from 1"),
        ("forced=1,x", "A token of an edit must be a whole number"),
        ("forced=" + "1~" * 20 + "1", "at most 6 edits"),
        ("text=" + "x" * MAX_LINK_CHARACTERS, "16,004 characters"),
        ("too_long=70000", "70,013 characters"),
    ],
)
def test_a_fault_is_one_sentence_and_the_rest_applies(text: str, sentence: str) -> None:
    link = read(f"{text}&top_k=7" if "too_long" not in text and len(text) < 1000 else text)
    result = link.take_settings(60)
    link.take_view()
    assert any(sentence in fault for fault in link.faults), link.faults
    assert len(link.faults) == 1
    decoding_options(result, 60)
    assert "top_k" not in text or result["top_k"] == 7


def test_both_faults_of_conflicting_settings_are_reported() -> None:
    link = read("strategy=diverse&beam_size=7&num_groups=3&min_length=90&seed=4")
    result = link.take_settings(12)
    assert [fault.split()[0] for fault in link.faults] == ["'Minimum", "3", "2"]
    assert result == {"strategy": "diverse", "seed": 4}


def test_foreign_parameters_are_ignored_and_many_faults_are_counted() -> None:
    assert read("__theme=dark&__sign=x&run=abc&utm_source=y&fbclid=z&ref=w").faults == []
    link = read("&".join(f"x{index}=1" for index in range(50)))
    assert len(link.first_faults()) == MAX_FAULTS + 1
    assert link.first_faults()[-1] == f"And {50 - MAX_FAULTS} more."


@pytest.mark.slow
def test_any_query_is_read_without_an_exception() -> None:
    rng = random.Random(0)
    names = [*{name for names in PARAMETERS.values() for name in names}, "tab", "hide", "\ud800", ""]
    values = [
        "",
        "nan",
        "-1",
        "\ud83d",
        "1e400",
        "~~,,::",
        "a:b",
        "beam,:",
        "0x10",
        "9" * 400,
        "٣",
        "\0",
        "true",
    ]
    for _ in range(500):
        link = Link.parse([(rng.choice(names), rng.choice(values)) for _ in range(rng.randint(0, 12))])
        link.take_view(table=True)
        link.take_strategies(60)
        decoding_options(link.take_settings(60), 60)
        assert all(isinstance(fault, str) and len(fault) < 500 for fault in link.first_faults())


def test_wrong_strategies_of_a_link_are_skipped() -> None:
    link = read(
        "tab=compare&strategies=greedy~nope~beam,beam_size:99~beam,beam_size~beam,beam_size:2,colour:3~beam,beam_size:2"
    )
    assert link.take_strategies(60) == [{"strategy": "greedy"}, {"strategy": "beam", "beam_size": 2}]
    assert len(link.faults) == 4


def test_every_part_has_a_style_rule_and_known_tabs() -> None:
    rules = hiding_rules()
    for name, part in parts().items():
        assert f'[data-hide~="{name}"] ' in rules
        assert set(part.tabs) <= {"decode", "compare", "evaluate", "learn"}
    assert set(page_config()["parts"]) == set(parts())
    assert read("hide=tree,,tree, next").hide == ("next", "tree")


@pytest.fixture
def visit(context: AppContext) -> Any:
    """`visit(query)` is the answer to a loading page: values by widget, and the message."""
    demo = build_demo(context)
    loads = [fn for fn in demo.fns.values() if fn.targets and fn.targets[0][1] == "load"]
    (load,) = (fn for fn in loads if fn.outputs and isinstance(fn.outputs[-1], LinkNotice))

    def answer(text: str) -> tuple[dict[str, Any], dict[str, Any]]:
        request = SimpleNamespace(query_params=QueryParams(text))
        *values, message = handler_of(load)(request, SimpleNamespace(_data=None))
        widgets: list[Any] = [output.elem_id or output.label for output in filled_by(demo, load)]
        return dict(zip(widgets, values, strict=True)), message

    return answer


@pytest.mark.slow
def test_a_page_without_a_link_shows_the_example(visit: Any) -> None:
    values, message = visit("__theme=dark")
    assert values.pop("trace").source_text == TEXTS[0]
    assert all(value == gr.skip() for value in values.values())
    assert (message["tab"], message["run"], message["faults"], [*message["titles"]]) == (
        "decode",
        False,
        [],
        [LETTERS, WORDS],
    )


@pytest.mark.slow
def test_a_link_fills_in_the_widgets_and_runs(visit: Any) -> None:
    values, message = visit(
        f"checkpoint={WORDS}&text=hola&strategy=greedy&length_penalty=4&num_groups=8&step=2"
    )
    assert values["checkpoint"]["value"] == WORDS
    assert values["source"] == "hola"
    assert values["strategy"]["value"] == "greedy"
    assert values["Length penalty α"]["value"] == 4
    stretched = values["Groups"]  # its maximum follows the beam size of the form
    assert (stretched["value"], stretched["maximum"]) == (8, 8)
    assert values["Maximum length"]["value"] == 12  # the checkpoint's own
    assert (message["run"], message["view"], message["faults"]) == (True, {"step": 2}, [])


@pytest.mark.slow
@pytest.mark.parametrize("name", [LETTERS, WORDS])
def test_a_link_tells_the_page_whose_source_to_keep(visit: Any, name: str) -> None:
    values, _ = visit(f"checkpoint={name}&text=hola")
    assert values[None] == name  # also the default one: an open page may show another


@pytest.mark.slow
def test_an_unknown_checkpoint_is_reported_and_the_rest_applies(visit: Any) -> None:
    values, message = visit("checkpoint=word&text=hola&seed=5")
    assert values["checkpoint"]["value"] == LETTERS
    assert values["Seed"]["value"] == 5
    assert message["faults"] == ["There is no checkpoint 'word'; did you mean 'words'?"]
    _, message = visit("checkpoint=" + "x" * (MAX_NAME_CHARACTERS + 1))
    assert message["faults"] == [
        f"The name of a checkpoint cannot have {MAX_NAME_CHARACTERS + 1} characters."
    ]


@pytest.mark.slow
def test_a_picture_for_a_checkpoint_that_reads_texts_is_reported(visit: Any) -> None:
    values, message = visit("text=data:image/png;base64,AAAA")
    assert values["source"] == TEXTS[0]
    assert "reads texts, not pictures" in message["faults"][0]


@pytest.mark.slow
def test_a_link_to_another_tab_is_applied_when_that_tab_exists(visit: Any) -> None:
    values, message = visit("tab=compare&text=hola")
    assert all(value == gr.skip() for name, value in values.items() if name != "trace")
    assert (message["tab"], message["fill"]) == ("compare", True)
    _, message = visit(f"tab=checkpoints&checkpoint={WORDS}&section=attention")
    assert (message["tab"], message["view"]) == ("checkpoints", {"checkpoint": WORDS, "section": "attention"})
    _, message = visit("tab=training")  # there is none on this server
    assert message["faults"] == [
        "tab must be one of decode, compare, evaluate, checkpoints, learn; got 'training'."
    ]


def test_faults_of_a_link_are_in_the_language_of_the_page() -> None:
    wrong = "colour=2&beam_sise=2&seed=1&seed=2&sort=logProb&hide=tre&forced=1,x&step=0&strategy=best"
    with in_language("en"):
        english = every_fault(wrong)
    for code in ("es", "zh"):
        with in_language(code):
            sentences = every_fault(wrong)
        assert len(sentences) == len(english) == 8
        assert not set(sentences) & set(english)


def every_fault(text: str) -> list[str]:
    link = read(text)
    link.take_view()
    link.take_settings(60)
    return link.faults
