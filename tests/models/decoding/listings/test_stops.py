"""The listing of a trace stops where it is asked to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any
from urllib.parse import parse_qsl

import pytest

from demo.links.parameters import SETTINGS, convert
from demo.work.context import AppContext
from demo.work.requests.decode import DecodeRequest
from models.decoding.options import DecodingOptions
from models.decoding.strategies.listings import listing
from models.decoding.trace import DecodingTrace
from models.registry.registry import Registry
from tests.models.decoding.listings.page import derived
from tests.source_modules import ROOT

SHOP = "Cerraron la tienda y nos fuimos a casa."
COURSE = "demo/learn/lessons/course"
HEADERS = ("for length", "while")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def context() -> AppContext:
    return AppContext(Registry(ROOT / "checkpoints"), "cpu")


def run(
    context: AppContext, options: DecodingOptions, wishes: Mapping[str, str] | None = None
) -> tuple[DecodingTrace, list[dict[str, Any]], dict[str, list[int]]]:
    """The trace of a sentence, its lines with their code, and where its stops hold."""
    trace = context.decode(DecodeRequest("spa-eng-gru", SHOP, options))
    (page,) = derived([trace], wishes)
    codes = [code.strip() for code in (listing(options.strategy) or "").splitlines()]
    return trace, [{**line, "code": codes[line["line"] - 1]} for line in page["lines"]], page["stops"]


def prefixes(line: Mapping[str, Any]) -> list[list[int]]:
    return [row[-1] for row in line["scope"].get("beam", ())]


def headers(lines: list[dict[str, Any]]) -> list[int]:
    return [index for index, line in enumerate(lines) if line["code"].startswith(HEADERS)]


def test_a_search_parts_from_greedy_and_its_output_falls_behind(context: AppContext) -> None:
    trace, lines, stops = run(context, DecodingOptions("beam", beam_size=4))
    greedy = context.decode(DecodeRequest("spa-eng-gru", SHOP, DecodingOptions("greedy"))).hypotheses[0]
    running = {index: prefixes(lines[index]) for index in headers(lines)}
    parts = [i for i, beam in running.items() if beam and beam[0] != list(greedy.token_ids)[: len(beam[0])]]
    assert stops["parts"] == parts[:1] != []
    output = list(trace.hypotheses[0].token_ids)
    falls = [i for i, beam in running.items() if output[: len(beam[0])] in beam[1:]]
    before = {index: headers(lines)[number - 1] for number, index in enumerate(headers(lines)) if number}
    assert stops["falls"] == [index for index in falls if before[index] not in falls] != []


def test_a_search_finishes_outputs_and_its_bound_closes(context: AppContext) -> None:
    trace, lines, stops = run(context, DecodingOptions("beam", beam_size=3))
    grows = [
        index
        for index, (one, other) in enumerate(pairwise(lines))
        if len(other["scope"].get("finished", ())) > len(one["scope"].get("finished", ()))
    ]
    assert stops["ends"] == grows
    assert len(grows) >= len(trace.hypotheses)
    assert [lines[index + 1]["code"] for index in stops["closes"]] == ["break"]


def test_a_step_stops_where_the_entropy_is_high(context: AppContext) -> None:
    trace, lines, stops = run(context, DecodingOptions("greedy"), {"entropy": "1.5"})
    high = [step.index for step in trace for row in step.rows if row.entropy > 1.5]
    asks = [index for index, line in enumerate(lines) if "model.next" in line["code"]]
    assert stops["entropy"] == [asks[step] for step in high] != []
    _, _, none = run(context, DecodingOptions("greedy"), {"entropy": "50"})
    assert none["entropy"] == []


@pytest.mark.parametrize("word", ["They", "they ", "THEY"])
def test_a_step_stops_where_no_prefix_has_a_word_any_more(context: AppContext, word: str) -> None:
    trace, lines, stops = run(context, DecodingOptions("beam", beam_size=2), {"lost": word})
    first = stops["lost"][0]
    # At step 2 both prefixes begin with "The", as the lesson "Be the beam" says.
    before, after = headers(lines)[1:3]
    assert before < first < after
    assert lines[first]["sentence"].startswith("It is dropped")
    they = next(node.token_id for node in trace.nodes.values() if node.token.endswith("They"))
    assert they in [node.token_id for node in trace.path(lines[first]["node"]["id"])]
    assert any(they in prefix for prefix in prefixes(lines[before]))
    assert not any(they in prefix for prefix in prefixes(lines[after]))


def test_a_search_does_not_part_from_greedy_when_its_output_is_finished(context: AppContext) -> None:
    text = "No sé si debería decirle la verdad a mi hermano."
    options = DecodingOptions("beam", beam_size=3, early_stopping="never", length_penalty=1.2)
    trace = context.decode(DecodeRequest("spa-eng-gru", text, options))
    greedy = context.decode(DecodeRequest("spa-eng-gru", text, DecodingOptions("greedy")))
    assert trace.hypotheses[0].token_ids == greedy.hypotheses[0].token_ids
    (page,) = derived([trace])
    assert page["stops"]["parts"] == []


@pytest.mark.parametrize("word", ["", "Th", "hey", "(", "<script>", "\\b"])
def test_a_part_of_a_word_and_an_absent_word_are_never_lost(context: AppContext, word: str) -> None:
    _, _, stops = run(context, DecodingOptions("beam", beam_size=2), {"lost": word})
    assert stops["lost"] == []


def lesson_links() -> list[dict[str, str]]:
    """The parameters of each address of a lesson that stops at a line."""
    texts = [path.read_text(encoding="utf-8") for path in sorted((ROOT / COURSE).glob("*.md"))]
    links = [dict(parse_qsl(link)) for text in texts for link in re.findall(r'open="\?([^"]+)"', text)]
    return [link for link in links if "until" in link]


def test_lessons_stop_where_they_say(context: AppContext) -> None:
    sentences = {"lost": "It is dropped", "closes": "The stack is empty"}
    links = lesson_links()
    assert {link["until"].partition(":")[0] for link in links} == sentences.keys()
    for link in links:
        assert link["open"] == "candidates"
        values = {name: convert(name, text) for name, text in link.items() if name in SETTINGS}
        trace = context.decode(DecodeRequest(link["checkpoint"], link["text"], DecodingOptions(**values)))
        stop, _, word = link["until"].partition(":")
        (page,) = derived([trace], {stop: word})
        assert page["lines"][page["stops"][stop][0]]["sentence"].startswith(sentences[stop])


@pytest.mark.parametrize("name", ["diverse", "stochastic", "sampling", "threshold", "mbr", "exact"])
def test_the_offered_stops_are_those_of_the_search(context: AppContext, name: str) -> None:
    budget = {"node_budget": 300} if name == "exact" else {}
    trace, lines, stops = run(context, DecodingOptions(name, max_length=8, **budget))
    assert ("closes" in stops) == (name in {"diverse", "threshold", "exact"})
    assert ("falls" in stops) == (name in {"stochastic", "threshold"})
    assert ("lost" in stops) == (name not in {"mbr", "exact"})
    if name == "exact":
        empty = [i for i, line in enumerate(lines) if line["code"] == "while stack:" and not line["holds"]]
        assert stops["closes"] == empty == [len(lines) - 2]
    if name in {"diverse", "sampling"}:
        assert len(stops["ends"]) >= len(trace.hypotheses)
