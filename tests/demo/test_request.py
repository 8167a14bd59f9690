"""A request: what is let through, and the sentence for what is not."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from demo.limits import MAX_BEAM_SIZE, MAX_CHARACTERS, MAX_OUTPUT_TOKENS
from demo.request import EARLY_STOPPING, Deadline, DecodeRequest, RequestError
from models.decoding.scoring import LengthNormalizer
from models.decoding.strategies import BeamSearch, Greedy, Sampling

NAMES = [field.name for field in fields(DecodeRequest)]


def request(**values: Any) -> DecodeRequest:
    return DecodeRequest(**{"checkpoint": "spa-eng-gru", "text": "hola", **values})


def test_numbers_as_json_has_them_become_what_they_mean() -> None:
    asked = request(beam_size=4.0, seed=7.0, temperature=1, top_p=1)
    assert (asked.beam_size, asked.seed, asked.temperature) == (4, 7, 1.0)
    assert isinstance(asked.beam_size, int)
    assert isinstance(asked.temperature, float)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", [None, [], {"a": 1}, True, float("nan"), b"4"], ids=repr)
def test_every_value_of_a_wrong_type_is_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(RequestError, match=f"^{name} must be .*; got "):
        request(**{name: value})


def test_half_a_character_is_refused() -> None:
    with pytest.raises(RequestError, match="half a character"):
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
    with pytest.raises(RequestError, match=f"^{name} must be .*; got "):
        request(**{name: value})


def test_a_refusal_says_what_is_allowed() -> None:
    with pytest.raises(RequestError, match="from 1 to 10; got 1000"):
        request(beam_size=1000)
    with pytest.raises(RequestError, match="one of greedy, beam, sampling; got 'best'"):
        request(strategy="best")


def test_a_long_value_is_not_repeated_in_full() -> None:
    with pytest.raises(RequestError) as refusal:
        request(strategy="x" * 10_000)
    assert len(str(refusal.value)) < 200


@pytest.mark.parametrize("text", ["", "   ", "\n\t"])
def test_an_empty_text_is_refused(text: str) -> None:
    with pytest.raises(RequestError, match="no text to decode"):
        request(text=text)


def test_a_text_may_be_as_long_as_the_limit_and_no_longer() -> None:
    assert len(request(text="x" * MAX_CHARACTERS).text) == MAX_CHARACTERS
    with pytest.raises(RequestError, match=r"10,000 characters; the limit is 500. Shorten it"):
        request(text="x" * 10_000)


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "${alert(1)}", "</s>", "🙂", "مرحبا"])
def test_any_text_is_only_text(text: str) -> None:
    assert request(text=text).text == text


def test_strategies_are_built_as_asked() -> None:
    beam = request(beam_size=3, length_penalty=0.6, normalizer="gnmt", early_stopping="never")
    sampling = request(strategy="sampling", num_samples=2, temperature=0.5, top_k=9, top_p=0.8)
    assert request(strategy="greedy").build_strategy() == Greedy()
    assert beam.build_strategy() == BeamSearch(3, LengthNormalizer("gnmt", 0.6), "never")
    assert sampling.build_strategy() == Sampling(2, 0.5, 9, 0.8)


@pytest.mark.parametrize("mode", EARLY_STOPPING)
def test_every_early_stopping_mode_builds(mode: str) -> None:
    built = request(early_stopping=mode).build_strategy()
    assert isinstance(built, BeamSearch)
    assert built.early_stopping == EARLY_STOPPING[mode]


def test_the_deadline_lets_pass_until_the_time_is_up() -> None:
    assert Deadline(60)("log_probs", None) == "log_probs"
    with pytest.raises(RequestError, match="longer than 1 seconds and was stopped"):
        Deadline(1, started=-1e9)("log_probs", None)
