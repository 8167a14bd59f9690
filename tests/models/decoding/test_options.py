"""The options of a decoding: their checks, and the strategy and the constraints that they build."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from models.decoding import strategies as known
from models.decoding.description import DecodingSetting, FormPart
from models.decoding.interventions import banned_ids, required_phrases
from models.decoding.limits import DecodingError
from models.decoding.options import DecodingOptions, settings
from models.decoding.record.recorded_settings import option_values, settings_for_trace
from models.decoding.request import constraints_of
from models.decoding.search.constraints import BannedTokens, MinLength, NoRepeatNgram, RepetitionPenalty
from models.decoding.search.strategy import DecodingStrategy, LengthNormalizer
from models.decoding.strategies import meaning
from models.decoding.strategies.beam_search import BeamSearch
from models.decoding.strategies.diverse import DiverseBeamSearch
from models.decoding.strategies.exact import ExactSearch
from models.decoding.strategies.exhaustive import ExhaustiveSearch
from models.decoding.strategies.greedy import Greedy
from models.decoding.strategies.minimum_bayes_risk import MinimumBayesRisk
from models.decoding.strategies.sampling import Sampling
from models.decoding.strategies.stochastic import StochasticBeamSearch
from models.decoding.strategies.threshold import ThresholdBeamSearch
from models.tokenization.tokenizer import Tokenizer
from tests.refusals import Refusal, refused

EARLY_STOPPING = {"true": True, "false": False, "never": "never"}
UNFIT = ("not_a_text", "not_one_of", "not_whole_within", "not_within")
every_setting = pytest.mark.parametrize("setting", settings().values(), ids=lambda setting: setting.name)


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    """A tokenizer whose vocabulary is the words of two sentences."""
    return Tokenizer.train(["the house is big", "the sea is near"], "word", vocab_size=40)


def options_with(setting: DecodingSetting, value: object) -> DecodingOptions:
    """Options with one setting, and others that fit any value of it."""
    return DecodingOptions(**{"max_length": settings()["max_length"].high, setting.name: value})


@every_setting
def test_a_setting_accepts_its_bounds_and_refuses_values_beyond(setting: DecodingSetting) -> None:
    if setting.low is None or setting.high is None:
        pytest.skip("no number")
    for value in (setting.low, setting.high):
        assert getattr(options_with(setting, value), setting.name) == value
    for value in (setting.low - 1, setting.high + 1):
        with refused(DecodingError, ("not_whole_within", "not_within"), setting.name):
            options_with(setting, value)


@every_setting
@pytest.mark.parametrize("value", [None, [], {"a": 1}, True, float("nan"), b"4"], ids=repr)
def test_a_value_of_a_wrong_type_is_refused_by_name(setting: DecodingSetting, value: object) -> None:
    with refused(DecodingError, UNFIT, setting.name):
        options_with(setting, value)


@every_setting
def test_the_words_of_a_setting_are_complete(setting: DecodingSetting) -> None:
    """The text of a setting in form, picker, programs and command line."""
    assert setting.label
    assert setting.help.endswith(".")
    assert meaning(setting).endswith(".")
    assert not {"{", "}"} & set(meaning(setting))
    assert setting.default in setting.words or not setting.words
    values = {name: getattr(DecodingOptions(), name) for name in settings()}
    for phrase in (setting.phrase, setting.single):
        assert phrase.format(group_size=2, **values) or not phrase
    for other in (setting.within, *(setting.idle or ())[:1]):
        assert other in settings() or not other


def test_a_whole_number_may_be_a_json_float() -> None:
    options = DecodingOptions(beam_size=4.0, seed=7.0, temperature=1)  # type: ignore[arg-type]
    assert (options.beam_size, options.seed, options.temperature) == (4, 7, 1.0)
    assert [type(x) for x in (options.beam_size, options.seed, options.temperature)] == [int, int, float]


def test_no_output_can_be_longer_than_the_maximum() -> None:
    with refused(DecodingError, "lengths_at_odds", 9):
        DecodingOptions(min_length=9, max_length=9)


def test_a_strategy_s_own_checks_are_made_at_once() -> None:
    with refused(DecodingError, "groups_do_not_divide", 3, 4, "1, 2", "4"):
        DecodingOptions("diverse", num_groups=3)
    assert DecodingOptions("beam", num_groups=3), "where there are no groups"


def test_strategies_are_built_from_their_options() -> None:
    norm = LengthNormalizer("gnmt", 0.6)
    scored = {"length_penalty": 0.6, "normalizer": "gnmt", "early_stopping": "never"}
    draws = {"num_samples": 2, "temperature": 0.5, "top_k": 9, "top_p": 0.8, "min_p": 0.1}
    expected: dict[str, tuple[dict[str, Any], DecodingStrategy]] = {
        "greedy": (scored, Greedy()),
        "beam": ({"beam_size": 3, **scored}, BeamSearch(3, norm, "never")),
        "diverse": (
            {"beam_size": 6, "num_groups": 3, "diversity": 0.2, **scored},
            DiverseBeamSearch(6, norm, "never", 3, 0.2),
        ),
        "stochastic": ({"beam_size": 3, "temperature": 0.5}, StochasticBeamSearch(3, 0.5)),
        "threshold": (
            {"beam_size": 3, "threshold": 0.3, **scored},
            ThresholdBeamSearch(3, norm, "never", 0.3),
        ),
        "sampling": (draws, Sampling(2, 0.5, 9, 0.8, 0.1)),
        "mbr": ({**draws, "utility": "bleu"}, MinimumBayesRisk(2, 0.5, 9, 0.8, 0.1, utility="bleu")),
        "exact": ({"node_budget": 500}, ExactSearch(500)),
        "exhaustive": ({"beam_size": 3, **scored}, ExhaustiveSearch(3, norm)),
    }
    for name, (values, built) in expected.items():
        assert DecodingOptions(name, **values).build_strategy() == built


def test_the_language_reaches_strategies_that_compare_texts() -> None:
    built = DecodingOptions("mbr").build_strategy("zh")
    assert isinstance(built, MinimumBayesRisk)
    assert built.language == "zh"


@pytest.mark.parametrize("name", known.names())
def test_recorded_inputs_restore_the_options(name: str) -> None:
    inputs = DecodingOptions(
        name, beam_size=6, num_groups=3, early_stopping="true", node_budget=300, seed=7, min_length=2
    )
    again = DecodingOptions(**option_values(name, settings_for_trace(inputs)))
    assert again.build_strategy() == inputs.build_strategy()
    assert (again.seed, again.max_length, again.constraints()) == (7, 60, {"min_length": 2})


@pytest.mark.parametrize("name", known.names())
def test_every_named_setting_of_a_strategy_exists_and_is_passed_on(name: str) -> None:
    """No setting is listed without being used, or used without being listed."""
    description = known.description_of(name)
    assert set(description.settings) <= set(settings())
    assert set(description.main) <= set(description.settings)
    assert set(description.captions) | set(description.fields) <= set(description.settings)
    plain = DecodingOptions(name)
    for setting in description.settings:
        if setting == "seed":  # the search receives the random numbers
            continue
        assert _changed(name, setting).build_strategy() != plain.build_strategy(), setting
    for setting, item in settings().items():
        if setting not in description.settings and item.part is FormPart.MANNER:
            assert _changed(name, setting).build_strategy() == plain.build_strategy(), setting


COMPANY: dict[str, dict[str, Any]] = {  # settings that need others to have an effect or to be valid
    "normalizer": {"length_penalty": 1.0},
    "beam_size": {"num_groups": 1},
}


def _changed(name: str, setting: str) -> DecodingOptions:
    """Another value of one setting."""
    item = settings()[setting]
    others = [word for word in item.words or (item.low, item.high) if word != item.default]
    return DecodingOptions(name, **{setting: others[0], **COMPANY.get(setting, {})})


@pytest.mark.parametrize("mode", EARLY_STOPPING)
def test_every_early_stopping_mode_builds(mode: str) -> None:
    built = DecodingOptions(early_stopping=mode).build_strategy()
    assert isinstance(built, BeamSearch)
    assert built.early_stopping is EARLY_STOPPING[mode] or built.early_stopping == mode


def test_only_the_strategy_is_given_by_position() -> None:
    parameters = inspect.signature(DecodingOptions).parameters.values()
    by_position = [
        parameter.name for parameter in parameters if parameter.kind is not inspect.Parameter.KEYWORD_ONLY
    ]
    assert by_position == ["strategy"]


def test_only_constraints_that_are_switched_on_are_built(tokenizer: Tokenizer) -> None:
    assert constraints_of(DecodingOptions(), tokenizer) == ()
    every = DecodingOptions(min_length=2, no_repeat_ngram_size=3, repetition_penalty=1.2, banned="house sea")
    kinds = {type(built) for built in constraints_of(every, tokenizer)}
    assert kinds == {BannedTokens, MinLength, NoRepeatNgram, RepetitionPenalty}
    assert list(every.constraints()) == ["min_length", "no_repeat_ngram_size", "repetition_penalty", "banned"]


@pytest.mark.parametrize("banned", ["house sea", "house,sea", " house, sea, ", "house，sea", "house、 sea"])
def test_banned_words_stand_between_commas_or_blanks(tokenizer: Tokenizer, banned: str) -> None:
    ids = banned_ids(tokenizer, banned)
    assert [tokenizer.decode([token_id]) for token_id in ids] == ["house", "sea"]
    assert [phrase.token_ids for phrase in required_phrases(tokenizer, "house, sea")] == [(i,) for i in ids]


def test_a_comma_that_is_a_token_can_be_banned() -> None:
    letters = Tokenizer.train(["a,b"], "character", vocab_size=40)
    assert [letters.token(token_id) for token_id in banned_ids(letters, ", a,b")] == [",", "a", "b"]


@pytest.mark.parametrize(
    ("word", "refusal"),
    [("mountain", ("word_cannot_be_banned", "mountain")), ("</s>", ("end_cannot_be_banned",))],
)
def test_a_word_that_cannot_be_banned_is_named(tokenizer: Tokenizer, word: str, refusal: Refusal) -> None:
    with refused(DecodingError, *refusal):
        constraints_of(DecodingOptions(banned=f"house {word}"), tokenizer)


def test_the_tokens_of_a_banned_word_are_named() -> None:
    letters = Tokenizer.train(["house"], "character", vocab_size=40)
    with refused(DecodingError, "banned_word_in_pieces", "so", 2, "“s” “o”"):
        constraints_of(DecodingOptions(banned="so"), letters)
