"""What the endpoints refuse, and the sentence for it."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError

from demo.api.endpoints import ENDPOINTS
from demo.operator.caps import MAX_BODY_BYTES
from tests.demo.conftest import LETTERS
from tests.fakes.calls import call, translated

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"text": ""}, "There is no text to decode"),
        ({"trace": "yes"}, "trace must be true or false; got 'yes'"),
        ({"text": "x" * 10_000}, "The text has 10,000 characters; the limit is 500"),
        ({"text": {"a": 1}}, "text must be a text"),
        ({"text": "data:image/png;base64,AAAA"}, "letters reads texts, not pictures"),
        ({"text": None}, "text must be a text; got None"),
        ({"checkpoint": "leters"}, "did you mean 'letters'"),
        ({"checkpoint": "../../etc"}, "There is no checkpoint '../../etc'"),
        ({"checkpoint": [LETTERS]}, "checkpoint must be the name"),
        ({"checkpoint": "<img src=x>"}, "There is no checkpoint '‹img src=x›'"),
        ({"beam_size": 0}, "beam_size must be a whole number from 1 to 16; got 0"),
        ({"beam_size": 1000}, "beam_size must be a whole number from 1 to 16; got 1000"),
        ({"beam_size": "many"}, "beam_size must be a whole number"),
        ({"beam_size": True}, "beam_size must be a whole number"),
        ({"temperature": [1]}, "temperature must be a number"),
        ({"strategy": "sampling", "temperature": 0}, "that is the greedy strategy"),
        ({"length_penalty": 1e6}, "length_penalty must be a number from -5 to 5; got 1000000.0"),
        ({"strategy": "diverse", "num_groups": 3}, "3 groups do not divide 4 beams. Choose 1, 2 or 4 groups"),
        ({"banned": "hola"}, "“hola” is not one token but 4: “h” “o” “l” “a”. Ban one of these"),
        ({"banned": "x" * 201}, "The banned has 201 characters; the limit is 200"),
        ({"banned": "</s>"}, "The end token cannot be banned"),
        ({"strategy": "exhaustive"}, "Lower the maximum length, force a longer prefix, or use exact search"),
        (
            {"strategy": "exact", "node_budget": 100, "min_length": 40, "max_length": 50},
            "The budget was spent before any output was finished",
        ),
        ({"min_length": 60}, "min_length is 60 and max_length 12"),
        ({"node_budget": 10**9}, "node_budget must be a whole number from 100 to 100,000"),
        ({"strategy": "best"}, "strategy must be one of greedy, beam, diverse"),
        ({"early_stopping": 1}, "early_stopping must be one of"),
        ({"seed": 0.5}, "seed must be a whole number"),
        ({"max_length": 100_000}, "max_length must be a whole number from 1 to 100"),
    ],
    ids=repr,
)
def test_bad_input_gets_a_sentence(client: Client, values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(AppError) as refusal:
        client.predict(**({"checkpoint": LETTERS, "text": "hola"} | values), api_name="/translate")
    assert sentence in str(refusal.value)
    assert translated(client, LETTERS, "hola", max_length=3)  # and the page still works


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"position": 0}, "position must be"),
        ({"position": 6}, "position must be"),
        ({"rival": "ab"}, "A rival is one token"),
        ({"rival": "🙂"}, "The vocabulary of this model lacks"),
        ({"text": " "}, "There is no text"),
        ({"checkpoint": "nobody"}, "nobody"),
    ],
)
def test_what_cannot_be_explained_gets_a_sentence(
    client: Client, values: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(AppError, match=sentence):
        client.predict(
            **({"checkpoint": LETTERS, "text": "hola", "target": "hola"} | values), api_name="/attribute"
        )


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"side": "both"}, "side must be one of decoder, encoder; got 'both'"),
        ({"text": " "}, "There is no text"),
        ({"checkpoint": "nobody"}, "nobody"),
        ({}, "Only a Transformer's decoder can be read out layer by layer"),
        ({"side": "encoder"}, "Only a Transformer's encoder can be cut off"),
    ],
)
def test_what_has_no_layers_to_read_out_gets_a_sentence(
    client: Client, values: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(AppError, match=sentence):
        client.predict(
            **({"checkpoint": LETTERS, "text": "hola", "target": "hola"} | values), api_name="/lens"
        )


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"sources": []}, "There are 0 sources and 1 references"),
        ({"sources": [], "references": []}, "Give 1 to 200 pairs; these are 0"),
        ({"sources": ["a"] * 201, "references": ["a"] * 201}, "Give 1 to 200 pairs; these are 201"),
        ({"sources": "hola"}, "sources must be a list of texts; got 'hola'"),
        ({"references": [1]}, "references must be a list of texts"),
        ({"references": [" "]}, "Pair 1 lacks a text"),
        ({"sources": ["x" * 501]}, "The text 1 of sources has 501 characters"),
        ({"beam_size": 0}, "beam_size must be"),
        ({"checkpoint": "nobody"}, "nobody"),
    ],
    ids=repr,
)
def test_what_cannot_be_evaluated_gets_a_sentence(
    client: Client, values: dict[str, Any], sentence: str
) -> None:
    asked = {"checkpoint": LETTERS, "sources": ["hola"], "references": ["aloh"]} | values
    with pytest.raises(AppError) as refusal:
        client.predict(**asked, api_name="/evaluate")
    assert sentence in str(refusal.value)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"target": ""}, "There is no text to score. Type a translation first."),
        ({"target": None}, "target must be a text; got None"),
        ({"target": "x" * 501}, "The target has 501 characters; the limit is 500"),
        ({"target": "x" * 300}, "The text to score has 301 tokens; this model writes at most 256"),
        ({"text": " "}, "There is no text to decode"),
        ({"text": [1]}, "text must be a text; got [1]"),
        ({"checkpoint": ""}, "checkpoint must be the name of a checkpoint"),
        ({"length_penalty": "1"}, "length_penalty must be a number from -5 to 5; got '1'"),
        ({"normalizer": "wu"}, "normalizer must be one of power, gnmt, none"),
    ],
    ids=repr,
)
def test_what_cannot_be_scored_gets_a_sentence(client: Client, values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(AppError) as refusal:
        client.predict(
            **({"checkpoint": LETTERS, "text": "hola", "target": "hola"} | values), api_name="/score"
        )
    assert sentence in str(refusal.value)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ("[]", "This call takes 24 values; got 0."),
        (f'["{LETTERS}"]', "This call takes 24 values; got 1."),
    ],
)
def test_json_that_no_client_sends_gets_a_sentence_too(url: str, data: str, sentence: str) -> None:
    answer = call(url, "translate", data)
    assert "event: error" in answer
    assert sentence in answer


@pytest.mark.parametrize(
    ("path", "content", "status", "sentence"),
    [
        ("v2/translate", f'{{"checkpoint": "{LETTERS}"}}', 422, "The argument 'text' is missing"),
        ("v2/translate", '{"beams": 2}', 422, "There is no argument 'beams'; did you mean 'beam_size'?"),
        ("v2/card", '{"xyz": 1}', 422, "There is no argument 'xyz'; there are: checkpoint."),
        ("translate", '{"data": ["\\ud83d"]}', 422, "A text of the body has half a character"),
        ("translate", '{"data": [1e999]}', 422, "A number of the body is too large"),
        ("v2/translate", "[1]", 422, "must be a JSON object"),
        ("v2/translate", "{", 422, "must be a JSON object"),
        ("v2/translate", "[" * 9_000, 422, "must be a JSON object"),
        ("v2/translate", "[" * 100_000, 422, "The body holds more than 10,000 values"),
        ("v2/nowhere", "{}", 404, "There is no endpoint 'nowhere'; there are: checkpoints, translate"),
        ("v2/compare", "{}", 404, "There is no endpoint 'compare'"),
        ("nowhere", '{"data": []}', 404, "There is no endpoint 'nowhere'"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_call_of_what_is_not_there_gets_a_sentence(
    url: str, path: str, content: str, status: int, sentence: str
) -> None:
    headers = {"content-type": "application/json"}
    answer = httpx.post(f"{url}gradio_api/call/{path}", content=content, headers=headers)
    assert answer.status_code == status
    assert sentence in answer.json()["detail"]
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("path", "body", "sentence"),
    [
        ("queue/join", {"session_hash": "x" * 101}, "session_hash must be a text of 1 to 100"),
        ("queue/join", {"session_hash": ["x"]}, "session_hash must be a text"),
        ("queue/join", {"session_hash": "x", "fn_index": 99_999}, "fn_index must be a number of this page's"),
        ("run/tokenize", {"session_hash": "x" * 500_000}, "session_hash must be a text"),
        ("run/tokenize", {"fn_index": -1}, "fn_index must be a number of this page's; got -1"),
        ("run/tokenize", {"fn_index": True}, "fn_index must be a number of this page's; got True"),
        ("call/translate", {"batched": True}, "No call is a batch here"),
        ("component_server", {"component_id": 10**9, "session_hash": "x"}, "component_id must be a number"),
        ("component_server", {"component_id": [1], "session_hash": "x"}, "component_id must be a number"),
        ("component_server/", {"component_id": 1, "session_hash": {}}, "session_hash must be a text"),
        ("cancel", [], "The body must be a JSON object"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_no_page_sends_gets_a_sentence_and_is_not_kept(
    url: str, path: str, body: Any, sentence: str
) -> None:
    body = {"data": [], "fn_name": "x", **body} if isinstance(body, dict) else body
    answer = httpx.post(f"{url}gradio_api/{path}", json=body)
    assert answer.status_code == 422
    assert sentence in answer.json()["detail"]


@pytest.mark.parametrize("folder", ["run", "api"])
def test_nobody_passes_the_queue_by(url: str, folder: str) -> None:
    """Its limits are of how many handlers of a kind run at once."""
    answer = httpx.post(f"{url}gradio_api/{folder}/translate", json={"data": [LETTERS, "hola"]})
    assert answer.status_code == 404
    quick = httpx.post(f"{url}gradio_api/{folder}/tokenize", json={"data": [LETTERS, "hola"]})
    assert quick.json()["data"][0]["tokens"]


def test_who_waits_for_a_session_that_is_gone_is_told_so_calmly(url: str) -> None:
    """As each page does that was open before the server was started again."""
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
    ("name", "sentence"),
    [
        (f"{LETTERS}@../../", "There is no variant '../../'"),
        (f"{LETTERS}@nobody", "it has no variants; leave out '@nobody'"),
        (f"{LETTERS}@int8@int8", "No such variant of 'letters'"),
    ],
)
def test_a_variant_that_is_none_is_refused_by_every_endpoint(
    client: Client, name: str, sentence: str
) -> None:
    values = {"text": "hola", "target": "hola", "sources": ["hola"], "references": ["aloh"]}
    for endpoint in ENDPOINTS:
        taken = {argument.name for argument in endpoint.arguments}
        if "checkpoint" in taken:
            given = {each: value for each, value in values.items() if each in taken}
            with pytest.raises(AppError) as refusal:
                client.predict(checkpoint=name, **given, api_name=f"/{endpoint.name}")
            assert sentence in str(refusal.value), endpoint.name
