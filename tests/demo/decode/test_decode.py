"""The Decode tab without a browser: the results of its handlers, and its wiring."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import gradio as gr
import pytest

from demo.api.endpoints import ENDPOINTS
from demo.decode.controls.source import opening
from demo.decode.filling import on_checkpoint
from demo.decode.server_functions import on_run
from demo.decode.source_tokens.component import SourceTokens
from demo.decode.tab import DECODE, on_card, on_example_trace, on_tokenize
from demo.page.interface import build_demo
from demo.server.calls.begun_work import State
from demo.widgets.checkpoint_card.component import CheckpointSummary, facts
from demo.work.context import AppContext
from demo.work.errors import UNEXPECTED_ERROR, guard, safe_text
from demo.work.operator.caps import MAX_OUTPUT_TOKENS, allowed_settings
from demo.work.requests.checks import RequestError
from demo.work.requests.decode import DecodeRequest, decode_request, decoding_options
from demo.work.running import RunningDecodings
from models.decoding.options import DecodingOptions, settings
from models.decoding.strategies import description_of, names
from models.registry.card import CheckpointCard
from models.registry.registry import Registry, UnknownCheckpointError
from models.tokenization.tokenizer import Encoding
from tests.demo.conftest import LETTERS, TEXTS, WORDS
from tests.fakes.stepwise import stepwise
from tests.refusals import refused


@pytest.fixture
def demo(context: AppContext) -> gr.Blocks:
    return build_demo(context)


def inputs_of_a_run(demo: gr.Blocks) -> list[Any]:
    return next(fn.inputs for fn in demo.fns.values() if fn.js == DECODE)


def in_form(**changes: object) -> list[object]:
    """Return the widgets' values in their order, with these settings."""
    return [changes.get(name, setting.default) for name, setting in settings().items()]


def decode(context: AppContext, text: str, settings: list[object] | None = None) -> State:
    *_, state = stepwise(
        on_run(context, RunningDecodings(), "session", [LETTERS, text, *(settings or in_form())])
    )
    return state


def test_a_decoding_returns_the_trace_of_its_request(context: AppContext) -> None:
    request = {"beam_size": 3, "length_penalty": 0.5, "normalizer": "gnmt", "early_stopping": "true"}
    trace = decode(context, "hola", in_form(strategy="beam", max_length=5, **request))["trace"]["trace"]
    assert (trace["checkpoint"], trace["source_text"], trace["strategy"]) == (LETTERS, "hola", "beam")
    expected = {
        "beam_size": 3,
        "length_penalty": 0.5,
        "normalizer": "gnmt",
        "early_stopping": True,
        "max_length": 5,
    }
    assert expected.items() <= trace["settings"].items()


def test_a_source_longer_than_usual_in_training_gets_a_warning(
    context: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = context.config(LETTERS)
    monkeypatch.setattr(context, "config", lambda _: replace(config, usual_length=4))
    short, long = (decode(context, text, in_form(max_length=5))["note"] for text in ("hol", "hola"))
    assert short == ""
    assert "5 tokens" in str(long)


@pytest.mark.parametrize(
    "text", ["🙂🙂", "مرحبا", "<script>alert(1)</script>", "${alert(1)}", "</s>", "ho\0la"]
)
def test_strange_text_is_decoded_as_text(context: AppContext, text: str) -> None:
    assert decode(context, text)["trace"]["trace"]["source_text"] == text


def test_live_tokens_come_from_the_chosen_checkpoint(context: AppContext) -> None:
    letters, words = (on_tokenize(context, name, "hola amigo") for name in (LETTERS, WORDS))
    assert isinstance(letters, Encoding)
    assert isinstance(words, Encoding)
    assert len(letters.tokens) == 11
    assert words.tokens == ("hola", "amigo", "</s>")


def test_an_empty_text_has_no_live_tokens_and_a_long_one_is_refused(context: AppContext) -> None:
    assert on_tokenize(context, LETTERS, "  ") is None
    assert "10,000 characters" in str(on_tokenize(context, LETTERS, "x" * 10_000))
    assert "text must be a text" in str(on_tokenize(context, LETTERS, {"a": 1}))


def test_live_tokens_of_a_removed_checkpoint_are_refused(context: AppContext) -> None:
    assert "gone" in str(on_tokenize(context, "gone", "hola"))


def test_unknown_characters_are_reported_as_typed(context: AppContext) -> None:
    view = SourceTokens().postprocess(on_tokenize(context, LETTERS, "hola🙂ñ"))
    assert view["unknown"] == ["🙂", "ñ"]
    assert [token["unknown"] for token in view["tokens"]] == [False] * 4 + [True, True, False]


def test_another_checkpoint_of_the_same_kind_keeps_the_text(context: AppContext) -> None:
    text, picture, tokens, max_length, *buttons, answer = on_checkpoint(context, WORDS, LETTERS, "mine", 12)
    assert (text, picture, max_length) == ("mine", None, 12)
    assert tokens == context.tokenizer(WORDS).encode("mine")
    assert [button.value for button in buttons if button.visible] == list(TEXTS)
    assert answer == {"checkpoint": WORDS, "run": True, "kept": None, "notice": ""}


def test_a_length_that_was_set_by_hand_stays(context: AppContext) -> None:
    assert on_checkpoint(context, WORDS, LETTERS, "mine", 7)[3] == gr.skip()


def test_words_stay_where_the_checkpoint_has_them_and_are_named_where_it_lacks_them(
    context: AppContext,
) -> None:
    def updates(banned: str, required: str, name: str = WORDS) -> list[dict[str, Any]]:
        *_, bans, requires, _ = on_checkpoint(context, name, LETTERS, "mine", 12, banned, required)
        return [bans, requires]

    helps = [settings()[name].help for name in ("banned", "must_contain")]
    word, other = TEXTS[0].split()[:2]
    assert [update["info"] for update in updates(word, f"{word}, {other}")] == helps
    assert not [update for update in updates(word, other) if "value" in update]
    for update in updates("x🙂", "x🙂"):
        assert update["value"] == ""
        assert "x🙂" in update["info"]
    assert [update["info"] for update in updates("", "")] == helps


@pytest.mark.parametrize("before", ["nowhere", None, 3])
def test_a_text_of_an_unknown_checkpoint_stays(context: AppContext, before: object) -> None:
    text, *_, answer = on_checkpoint(context, WORDS, before, "mine", 12)
    assert (text, answer["kept"]) == ("mine", None)


def test_an_empty_source_is_replaced_by_an_example(context: AppContext) -> None:
    text, *_, answer = on_checkpoint(context, WORDS, LETTERS, "", 12)
    assert (text, answer["run"], answer["kept"]) == (TEXTS[0], True, None)


def test_a_card_has_facts_and_text(context: AppContext) -> None:
    card, body = on_card(context, LETTERS)
    assert body == f"# About {LETTERS}"
    assert isinstance(card, CheckpointCard)
    values = {fact["name"]: fact["value"] for fact in facts(card)}
    assert values["Exact match"] == "99.5%"
    assert values["BLEU"] == "33.4"
    assert values["Size"] == "12 k"


def choose(context: AppContext, name: object) -> Any:
    return on_checkpoint(context, name, LETTERS, "mine", 12)


@pytest.mark.parametrize("handler", [on_card, choose, on_example_trace])
def test_a_name_is_checked_by_every_handler(context: AppContext, handler: Any) -> None:
    with refused(UnknownCheckpointError, "did_you_mean", "words"):
        handler(context, "word")
    with refused(RequestError, "not_a_checkpoint_name"):
        handler(context, {"name": LETTERS})


def test_unreadable_files_are_left_out_and_named(context: AppContext, root: Path) -> None:
    (root / WORDS / "README.md").unlink()
    (root / WORDS / "example.json").unlink()
    view = opening(context, WORDS)
    assert "README.md cannot be read" in str(view.card)
    assert view.text == TEXTS[0]
    assert on_example_trace(context, WORDS) is None
    assert "README.md" in CheckpointSummary().postprocess(view.card)["problem"]


def test_a_broken_config_is_reported_without_an_exception(context: AppContext, root: Path) -> None:
    (root / WORDS / "config.json").write_text("{")
    view = opening(context, WORDS)
    assert "config.json cannot be read" in str(view.card)
    assert (view.text, view.tokens, view.examples) == ("", None, ())


@pytest.mark.slow
def test_the_page_builds_without_any_checkpoint(tmp_path: Path) -> None:
    demo = build_demo(AppContext(Registry(tmp_path), "cpu"))
    summary = next(block for block in demo.blocks.values() if isinstance(block, CheckpointSummary))
    assert "no checkpoint" in summary.value["problem"]


@pytest.mark.slow
def test_the_page_opens_with_text_tokens_and_card(demo: gr.Blocks) -> None:
    by_id = {block.elem_id: block for block in demo.blocks.values() if getattr(block, "elem_id", None)}
    assert by_id["source"].value == TEXTS[0]
    assert len(by_id["source-tokens"].value["tokens"]) == 11
    assert by_id["checkpoint-summary"].value["summary"] == "Says nothing in particular."
    assert by_id["checkpoint"].value == LETTERS


@pytest.mark.slow
def test_only_declared_endpoints_are_public(demo: gr.Blocks) -> None:
    public = {fn.api_name for fn in demo.fns.values() if fn.api_visibility == "public"}
    assert public == {endpoint.name for endpoint in ENDPOINTS}


@pytest.mark.slow
def test_every_setting_has_its_widget_in_order(demo: gr.Blocks) -> None:
    widgets = inputs_of_a_run(demo)[2:]
    assert [widget.label for widget in widgets] == [item.label for item in allowed_settings().values()]
    assert [widget.info for widget in widgets] == [item.help for item in allowed_settings().values()]


@pytest.mark.slow
def test_defaults_of_the_widgets_are_a_valid_request(demo: gr.Blocks) -> None:
    values = [component.value for component in inputs_of_a_run(demo)]
    assert decode_request(*values) == DecodeRequest(LETTERS, TEXTS[0], DecodingOptions(max_length=12))


@pytest.mark.slow
def test_widgets_offer_exactly_the_values_that_a_request_accepts(demo: gr.Blocks) -> None:
    for item, widget in zip(allowed_settings().values(), inputs_of_a_run(demo)[2:], strict=True):
        if isinstance(widget, gr.Slider):
            most = allowed_settings()[item.within].default if item.within else item.high
            assert (widget.minimum, widget.maximum, widget.step) == (item.low, most, item.step)
            ends: list[Any] = [widget.minimum, widget.maximum]
        else:
            ends = [value for _, value in getattr(widget, "choices", ())]
            assert set(ends) == set(item.words)
        for value in ends:
            assert decoding_options({item.name: value}, MAX_OUTPUT_TOKENS)


@pytest.mark.slow
def test_every_strategy_can_be_chosen_and_is_described(demo: gr.Blocks) -> None:
    strategy = inputs_of_a_run(demo)[2]
    assert sorted(value for _, value in strategy.choices) == sorted(names())
    message = next(block.value for block in demo.blocks.values() if block.elem_id == "strategy-description")
    for name in names():
        assert f'class="only only-{name}">{description_of(name).sentence}<' in message


@pytest.mark.slow
def test_gradio_does_not_check_values_before_the_request(demo: gr.Blocks) -> None:
    functions = [fn for fn in demo.fns.values() if fn.inputs and fn.fn is not None]
    # That a file's path is one of an upload, only Gradio can tell.
    reading = [fn for fn in functions if any(isinstance(item, gr.File) for item in fn.inputs)]
    assert not any(fn.preprocess for fn in functions if fn not in reading)
    assert all(fn.preprocess for fn in reading)


@pytest.mark.slow
def test_every_control_explains_itself(demo: gr.Blocks) -> None:
    for component in inputs_of_a_run(demo):
        assert component.label
        assert component.info.endswith(".")


def test_an_expected_error_becomes_its_sentence(caplog: pytest.LogCaptureFixture) -> None:
    def refuse() -> None:
        raise RequestError("Type <b>something</b>.")

    with pytest.raises(gr.Error) as excinfo:
        guard(refuse)()
    assert excinfo.value.message == "Type ‹b›something‹/b›."
    assert not excinfo.value.print_exception
    assert not caplog.records


def test_an_unexpected_error_is_logged_once_and_hidden_from_the_page(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail() -> None:
        raise ZeroDivisionError("a secret path")

    with caplog.at_level(logging.ERROR), pytest.raises(gr.Error) as excinfo:
        guard(fail)()
    assert excinfo.value.message == UNEXPECTED_ERROR
    assert not excinfo.value.print_exception
    assert [record.exc_info is not None for record in caplog.records] == [True]


def test_text_for_a_toast_has_no_tag_and_no_lone_surrogate() -> None:
    assert safe_text("<img src=x onerror=alert(1)> &lt; \ud800") == "‹img src=x onerror=alert(1)› ＆lt; ?"
