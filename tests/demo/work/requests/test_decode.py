"""Requests of decodings: accepted values, and the sentences of refusals."""

from __future__ import annotations

from typing import Any

import pytest

from demo.i18n import in_language
from demo.work.errors import sentence
from demo.work.operator.caps import MAX_BEAM_SIZE, MAX_CHARACTERS, MAX_OUTPUT_TOKENS, allowed_settings
from demo.work.requests.checks import RequestError
from demo.work.requests.decode import DecodeRequest, decode_request, decoding_options, default_options
from models.decoding.options import DecodingOptions, settings
from models.decoding.strategies import is_used, names
from tests.refusals import Refusal, refused

SETTINGS = list(settings())


UNFIT = ("not_a_text", "not_one_of", "not_whole_within", "not_within")


def request(**values: Any) -> DecodeRequest:
    """Make a request as the page's widgets do."""
    values_given = {"checkpoint": "spa-eng-gru", "text": "hola"} | values
    own_settings = {name: values_given.pop(name) for name in SETTINGS if name in values_given}
    return DecodeRequest(**values_given, settings=decoding_options(own_settings))


def test_json_numbers_become_whole_numbers_or_floats_as_the_setting_requires() -> None:
    query = request(beam_size=4.0, seed=7.0, temperature=1, top_p=1).settings
    assert (query.beam_size, query.seed, query.temperature) == (4, 7, 1.0)
    assert isinstance(query.beam_size, int)
    assert isinstance(query.temperature, float)


def test_the_flat_call_takes_each_setting_at_its_position() -> None:
    values = ["words", "hola", "diverse", 6, 3]
    query = decode_request(*values)
    assert query == request(checkpoint="words", strategy="diverse", beam_size=6, num_groups=3)


@pytest.mark.parametrize("strategy", names())
def test_the_form_is_refused_for_what_it_shows_and_not_for_what_it_hides(strategy: str) -> None:
    usual = {name: item.default for name, item in allowed_settings().items()} | {"strategy": strategy}
    for name in SETTINGS[1:]:
        unfinished = ["words", "hola", *(usual | {name: None}).values()]
        if is_used(name, strategy):
            with refused(RequestError, UNFIT, name):
                decode_request(*unfinished)
        else:
            assert decode_request(*unfinished) == request(checkpoint="words", strategy=strategy)
    idle = usual | {"normalizer": "none", "length_penalty": None}
    assert decode_request("words", "hola", *idle.values()).settings.length_penalty == 0


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (name, value)
        for name in ("checkpoint", "text", *SETTINGS)
        for value in (None, [], {"a": 1}, True, float("nan"), b"4")
        if (name, value) != ("early_stopping", True)  # answers have it for "true"
    ],
    ids=repr,
)
def test_every_value_of_a_wrong_type_is_refused_by_name(name: str, value: object) -> None:
    code, *names = ("not_a_checkpoint_name",) if name == "checkpoint" else (UNFIT, name)
    with refused(RequestError, code, *names):
        request(**{name: value})


def test_half_a_character_is_refused() -> None:
    with refused(RequestError, "half_a_character"):
        request(text="hola \ud83d")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("beam_size", 0),
        ("beam_size", MAX_BEAM_SIZE + 1),
        ("beam_size", 2.5),
        ("beam_size", "4"),
        ("beam_size", float("inf")),
        ("num_samples", 1000),
        ("temperature", 0),
        ("temperature", 0.0),
        ("length_penalty", 1e6),
        ("length_penalty", -1e6),
        ("diversity", -1),
        ("threshold", 1.5),
        ("min_p", 2),
        ("node_budget", 10**9),
        ("min_length", -1),
        ("no_repeat_ngram_size", 2.5),
        ("repetition_penalty", 0),
        ("utility", "rouge"),
        ("temperature", float("inf")),
        ("top_k", -1),
        ("top_p", 0),
        ("top_p", 1.01),
        ("length_penalty", 100),
        ("seed", -1),
        ("seed", 2**40),
        ("max_length", 0),
        ("max_length", MAX_OUTPUT_TOKENS + 1),
        ("strategy", "Beam"),
        ("normalizer", "length"),
        ("early_stopping", "maybe"),
    ],
)
def test_a_value_out_of_bounds_is_refused_by_name(name: str, value: object) -> None:
    with refused(RequestError, UNFIT, name):
        request(**{name: value})


def test_a_refusal_says_what_is_allowed() -> None:
    with refused(RequestError, "not_whole_within", "1", "16", "1000"):
        request(beam_size=1000)
    with refused(RequestError, "not_one_of", "best"):
        request(strategy="best")
    with refused(RequestError, "zero_is_greedy"):
        request(strategy="sampling", temperature=0)


@pytest.mark.parametrize(
    ("beams", "groups", "refusal"),
    [
        (4, 3, ("groups_do_not_divide", 4, "1, 2", "4")),
        (7, 2, ("groups_do_not_divide", 7, "1", "7")),
        (4, 8, ("groups_do_not_divide", 4, "1, 2", "4")),
    ],
)
def test_a_refusal_of_groups_lists_those_that_divide_the_beams(
    beams: int, groups: int, refusal: Refusal
) -> None:
    with refused(RequestError, *refusal, groups, beams):
        request(strategy="diverse", beam_size=beams, num_groups=groups)
    assert request(strategy="beam", beam_size=beams, num_groups=groups)  # where there are no groups


def test_a_minimum_length_as_large_as_the_maximum_is_refused() -> None:
    with refused(RequestError, "lengths_at_odds", 9):
        request(min_length=9, max_length=9)


def test_a_long_value_is_not_repeated_in_full() -> None:
    with pytest.raises(RequestError) as refusal:
        request(strategy="x" * 10_000)
    assert len(str(refusal.value)) < 200


@pytest.mark.parametrize("text", ["", "   ", "\n\t"])
def test_an_empty_text_is_refused(text: str) -> None:
    with refused(RequestError, "no_text"):
        request(text=text)


def test_a_text_may_be_as_long_as_the_limit_and_no_longer() -> None:
    assert len(request(text="x" * MAX_CHARACTERS).text) == MAX_CHARACTERS
    with refused(RequestError, "too_many_characters", "10,000", "500"):
        request(text="x" * 10_000)


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "${alert(1)}", "</s>", "🙂", "مرحبا"])
def test_a_text_with_markup_is_kept_unchanged(text: str) -> None:
    assert request(text=text).text == text


def test_omitted_settings_have_their_default_and_the_length_of_the_checkpoint() -> None:
    assert decoding_options({}) == default_options()
    assert decoding_options({"beam_size": 2}, 33) == DecodingOptions(beam_size=2, max_length=33)
    assert decoding_options({"max_length": 5}, 33).max_length == 5


def test_a_decode_request_checks_the_caps() -> None:
    beyond = DecodingOptions(beam_size=MAX_BEAM_SIZE + 1)
    with refused(RequestError, "not_whole_within", "beam_size", "1", MAX_BEAM_SIZE):
        DecodeRequest("spa-eng-gru", "hola", beyond)


def test_a_refusal_is_in_the_language_of_the_request() -> None:
    with pytest.raises(RequestError) as refused:
        decoding_options({"beam_size": 99})
    with in_language("es"):
        assert sentence(refused.value) == "beam_size debe ser un número entero de 1 a 16; se recibió 99."
    with pytest.raises(RequestError) as refused:
        decoding_options({"temperature": 0})
    with in_language("zh"):
        assert sentence(refused.value) == (
            "temperature须为 0.05 到 5 的数；收到的是 0。为 0 时总是最可能的词元胜出：那就是贪心策略。"
        )
