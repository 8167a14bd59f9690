"""Refusals of the endpoints, with their sentences."""

from __future__ import annotations

import json
import re
from typing import Any

import httpx
import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError

from demo.api.endpoints import ENDPOINTS
from demo.evaluate.work.request import MAX_PAIRS
from demo.server.calls.call_bodies import MAX_NESTING, MAX_VALUES, OBJECT
from demo.work.operator.caps import MAX_BODY_BYTES
from models.decoding.strategies import names
from tests.demo.conftest import LETTERS
from tests.fakes.calls import call, translated
from tests.messages import wording

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("values", "code", "fields"),
    [
        ({"text": ""}, "no_text", {}),
        ({"trace": "yes"}, "not_a_switch", {"name": "trace", "value": "'yes'"}),
        ({"text": "x" * 10_000}, "too_many_characters", {"count": "10,000", "limit": 500}),
        ({"text": {"a": 1}}, "not_a_text", {"name": "text"}),
        ({"text": "data:image/png;base64,AAAA"}, "reads_texts", {"name": LETTERS}),
        ({"text": None}, "not_a_text", {"name": "text", "value": None}),
        ({"checkpoint": "leters"}, "did_you_mean", {"close": "'letters'"}),
        ({"checkpoint": "../../etc"}, "no_such_checkpoint", {"name": "'../../etc'"}),
        ({"checkpoint": [LETTERS]}, "not_a_checkpoint_name", {}),
        ({"checkpoint": "<img src=x>"}, "no_such_checkpoint", {"name": "'‹img src=x›'"}),
        ({"beam_size": 0}, "not_whole_within", {"name": "beam_size", "low": 1, "high": 16, "value": 0}),
        ({"beam_size": 1000}, "not_whole_within", {"name": "beam_size", "value": 1000}),
        ({"beam_size": "many"}, "not_whole_within", {"name": "beam_size"}),
        ({"beam_size": True}, "not_whole_within", {"name": "beam_size"}),
        ({"temperature": [1]}, "not_within", {"name": "temperature"}),
        ({"strategy": "sampling", "temperature": 0}, "zero_is_greedy", {}),
        ({"length_penalty": 1e6}, "not_within", {"name": "length_penalty", "low": -5, "value": 1e6}),
        ({"strategy": "diverse", "num_groups": 3}, "groups_do_not_divide", {"groups": 3, "beams": 4}),
        ({"banned": "hola"}, "banned_word_in_pieces", {"count": 4, "pieces": "“h” “o” “l” “a”"}),
        ({"banned": "x" * 201}, "too_many_characters", {"name": "banned", "count": 201, "limit": 200}),
        ({"banned": "</s>"}, "end_cannot_be_banned", {}),
        ({"strategy": "exhaustive"}, "too_many_sequences", {}),
        ({"strategy": "exact", "node_budget": 100, "min_length": 40, "max_length": 50}, "budget_spent", {}),
        ({"min_length": 60}, "lengths_at_odds", {}),
        ({"node_budget": 10**9}, "not_whole_within", {"name": "node_budget", "high": "100,000"}),
        ({"strategy": "best"}, "not_one_of", {"name": "strategy"}),
        ({"early_stopping": 1}, "not_one_of", {"name": "early_stopping"}),
        ({"seed": 0.5}, "not_whole_within", {"name": "seed"}),
        ({"max_length": 100_000}, "not_whole_within", {"name": "max_length", "high": 100}),
    ],
    ids=repr,
)
def test_bad_input_is_refused_with_a_sentence(
    client: Client, values: dict[str, Any], code: str, fields: dict[str, object]
) -> None:
    with pytest.raises(AppError, match=wording(code, **fields)):
        client.predict(**({"checkpoint": LETTERS, "text": "hola"} | values), api_name="/translate")
    assert translated(client, LETTERS, "hola", max_length=3)  # and the page still works


@pytest.mark.parametrize("strategy", names())
def test_a_refusal_of_the_search_is_a_sentence(client: Client, strategy: str) -> None:
    values = {"checkpoint": LETTERS, "text": "hola", "strategy": strategy}
    with pytest.raises(AppError, match=wording("end_cannot_be_banned")):
        client.predict(**values, banned="</s>", max_length=2, api_name="/translate")


@pytest.mark.parametrize(
    ("values", "code", "fields"),
    [
        ({"position": 0}, "not_whole_within", {"name": "position"}),
        ({"position": 6}, "not_whole_within", {"name": "position"}),
        ({"rival": "ab"}, "rival_is_several_tokens", {}),
        ({"rival": "🙂"}, "words_unknown", {}),
        ({"text": " "}, "no_text", {}),
        ({"checkpoint": "nobody"}, "no_such_checkpoint", {"name": "'nobody'"}),
    ],
)
def test_a_refused_attribution_is_a_sentence(
    client: Client, values: dict[str, Any], code: str, fields: dict[str, object]
) -> None:
    with pytest.raises(AppError, match=wording(code, **fields)):
        client.predict(
            **({"checkpoint": LETTERS, "text": "hola", "target": "hola"} | values), api_name="/attribute"
        )


@pytest.mark.parametrize(
    ("values", "code", "fields"),
    [
        ({"side": "both"}, "not_one_of", {"name": "side", "value": "'both'"}),
        ({"text": " "}, "no_text", {}),
        ({"checkpoint": "nobody"}, "no_such_checkpoint", {"name": "'nobody'"}),
        ({}, "no_decoder_layers", {}),
        ({"side": "encoder"}, "no_encoder_layers", {}),
    ],
)
def test_a_refused_lens_is_a_sentence(
    client: Client, values: dict[str, Any], code: str, fields: dict[str, object]
) -> None:
    with pytest.raises(AppError, match=wording(code, **fields)):
        client.predict(
            **({"checkpoint": LETTERS, "text": "hola", "target": "hola"} | values), api_name="/lens"
        )


@pytest.mark.parametrize(
    ("values", "code", "fields"),
    [
        ({"sources": []}, "sources_without_references", {"sources": 0, "references": 1}),
        ({"sources": [], "references": []}, "pair_count_out_of_range", {"most": MAX_PAIRS, "count": 0}),
        (
            {"sources": ["a"] * (MAX_PAIRS + 1), "references": ["a"] * (MAX_PAIRS + 1)},
            "pair_count_out_of_range",
            {"most": MAX_PAIRS, "count": MAX_PAIRS + 1},
        ),
        ({"sources": "hola"}, "not_texts", {"name": "sources", "value": "'hola'"}),
        ({"references": [1]}, "not_texts", {"name": "references"}),
        ({"references": [" "]}, "pair_lacks_text", {"number": 1}),
        ({"strategy": "exhaustive"}, "too_many_sequences", {}),
        ({"sources": ["x" * 501]}, "too_many_characters", {"name": "text 1 of sources", "count": 501}),
        ({"beam_size": 0}, "not_whole_within", {"name": "beam_size"}),
        ({"checkpoint": "nobody"}, "no_such_checkpoint", {"name": "'nobody'"}),
    ],
    ids=repr,
)
def test_a_refused_evaluation_is_a_sentence(
    client: Client, values: dict[str, Any], code: str, fields: dict[str, object]
) -> None:
    evaluate_values = {"checkpoint": LETTERS, "sources": ["hola"], "references": ["aloh"]} | values
    with pytest.raises(AppError, match=wording(code, **fields)):
        client.predict(**evaluate_values, api_name="/evaluate")


@pytest.mark.parametrize(
    ("values", "code", "fields"),
    [
        ({"target": ""}, "no_text_to_score", {}),
        ({"target": None}, "not_a_text", {"name": "target", "value": None}),
        ({"target": "x" * 501}, "too_many_characters", {"name": "target", "count": 501, "limit": 500}),
        ({"target": "x" * 300}, "text_to_score_too_long", {"count": 301}),
        ({"text": " "}, "no_text", {}),
        ({"text": [1]}, "not_a_text", {"name": "text", "value": [1]}),
        ({"checkpoint": ""}, "not_a_checkpoint_name", {}),
        ({"length_penalty": "1"}, "not_within", {"name": "length_penalty", "value": "'1'"}),
        ({"normalizer": "wu"}, "not_one_of", {"name": "normalizer", "value": "'wu'"}),
    ],
    ids=repr,
)
def test_a_refused_score_is_a_sentence(
    client: Client, values: dict[str, Any], code: str, fields: dict[str, object]
) -> None:
    with pytest.raises(AppError, match=wording(code, **fields)):
        client.predict(
            **({"checkpoint": LETTERS, "text": "hola", "target": "hola"} | values), api_name="/score"
        )


@pytest.mark.parametrize(("data", "size"), [("[]", 0), (f'["{LETTERS}"]', 1)])
def test_a_wrong_number_of_values_is_refused_with_both_numbers(url: str, data: str, size: int) -> None:
    (endpoint,) = (endpoint for endpoint in ENDPOINTS if endpoint.name == "translate")
    answer = call(url, "translate", data)
    assert "event: error" in answer
    assert {str(len(endpoint.arguments)), str(size)} <= {*re.findall(r"\d+", answer)}


@pytest.mark.parametrize(
    ("path", "content", "status", "named"),
    [
        ("v2/translate", f'{{"checkpoint": "{LETTERS}"}}', 422, "'text'"),
        ("v2/translate", '{"beams": 2}', 422, "'beam_size'"),
        ("v2/card", '{"xyz": 1}', 422, "'xyz'"),
        ("translate", '{"data": ["\\ud83d"]}', 422, "Unicode"),
        ("translate", '{"data": [1e999]}', 422, "number"),
        ("v2/translate", "[1]", 422, OBJECT),
        ("v2/translate", "{", 422, OBJECT),
        ("v2/translate", "[" * 9_000, 422, f"more than {MAX_NESTING} levels"),
        ("v2/translate", "[" * 100_000, 422, f"{MAX_VALUES:,}"),
        ("v2/card", '{"checkpoint": {"path": "x", "meta": null}}', 422, "meta"),
        ("card", '{"data": [{"path": "x", "meta": []}]}', 422, "meta"),
        ("v2/nowhere", "{}", 404, "'nowhere'"),
        ("v2/compare", "{}", 404, "'compare'"),
        ("nowhere", '{"data": []}', 404, "'nowhere'"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_call_that_does_not_fit_an_endpoint_is_refused_with_a_sentence(
    url: str, path: str, content: str, status: int, named: str
) -> None:
    headers = {"content-type": "application/json"}
    answer = httpx.post(f"{url}gradio_api/call/{path}", content=content, headers=headers)
    assert answer.status_code == status
    assert named in answer.json()["detail"]
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("path", "body", "named"),
    [
        ("queue/join", {"session_hash": "x" * 101}, "session_hash"),
        ("queue/join", {"session_hash": ["x"]}, "session_hash"),
        ("queue/join", {"session_hash": "x", "fn_index": 99_999}, "fn_index"),
        ("run/tokenize", {"session_hash": "x" * 500_000}, "session_hash"),
        ("run/tokenize", {"fn_index": -1}, "-1"),
        ("run/tokenize", {"fn_index": True}, "True"),
        ("call/translate", {"batched": True}, "Batch"),
        ("component_server", {"component_id": 10**9, "session_hash": "x"}, "component_id"),
        ("component_server", {"component_id": [1], "session_hash": "x"}, "component_id"),
        ("component_server/", {"component_id": 1, "session_hash": {}}, "session_hash"),
        ("queue/join", {"session_hash": "x", "event_data": [{"path": "x", "meta": "y"}]}, "meta"),
        ("cancel", [], OBJECT),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_malformed_call_is_refused_and_its_field_named(url: str, path: str, body: Any, named: str) -> None:
    body = {"data": [], "fn_name": "x", **body} if isinstance(body, dict) else body
    answer = httpx.post(f"{url}gradio_api/{path}", json=body)
    assert answer.status_code == 422
    assert named in answer.json()["detail"]


@pytest.mark.parametrize("language", ["en", "es", "zh"])
def test_a_direct_call_that_is_refused_is_no_fault_of_the_server(url: str, language: str) -> None:
    address = f"{url}gradio_api/run/tokenize?lang={language}"
    answer = httpx.post(address, json={"data": ["nobody", "hola"]})
    assert answer.status_code == 422
    assert "nobody" in answer.json()["error"]


@pytest.mark.parametrize("folder", ["run", "api"])
def test_only_a_quick_endpoint_answers_without_the_queue(url: str, folder: str) -> None:
    """The queue limits how many decodings run at once."""
    answer = httpx.post(f"{url}gradio_api/{folder}/translate", json={"data": [LETTERS, "hola"]})
    assert answer.status_code == 404
    quick = httpx.post(f"{url}gradio_api/{folder}/tokenize", json={"data": [LETTERS, "hola"]})
    assert quick.json()["data"][0]["tokens"]


def test_a_lost_session_is_reported_without_a_traceback(url: str) -> None:
    """A page that was open while the server restarted still has its old session."""
    answer = httpx.get(f"{url}gradio_api/queue/data", params={"session_hash": "before"})
    message = json.loads(answer.text.removeprefix("data: "))
    assert (message["msg"], message["session_not_found"]) == ("unexpected_error", True)


@pytest.mark.parametrize("path", ["gradio_api/call/translate", "gradio_api/queue/join"])
def test_a_large_body_is_refused_before_it_is_parsed(url: str, path: str) -> None:
    large = b'{"data": ["' + b"x" * MAX_BODY_BYTES + b'"]}'
    assert httpx.post(url + path, content=large).status_code == 413
    in_pieces = iter([large[: len(large) // 2], large[len(large) // 2 :]])  # no Content-Length
    assert httpx.post(url + path, content=in_pieces).status_code == 413


@pytest.mark.parametrize(
    ("name", "code", "fields"),
    [
        (f"{LETTERS}@../../", "no_variants_name", {"name": "'../../'"}),
        (f"{LETTERS}@nobody", "no_variants", {"variant": "'@nobody'"}),
        (f"{LETTERS}@int8@int8", "no_such_variant", {"name": "'letters'"}),
    ],
)
def test_every_endpoint_refuses_an_unknown_variant(
    client: Client, name: str, code: str, fields: dict[str, object]
) -> None:
    values = {"text": "hola", "target": "hola", "sources": ["hola"], "references": ["aloh"]}
    for endpoint in ENDPOINTS:
        argument_names = {argument.name for argument in endpoint.arguments}
        if "checkpoint" in argument_names:
            arguments = {item: value for item, value in values.items() if item in argument_names}
            with pytest.raises(AppError, match=wording(code, **fields)):
                client.predict(checkpoint=name, **arguments, api_name=f"/{endpoint.name}")
