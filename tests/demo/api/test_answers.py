"""The page's endpoints over HTTP, as programs call them."""

from __future__ import annotations

import json
import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError

from demo.api.answers import MAX_TRACE_BYTES, bytes_of, translation_answer
from demo.api.endpoints import on_checkpoints, on_score
from demo.api.explain import on_lens
from demo.evaluate.work.request import allowed_widths
from demo.work.context import AppContext
from demo.work.requests.checks import RequestError
from demo.work.requests.decode import DecodeRequest
from demo.work.turns import QueueFullError, Turns
from models.decoding.options import DecodingOptions
from models.decoding.strategies import names
from models.decoding.trace import DecodingTrace
from models.registry.registry import Registry
from tests.demo.conftest import LETTERS, TEXTS, WORDS
from tests.fakes.calls import http_client, translated
from tests.refusals import refused

pytestmark = pytest.mark.slow


def test_a_text_is_decoded(client: Client) -> None:
    answer = translated(client, LETTERS, "hola", "beam", beam_size=2, max_length=5)
    assert (answer["checkpoint"], answer["text"], answer["strategy"]) == (LETTERS, "hola", "beam")
    assert answer["settings"]["beam_size"] == 2
    assert answer["output"] == answer["hypotheses"][0]["text"]
    assert answer["search"]["stop"] == "complete"
    for hypothesis in answer["hypotheses"]:
        assert len(hypothesis["tokens"]) == len(hypothesis["token_ids"]) == len(hypothesis["log_probs"])
        assert sum(hypothesis["log_probs"]) == pytest.approx(hypothesis["log_prob"], abs=1e-4)


def test_a_text_alone_is_decoded_greedily_to_the_length_of_the_checkpoint(client: Client) -> None:
    answer = translated(client, LETTERS, "hola")
    assert (answer["strategy"], answer["settings"]["max_length"]) == ("greedy", 12)
    assert "trace" not in answer


def test_every_argument_becomes_the_setting_of_its_name(client: Client) -> None:
    arguments = {
        "strategy": "mbr",
        "num_samples": 5,
        "temperature": 0.7,
        "top_k": 9,
        "top_p": 0.8,
        "min_p": 0.02,
    }
    arguments |= {"utility": "bleu", "seed": 7, "max_length": 8}
    arguments |= {"min_length": 2, "no_repeat_ngram_size": 3, "repetition_penalty": 1.5}
    settings = translated(client, LETTERS, "hola", **arguments)["settings"]
    assert {
        name: value for name, value in arguments.items() if name != "strategy"
    }.items() <= settings.items()
    arguments = {
        "beam_size": 6,
        "num_groups": 3,
        "diversity": 0.25,
        "length_penalty": 0.6,
        "normalizer": "gnmt",
    }
    settings = translated(client, LETTERS, "hola", "diverse", early_stopping="never", **arguments)["settings"]
    assert {**arguments, "early_stopping": "never"}.items() <= settings.items()


def test_an_evaluation_has_the_beam_widths_that_a_program_asks_for(client: Client) -> None:
    pairs = {"checkpoint": LETTERS, "sources": ["hola", "adiós"], "references": ["aloh", "sóida"]}
    plain = client.predict(**pairs, strategy="beam", max_length=5, api_name="/evaluate")
    assert plain["width_curves"] == []
    answer = client.predict(**pairs, strategy="beam", max_length=5, widths=True, api_name="/evaluate")
    (curve,) = answer["width_curves"]
    widths = [point["width"] for point in curve["points"]]
    assert widths == list(allowed_widths())
    index = widths.index(4)
    assert curve["points"][index]["chrf"]["value"] == answer["systems"][0]["figures"][1]["value"]
    with pytest.raises(AppError, match="widths"):
        client.predict(**pairs, widths="all", api_name="/evaluate")


def test_the_trace_of_an_answer_is_a_decoding_trace(client: Client) -> None:
    answer = translated(client, LETTERS, "hola", "beam", trace=True)
    trace = DecodingTrace.from_json(json.dumps(answer["trace"]))
    assert (trace.checkpoint, trace.source_text, trace.strategy) == (LETTERS, "hola", "beam")
    assert [hypothesis.text for hypothesis in trace.hypotheses] == [
        hypothesis["text"] for hypothesis in answer["hypotheses"]
    ]
    assert all(row.attention for step in trace for row in step.rows)
    assert json.loads(trace.to_json()) == answer["trace"]


def test_a_trace_that_is_too_large_is_refused_by_a_close_estimate(context: AppContext) -> None:
    request = DecodeRequest(LETTERS, "hola", DecodingOptions("sampling", num_samples=40, max_length=12))
    trace = context.decode(request)
    size = len(trace.to_json())
    assert 0.5 < bytes_of(trace) / size < 2
    steps = trace.steps * (MAX_TRACE_BYTES // size * 2)
    with refused(RequestError, "answered_trace_too_large", 8):
        translation_answer(replace(trace, steps=steps), with_trace=True)


@pytest.mark.parametrize("strategy", names())
def test_every_strategy_runs_and_the_settings_of_its_answer_can_be_sent_back(
    client: Client, strategy: str
) -> None:
    odd = {"threshold": 1e-7, "diversity": 0.1234567, "min_p": 1e-7, "top_p": 0.1 + 0.2, "beam_size": 2}
    answer = translated(client, LETTERS, "hola", strategy, max_length=3, num_groups=2, **odd)
    assert answer["strategy"] == strategy
    assert answer["hypotheses"]
    assert {odd.get(name, value) for name, value in answer["settings"].items()} == {
        *answer["settings"].values()
    }
    assert translated(client, LETTERS, "hola", strategy, **answer["settings"]) == answer


def test_constraints_take_effect(client: Client) -> None:
    free = translated(client, LETTERS, "hola", max_length=9)
    bound = translated(client, LETTERS, "hola", max_length=9, min_length=6, no_repeat_ngram_size=1)
    first, second = (answer["hypotheses"][0]["token_ids"] for answer in (free, bound))
    assert len(set(second)) == len(second) >= 7
    assert first != second


def test_a_search_that_spends_its_budget_returns_its_best_and_stop_is_budget(client: Client) -> None:
    search_settings = {"strategy": "exact", "node_budget": 2000, "min_length": 30, "max_length": 40}
    answer = translated(client, LETTERS, " ".join(TEXTS), **search_settings)
    assert answer["search"]["stop"] == "budget"
    assert len(answer["hypotheses"][0]["token_ids"]) > 30


def test_checkpoints_are_listed_and_a_damaged_one_is_left_out(client: Client, root: Path) -> None:
    checkpoints = client.predict(api_name="/checkpoints")
    assert [checkpoint["name"] for checkpoint in checkpoints] == [LETTERS, WORDS]
    assert checkpoints[0] == {
        "name": LETTERS,
        "task": "Nothing",
        "languages": ["es", "en"],
        "architecture": "GRU, additive attention",
        "parameters": 12_345,
        "licence": "apache-2.0",
        "examples": list(TEXTS),
        "reads_pictures": False,
        "max_length": 12,
    }
    (root / LETTERS / "README.md").write_text("nothing", encoding="utf-8")
    assert [checkpoint["name"] for checkpoint in on_checkpoints(AppContext(Registry(root), "cpu"))] == [WORDS]


def test_a_score_equals_the_searchs_log_probability_of_its_output(client: Client) -> None:
    answer = translated(client, WORDS, TEXTS[0], "sampling", num_samples=100)
    sample = next(
        hypothesis
        for hypothesis in answer["hypotheses"]
        if hypothesis["ended"] and hypothesis["text"] and "<unk>" not in hypothesis["tokens"]
    )
    scored = client.predict(WORDS, TEXTS[0], sample["text"], length_penalty=0.6, api_name="/score")
    assert [token["id"] for token in scored["tokens"]] == sample["token_ids"]
    assert [token["log_prob"] for token in scored["tokens"]] == pytest.approx(sample["log_probs"], abs=1e-3)
    assert scored["log_prob"] == pytest.approx(sample["log_prob"], abs=1e-3)
    assert scored["score"] == pytest.approx(scored["log_prob"] / len(scored["tokens"]) ** 0.6, abs=1e-3)
    assert scored["perplexity"] == pytest.approx(math.exp(-scored["log_prob"] / len(scored["tokens"])), 1e-3)
    for token in scored["tokens"]:
        better = token["alternative"]["log_prob"] > token["log_prob"]
        assert better == (token["rank"] > 0)


def test_an_attribution_explains_the_log_probability_of_a_score(client: Client) -> None:
    scored = client.predict(LETTERS, "hola", "hola", api_name="/score")["tokens"]
    for position, token in enumerate(scored, start=1):
        answer = client.predict(LETTERS, "hola", "hola", position, api_name="/attribute")
        assert answer["token"] == token["token"]
        assert answer["value"] == pytest.approx(token["log_prob"], abs=1e-3)
        assert len(answer["prefix"]) == position
        for method in answer["methods"].values():
            assert len(method["source"]) == len(answer["source"])
            assert method["prefix"] is None or len(method["prefix"]) == position
    against = client.predict(LETTERS, "hola", "hola", 1, rival="o", api_name="/attribute")
    assert against["rival"] == "o"
    assert against["value"] != pytest.approx(scored[0]["log_prob"], abs=1e-3)


def test_the_readout_of_the_last_layer_equals_a_score() -> None:
    """A shipped Transformer, since the small networks of the other tests have no layers to read out."""
    context = AppContext(Registry(Path(__file__).parents[3] / "checkpoints"), "cpu")
    name, text, target = "dates-transformer", "3 March 2021", "2021-03-03"
    scored = on_score(context, name, text, target, 0, "power")["tokens"]
    for side in ("decoder", "encoder"):
        read_out = on_lens(context, name, text, target, side)
        assert read_out["tokens"] == [token["token"] for token in scored]
        last_layer = read_out["layers"][-1]
        assert [reading["rank"] for reading in last_layer] == [token["rank"] for token in scored]
        assert [reading["log_prob"] for reading in last_layer] == pytest.approx(
            [token["log_prob"] for token in scored], abs=1e-3
        )
        assert len({len(row) for row in read_out["layers"]}) == 1


def test_a_score_is_refused_if_the_line_is_full(context: AppContext) -> None:
    context.turns = Turns(1, 0)
    with pytest.raises(QueueFullError):
        on_score(context, WORDS, TEXTS[0], "hola", 0, "power")


def test_unknown_tokens_of_a_target_are_named(client: Client) -> None:
    scored = client.predict(LETTERS, "hola", "a🙂", api_name="/score")
    assert scored["unknown"] == ["🙂"]
    assert [token["unknown"] for token in scored["tokens"]] == [False, True, False]


def test_tokens_and_cards_are_endpoints_of_their_own(client: Client) -> None:
    tokens = client.predict(LETTERS, "hola🙂", api_name="/tokenize")
    assert [token["token"] for token in tokens["tokens"]] == ["h", "o", "l", "a", "<unk>", "</s>"]
    assert [token["start"] for token in tokens["tokens"]] == [0, 1, 2, 3, 4, 5]
    assert tokens["unknown"] == ["🙂"]
    card = client.predict(WORDS, api_name="/card")
    assert (card["summary"], card["body"]) == ("Says nothing in particular.", f"# About {WORDS}")
    assert card["metrics"][0] == {"name": "exact match", "value": 99.5, "dataset": "strings"}


def test_a_call_by_name_needs_only_the_required_arguments(url: str) -> None:
    with http_client(f"{url}gradio_api/call/") as http:
        event = http.post("v2/translate", json={"checkpoint": LETTERS, "text": "hola"}).json()["event_id"]
        stream = http.get(f"translate/{event}").text
    assert json.loads(stream.split("data: ", 1)[1])[0]["text"] == "hola"


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "${alert(1)}", "</s>", "مرحبا", "🙂🙂🙂"])
def test_a_strange_text_is_returned_unchanged(client: Client, text: str) -> None:
    assert translated(client, LETTERS, text, max_length=3)["text"] == text


def test_visitors_with_different_checkpoints_at_once_do_not_mix(url: str) -> None:
    def visit(name: str) -> list[tuple[str, str]]:
        client = Client(url, verbose=False)
        answers = [translated(client, name, text, max_length=6) for text in TEXTS]
        return [(answer["checkpoint"], answer["text"]) for answer in answers]

    names = [LETTERS, WORDS] * 2
    with ThreadPoolExecutor(4) as visitors:
        assert list(visitors.map(visit, names)) == [[(name, text) for text in TEXTS] for name in names]


def test_an_evaluation_scores_the_outputs_of_translate(client: Client) -> None:
    texts = ["hola", "adios", "uno", "dos"]
    outputs = [translated(client, LETTERS, text, max_length=6)["hypotheses"][0]["text"] for text in texts]
    references = [outputs[0], outputs[1], "x", outputs[3]]
    answer = client.predict(LETTERS, texts, references, max_length=6, api_name="/evaluate")
    (system,) = answer["systems"]
    figures = {figure["name"]: figure for figure in system["figures"]}
    assert figures["exact match"]["value"] == 75
    assert figures["BLEU"]["signature"].startswith("nrefs:1")
    assert [row["systems"][system["name"]]["output"] for row in answer["rows"]] == outputs
    assert system["triage"]["bad"] == 1


def test_an_answer_has_fields_for_required_words_only_if_there_are_any(context: AppContext) -> None:
    free = translation_answer(
        context.decode(DecodeRequest(LETTERS, "hola", DecodingOptions(max_length=8))), False
    )
    assert {"words", "free"}.isdisjoint(free)
    options = DecodingOptions(must_contain="ol", max_length=8)
    answer = translation_answer(context.decode(DecodeRequest(LETTERS, "hola", options)), False)
    assert [phrase["text"] for phrase in answer["words"]] == ["ol"]
    assert answer["free"]["text"] == free["output"]
    for hypothesis in answer["hypotheses"]:
        (step,) = hypothesis["written"]
        assert hypothesis["tokens"][step - 1 : step + 1] == ["o", "l"]
    assert "must_contain" in answer["settings"]
