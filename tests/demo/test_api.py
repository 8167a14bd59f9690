"""The page's endpoints over HTTP, as programs and impolite visitors call them."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple
from pathlib import Path
from typing import Any

import httpx
import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError

from demo.context import AppContext
from demo.interface import build_demo, launch_settings
from demo.limits import MAX_BODY_BYTES
from demo.strategy import STRATEGIES, StrategySettings
from models.registry.registry import Registry
from tests.demo.conftest import LETTERS, TEXTS, WORDS

REST = json.dumps(astuple(StrategySettings(max_length=9))[2:])[1:]  # of a call, after beam_size


@pytest.fixture(scope="module")
def url(shipped: Path) -> Iterator[str]:
    """The page over two small checkpoints, served as app.py serves it."""
    demo = build_demo(AppContext(Registry(shipped), "cpu"))
    _, url, _ = demo.launch(
        server_name="127.0.0.1", prevent_thread_lock=True, quiet=True, **launch_settings(uploads=False)
    )
    yield url
    demo.close(verbose=False)


@pytest.fixture(scope="module")
def client(url: str) -> Client:
    return Client(url, verbose=False)


@pytest.fixture(autouse=True)
def _no_traceback(capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Whatever a visitor sends, the server's log stays calm."""
    yield
    printed = "".join(capfd.readouterr())
    assert "Traceback" not in printed
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


def decoded(client: Client, *values: Any, **settings: Any) -> dict[str, Any]:
    """What the page draws, of which the trace is a part; a line that makes each answer unique precedes it."""
    _, drawn = client.predict(*values, **settings, api_name="/decode").split("\n", 1)
    return json.loads(drawn)["trace"]


def call(url: str, endpoint: str, data: str) -> str:
    """One call as raw JSON, which no client has put in order; the answer as the server streams it."""
    with httpx.Client(base_url=url, headers={"content-type": "application/json"}) as http:
        answer = http.post(f"gradio_api/call/{endpoint}", content=f'{{"data": {data}}}')
        event = answer.raise_for_status().json()["event_id"]
        return http.get(f"gradio_api/call/{endpoint}/{event}", timeout=30).text


def test_a_text_is_decoded(client: Client) -> None:
    trace = decoded(client, LETTERS, "hola", "beam", beam_size=2, max_length=5)
    assert (trace["checkpoint"], trace["source_text"], trace["settings"]["beam_size"]) == (LETTERS, "hola", 2)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_runs(client: Client, strategy: str) -> None:
    trace = decoded(client, LETTERS, "hola", strategy, max_length=3)
    assert trace["strategy"] == strategy
    assert trace["hypotheses"]


def test_constraints_bind(client: Client) -> None:
    free = decoded(client, LETTERS, "hola", "greedy", max_length=9)
    bound = decoded(client, LETTERS, "hola", "greedy", max_length=9, min_length=6, no_repeat_ngram_size=1)
    first, second = (trace["hypotheses"]["token_ids"][0] for trace in (free, bound))
    assert len(set(second)) == len(second) >= 7
    assert first != second


def test_a_search_that_spends_its_budget_answers_with_its_best_and_says_so(client: Client) -> None:
    asked = {"strategy": "exact", "node_budget": 2000, "min_length": 30, "max_length": 40}
    trace = decoded(client, LETTERS, " ".join(TEXTS), **asked)
    assert trace["exploration"]["stop"] == "budget"
    assert len(trace["hypotheses"]["token_ids"][0]) > 30


def test_tokens_and_cards_are_endpoints_of_their_own(client: Client) -> None:
    tokens = client.predict(LETTERS, "hola🙂", api_name="/tokenize")
    assert [token["text"] for token in tokens["tokens"]] == ["h", "o", "l", "a", "<unk>", "</s>"]
    assert tokens["unknown"] == ["🙂"]
    summary, body = client.predict(WORDS, api_name="/card")
    assert summary["summary"] == "Says nothing in particular."
    assert body == f"# About {WORDS}"


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"text": ""}, "There is no text to decode"),
        ({"text": "x" * 10_000}, "The text has 10,000 characters; the limit is 500"),
        ({"text": {"a": 1}}, "text must be a text"),
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
        client.predict(**values, api_name="/decode")
    assert sentence in str(refusal.value)
    assert decoded(client, LETTERS, "hola", max_length=3)  # and the page still works


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ("[]", "This call takes 23 values; got 0."),
        (f'["{LETTERS}"]', "This call takes 23 values; got 1."),
        (f'["{LETTERS}", "\\ud83d", "beam", 4, {REST}', "half a character"),
        (f'["{LETTERS}\\ud83d", "hola", "beam", 4, {REST}', "There is no checkpoint"),
        (f'["{LETTERS}", "hola", "beam", 1e999, {REST}', "beam_size must be a whole number"),
    ],
)
def test_json_that_no_client_sends_gets_a_sentence_too(url: str, data: str, sentence: str) -> None:
    answer = call(url, "decode", data)
    assert "event: error" in answer
    assert sentence in answer


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "${alert(1)}", "</s>", "مرحبا", "🙂🙂🙂"])
def test_strange_text_comes_back_as_it_was(client: Client, text: str) -> None:
    assert decoded(client, LETTERS, text, max_length=3)["source_text"] == text


def test_no_answer_holds_a_tag_that_could_open_a_script(client: Client) -> None:
    answer = client.predict(LETTERS, "</script><script>alert(1)</script>", api_name="/decode")
    assert "<" not in answer


def test_visitors_with_different_checkpoints_at_once_do_not_mix(url: str) -> None:
    def visit(name: str) -> list[tuple[str, str]]:
        client = Client(url, verbose=False)
        traces = [decoded(client, name, text, max_length=6) for text in TEXTS]
        return [(trace["checkpoint"], trace["source_text"]) for trace in traces]

    names = [LETTERS, WORDS] * 2
    with ThreadPoolExecutor(4) as visitors:
        assert list(visitors.map(visit, names)) == [[(name, text) for text in TEXTS] for name in names]


def test_helpers_of_the_page_are_no_endpoints(client: Client) -> None:
    decoding = {"/decode", "/tokenize", "/card"}
    comparing = {"/compare", "/compare_checkpoints", "/compare_texts"}
    assert set(client.view_api(return_format="dict")["named_endpoints"]) == decoding | comparing


@pytest.mark.parametrize("path", ["gradio_api/call/decode", "gradio_api/queue/join", "gradio_api/upload"])
def test_a_large_body_is_refused_before_it_is_parsed(url: str, path: str) -> None:
    large = b'{"data": ["' + b"x" * MAX_BODY_BYTES + b'"]}'
    assert httpx.post(url + path, content=large).status_code == 413
    in_pieces = iter([large[: len(large) // 2], large[len(large) // 2 :]])  # no Content-Length
    assert httpx.post(url + path, content=in_pieces).status_code == 413


@pytest.mark.parametrize("path", ["", "config", "gradio_api/info", "nowhere"])
def test_every_answer_carries_security_headers(url: str, path: str) -> None:
    headers = httpx.get(url + path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert "default-src 'self'" in headers["content-security-policy"]
    assert headers["referrer-policy"] == "same-origin"


def test_files_of_the_server_are_not_served(url: str) -> None:
    for path in ("gradio_api/file=app.py", "gradio_api/file=/etc/passwd", f"gradio_api/file={__file__}"):
        assert httpx.get(url + path).status_code in {403, 404}
