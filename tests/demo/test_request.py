"""A request: what is let through, and the sentence for what is not."""

from __future__ import annotations

import inspect
from dataclasses import fields
from typing import Any

import pytest

from demo.limits import MAX_BEAM_SIZE, MAX_CHARACTERS, MAX_OUTPUT_TOKENS
from demo.request import DecodeRequest, RequestError, decode_request
from demo.strategy import EARLY_STOPPING, STRATEGIES, StrategySettings
from models.decoding import strategies as known
from models.decoding.processors import BannedTokens, MinLength, NoRepeatNgram, RepetitionPenalty
from models.decoding.scoring import LengthNormalizer
from models.tokenization import Tokenizer

SETTINGS = [field.name for field in fields(StrategySettings)]


def request(**values: Any) -> DecodeRequest:
    """As the page's widgets ask for it."""
    own = {"checkpoint": "spa-eng-gru", "text": "hola"} | values
    settings = {name: own.pop(name) for name in SETTINGS if name in own}
    return DecodeRequest(**own, settings=StrategySettings(**settings))


def strategy(**values: Any) -> object:
    return request(**values).settings.build_strategy()


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    """Knows the words of two sentences and nothing else."""
    return Tokenizer.train(["the house is big", "the sea is near"], "word", vocab_size=40)


def test_numbers_as_json_has_them_become_what_they_mean() -> None:
    asked = request(beam_size=4.0, seed=7.0, temperature=1, top_p=1).settings
    assert (asked.beam_size, asked.seed, asked.temperature) == (4, 7, 1.0)
    assert isinstance(asked.beam_size, int)
    assert isinstance(asked.temperature, float)


def test_the_flat_call_takes_each_setting_in_its_place() -> None:
    values = ["words", "hola", "diverse", 6, 3]
    asked = decode_request(*values)
    assert asked == request(checkpoint="words", strategy="diverse", beam_size=6, num_groups=3)
    assert list(inspect.signature(decode_request).parameters) == ["checkpoint", "text", *SETTINGS]


@pytest.mark.parametrize("name", ["checkpoint", "text", *SETTINGS])
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
    with pytest.raises(RequestError, match=f"^{name} must be .*; got "):
        request(**{name: value})


def test_a_refusal_says_what_is_allowed() -> None:
    with pytest.raises(RequestError, match="from 1 to 16; got 1000"):
        request(beam_size=1000)
    with pytest.raises(RequestError, match=r"one of greedy, beam, .*; got 'best'"):
        request(strategy="best")
    with pytest.raises(RequestError, match="At 0 the likeliest token always wins: that is the greedy"):
        request(strategy="sampling", temperature=0)


@pytest.mark.parametrize(
    ("beams", "groups", "remedy"),
    [(4, 3, "Choose 1, 2 or 4 groups"), (7, 2, "Choose 1 or 7 groups"), (4, 8, "Choose 1, 2 or 4 groups")],
)
def test_groups_that_do_not_divide_the_beams_get_those_that_do(beams: int, groups: int, remedy: str) -> None:
    with pytest.raises(RequestError, match=f"{groups} groups do not divide {beams} beams. {remedy}"):
        request(strategy="diverse", beam_size=beams, num_groups=groups)
    assert request(strategy="beam", beam_size=beams, num_groups=groups)  # where there are no groups


def test_no_output_can_be_longer_than_the_maximum() -> None:
    with pytest.raises(RequestError, match="min_length is 9 and max_length 9"):
        request(min_length=9, max_length=9)


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
    norm = LengthNormalizer("gnmt", 0.6)
    scored = {"length_penalty": 0.6, "normalizer": "gnmt", "early_stopping": "never"}
    draws = {"num_samples": 2, "temperature": 0.5, "top_k": 9, "top_p": 0.8, "min_p": 0.1}
    asked = {
        "greedy": ({}, known.Greedy()),
        "beam": ({"beam_size": 3, **scored}, known.BeamSearch(3, norm, "never")),
        "diverse": (
            {"beam_size": 6, "num_groups": 3, "diversity": 0.2, **scored},
            known.DiverseBeamSearch(6, norm, "never", 3, 0.2),
        ),
        "stochastic": ({"beam_size": 3, "temperature": 0.5}, known.StochasticBeamSearch(3, 0.5)),
        "threshold": (
            {"beam_size": 3, "threshold": 0.3, **scored},
            known.ThresholdBeamSearch(3, norm, "never", 0.3),
        ),
        "sampling": (draws, known.Sampling(2, 0.5, 9, 0.8, 0.1)),
        "mbr": ({**draws, "utility": "bleu"}, known.MinimumBayesRisk(2, 0.5, 9, 0.8, 0.1, utility="bleu")),
        "exact": ({"node_budget": 500}, known.ExactSearch(500)),
        "exhaustive": ({"beam_size": 3, **scored}, known.ExhaustiveSearch(3, norm)),
    }
    assert set(asked) == set(STRATEGIES)
    for name, (values, built) in asked.items():
        assert strategy(strategy=name, **values) == built


@pytest.mark.parametrize("mode", EARLY_STOPPING)
def test_every_early_stopping_mode_builds(mode: str) -> None:
    built = strategy(early_stopping=mode)
    assert isinstance(built, known.BeamSearch)
    assert built.early_stopping == EARLY_STOPPING[mode]


def test_only_constraints_that_are_switched_on_are_built(tokenizer: Tokenizer) -> None:
    assert StrategySettings().build_processors(tokenizer) == ()
    every = StrategySettings(min_length=2, no_repeat_ngram_size=3, repetition_penalty=1.2, banned="house sea")
    kinds = {type(built) for built in every.build_processors(tokenizer)}
    assert kinds == {BannedTokens, MinLength, NoRepeatNgram, RepetitionPenalty}


@pytest.mark.parametrize("word", ["mountain", "</s>"])
def test_a_word_that_cannot_be_banned_is_named(tokenizer: Tokenizer, word: str) -> None:
    with pytest.raises(RequestError, match=f"{word}.* cannot be banned|end token cannot be banned"):
        StrategySettings(banned=f"house {word}").build_processors(tokenizer)


def test_a_banned_word_of_several_tokens_is_spelt_out() -> None:
    letters = Tokenizer.train(["house"], "character", vocab_size=40)
    with pytest.raises(RequestError, match=r"“so” is not one token but 2: “s” “o”\. Ban one of these"):
        StrategySettings(banned="so").build_processors(letters)
