"""An edit: what is taken from a browser, and the sentence for what is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from demo.requests.decode import RequestError
from demo.requests.edit import WhatIf, settings_of
from demo.service.context import AppContext
from models.decoding.strategies import names
from models.decoding.trace import AttentionOverride
from tests.demo.conftest import LETTERS, WORDS

SETTINGS = {"beam_size": 2, "early_stopping": False, "normalizer": "power", "length_penalty": 0.0}


def edit(**values: Any) -> WhatIf:
    settings = SETTINGS | {"max_length": 6, "seed": 0}
    return WhatIf.of(
        {"checkpoint": LETTERS, "text": "hola", "strategy": "beam", "settings": settings, **values}
    )


def decoded(context: AppContext, what_if: WhatIf) -> Any:
    return context.decode(what_if.request(context.tokenizer(what_if.checkpoint)))


def test_a_forced_prefix_is_what_the_decoding_begins_with(context: AppContext) -> None:
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


def test_a_typed_text_becomes_its_pieces(context: AppContext) -> None:
    tokenizer = context.tokenizer(LETTERS)
    what_if = edit(typed="go")
    assert decoded(context, what_if).forced == tuple(tokenizer.token_id(letter) for letter in "go")


@pytest.mark.parametrize(("checkpoint", "typed"), [(WORDS, "xylophone"), (LETTERS, "🙂")])
def test_what_the_vocabulary_lacks_is_named(context: AppContext, checkpoint: str, typed: str) -> None:
    with pytest.raises(RequestError, match=f"lacks “{typed}”"):
        decoded(context, edit(checkpoint=checkpoint, typed=typed))


def test_an_attention_row_is_what_the_trace_shows(context: AppContext) -> None:
    row = [0.0, 1.0, 0.0, 0.0, 0.0]  # h o l a </s>
    what_if = edit(overrides=[{"step": 1, "weights": row}])
    assert what_if.overrides == (AttentionOverride(1, tuple(row)),)
    trace = decoded(context, what_if)
    assert trace.overrides == what_if.overrides
    for decoded_row in trace.steps[1].rows:
        assert decoded_row.attention[0][0] == pytest.approx(row)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"forced": "abc"}, "forced must be a list"),
        ({"forced": [1.5]}, "A token must be a whole number"),
        ({"forced": [4] * 200}, "forced must be a list of at most"),
        ({"forced": [999_999]}, "There is no token 999999"),
        ({"forced": [4] * 7}, "7 tokens are forced, but the output may have 6"),
        ({"forced": [3, 4]}, "go on after the end token"),
        ({"typed": 4}, "typed token must be a text"),
        ({"typed": "x" * 100}, "Shorten it"),
        ({"overrides": [{"step": 0, "weights": [0.5] * 5}]}, "sum to 1; these sum to 2.500"),
        ({"overrides": [{"step": 0, "weights": [1.0]}]}, "one weight for each of the 5 source tokens; got 1"),
        (
            {"overrides": [{"step": 0, "weights": [2.0, -1.0, 0, 0, 0]}]},
            "An attention weight must be a number",
        ),
        ({"overrides": [{"step": 50, "weights": [1, 0, 0, 0, 0]}]}, "There is no step 51"),
        ({"overrides": [{"step": 0, "weights": [1, 0, 0, 0, 0], "head": 3}]}, "got number 4"),
        ({"overrides": [{"weights": None}]}, "a step and a list of weights"),
        ({"overrides": 3}, "At most 20 attention rows"),
        ({"settings": None}, "settings must be an object"),
        ({"strategy": "magic"}, "strategy must be one of"),
        ({"checkpoint": ""}, "checkpoint must be the name"),
        ({"text": " "}, "no text to decode"),
        ({"text": None}, "text must be a text"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(
    context: AppContext, values: dict[str, Any], message: str
) -> None:
    with pytest.raises(RequestError, match=message):
        decoded(context, edit(**values))


def test_an_event_that_is_no_object_is_refused() -> None:
    with pytest.raises(RequestError, match="must be an object"):
        WhatIf.of([1, 2])


def test_an_edit_keeps_the_constraints_of_what_it_edits(context: AppContext) -> None:
    from demo.requests.decode import DecodeRequest
    from models.decoding.options import DecodingOptions

    held = DecodingOptions("beam", min_length=2, no_repeat_ngram_size=1, banned="g a", max_length=6)
    trace = context.decode(DecodeRequest(LETTERS, "hola", held))
    assert trace.settings["banned"] == "g a"
    again = settings_of(trace.strategy, trace.settings)
    assert again.constraints() == held.constraints() != {}
    free = context.decode(DecodeRequest(LETTERS, "hola", DecodingOptions(max_length=6)))
    assert "banned" not in free.settings


@pytest.mark.parametrize("strategy", names())
def test_the_settings_of_a_trace_are_those_it_was_made_with(root: Path, strategy: str) -> None:
    from demo.requests.decode import DecodeRequest
    from models.decoding.options import DecodingOptions
    from models.registry.registry import Registry

    context = AppContext(Registry(root), "cpu")
    asked = DecodingOptions(strategy, beam_size=6, num_groups=3, num_samples=5, seed=7, max_length=2)
    trace = context.decode(DecodeRequest(LETTERS, "hola", asked))
    again = settings_of(trace.strategy, trace.settings)
    assert again.build_strategy() == asked.build_strategy()
    assert (again.seed, again.max_length) == (7, 2)
