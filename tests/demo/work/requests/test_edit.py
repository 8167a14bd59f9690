"""Edits from a browser: accepted ones, and the sentences of refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from demo.work.context import AppContext
from demo.work.requests.checks import RequestError
from demo.work.requests.edit import WhatIf, settings_of
from models.decoding.strategies import names
from models.decoding.trace import AttentionOverride
from tests.demo.conftest import LETTERS, WORDS
from tests.refusals import Refusal, refused

SETTINGS = {"beam_size": 2, "early_stopping": False, "normalizer": "power", "length_penalty": 0.0}


def edit(**values: Any) -> WhatIf:
    settings = SETTINGS | {"max_length": 6, "seed": 0}
    return WhatIf.parse(
        {"checkpoint": LETTERS, "text": "hola", "strategy": "beam", "settings": settings, **values}
    )


def decoded(context: AppContext, what_if: WhatIf) -> Any:
    return context.decode(what_if.request(context.tokenizer(what_if.checkpoint)))


def test_the_decoding_begins_with_the_forced_prefix(context: AppContext) -> None:
    tokenizer = context.tokenizer(LETTERS)
    first, second = (tokenizer.token_id(letter) for letter in "gm")
    trace = decoded(context, edit(forced=[first, second]))
    assert trace.forced == (first, second)
    assert all(hypothesis.token_ids[:2] == (first, second) for hypothesis in trace.hypotheses)


def test_a_typed_token_follows_the_prefix(context: AppContext) -> None:
    tokenizer = context.tokenizer(LETTERS)
    prefix = tokenizer.token_id("g")
    what_if = edit(forced=[prefix], typed="m")
    assert decoded(context, what_if).forced == (prefix, tokenizer.token_id("m"))


def test_a_typed_text_is_split_into_its_tokens(context: AppContext) -> None:
    tokenizer = context.tokenizer(LETTERS)
    what_if = edit(typed="go")
    assert decoded(context, what_if).forced == tuple(tokenizer.token_id(letter) for letter in "go")


@pytest.mark.parametrize(("checkpoint", "typed"), [(WORDS, "xylophone"), (LETTERS, "🙂")])
def test_unknown_words_of_an_edit_are_named(context: AppContext, checkpoint: str, typed: str) -> None:
    with refused(RequestError, "words_unknown", "word_in_quotes", typed):
        decoded(context, edit(checkpoint=checkpoint, typed=typed))


def test_the_trace_shows_a_replaced_attention_row(context: AppContext) -> None:
    row = [0.0, 1.0, 0.0, 0.0, 0.0]  # h o l a </s>
    what_if = edit(overrides=[{"step": 1, "weights": row}])
    assert what_if.overrides == (AttentionOverride(1, tuple(row)),)
    trace = decoded(context, what_if)
    assert trace.overrides == what_if.overrides
    for decoded_row in trace.steps[1].rows:
        assert decoded_row.attention[0][0] == pytest.approx(row)


@pytest.mark.parametrize(
    ("values", "refusal"),
    [
        ({"forced": "abc"}, ("not_token_ids", "forced")),
        ({"forced": [1.5]}, ("not_whole_within", "A token")),
        ({"forced": [4] * 200}, ("not_token_ids", "forced")),
        ({"forced": [999_999]}, ("no_such_token", 999999)),
        ({"forced": [4] * 7}, ("too_many_forced", 7, 6)),
        ({"forced": [3, 4]}, ("forced_after_end",)),
        ({"typed": 4}, ("not_a_text", "typed token")),
        ({"typed": "x" * 100}, ("too_many_characters",)),
        ({"overrides": [{"step": 0, "weights": [0.5] * 5}]}, ("attention_sum", "2.500")),
        ({"overrides": [{"step": 0, "weights": [1.0]}]}, ("attention_row_length", 5, 1)),
        (
            {"overrides": [{"step": 0, "weights": [2.0, -1.0, 0, 0, 0]}]},
            ("not_within", "An attention weight"),
        ),
        ({"overrides": [{"step": 50, "weights": [1, 0, 0, 0, 0]}]}, ("no_such_step", 51)),
        (
            {"overrides": [{"step": 0, "weights": [1, 0, 0, 0, 0], "head": 3}]},
            ("no_such_part_of_attention", 4),
        ),
        ({"overrides": [{"weights": None}]}, ("attention_row_incomplete",)),
        ({"overrides": 3}, ("too_many_attention_rows", 20)),
        ({"settings": None}, ("settings_not_an_object",)),
        ({"strategy": "magic"}, ("not_one_of", "strategy")),
        ({"checkpoint": ""}, ("not_a_checkpoint_name",)),
        ({"text": " "}, ("no_text",)),
        ({"text": None}, ("not_a_text", "text")),
    ],
)
def test_an_invalid_edit_is_refused(context: AppContext, values: dict[str, Any], refusal: Refusal) -> None:
    with refused(RequestError, *refusal):
        decoded(context, edit(**values))


def test_an_event_that_is_no_object_is_refused() -> None:
    with refused(RequestError, "edit_not_an_object"):
        WhatIf.parse([1, 2])


def test_an_edit_keeps_the_constraints_of_the_edited_trace(context: AppContext) -> None:
    from demo.work.requests.decode import DecodeRequest
    from models.decoding.options import DecodingOptions

    constrained = DecodingOptions("beam", min_length=2, no_repeat_ngram_size=1, banned="g a", max_length=6)
    trace = context.decode(DecodeRequest(LETTERS, "hola", constrained))
    assert trace.settings["banned"] == "g a"
    again = settings_of(trace.strategy, trace.settings)
    assert again.constraints() == constrained.constraints() != {}
    free = context.decode(DecodeRequest(LETTERS, "hola", DecodingOptions(max_length=6)))
    assert "banned" not in free.settings


@pytest.mark.parametrize("strategy", names())
def test_a_trace_has_the_settings_of_its_request(root: Path, strategy: str) -> None:
    from demo.work.requests.decode import DecodeRequest
    from models.decoding.options import DecodingOptions
    from models.registry.registry import Registry

    context = AppContext(Registry(root), "cpu")
    request = DecodingOptions(strategy, beam_size=6, num_groups=3, num_samples=5, seed=7, max_length=2)
    trace = context.decode(DecodeRequest(LETTERS, "hola", request))
    again = settings_of(trace.strategy, trace.settings)
    assert again.build_strategy() == request.build_strategy()
    assert (again.seed, again.max_length) == (7, 2)
