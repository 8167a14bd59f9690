"""Descriptions of networks: what is accepted, and how the rest is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from models.networks.architectures import ARCHITECTURES, build_model, network_config, network_dict
from models.networks.config import MAX_PARAMETERS, ConfigError, NetworkConfig
from models.networks.recurrent.config import RecurrentConfig
from models.networks.transformer.config import TransformerConfig
from models.setting import Setting
from tests.fakes.tiny_networks import CAPTIONERS, NETWORKS, PAD, VOCAB_SIZE, each_network
from tests.refusals import refused

ROOT = Path(__file__).parents[3]
NOT_A_SIZE = (0, -1, 2.0, "8", None, True)
NOT_A_PROBABILITY = (-0.1, 1, 1.5, "0.1", None, float("nan"))
# Every field of every architecture.
FIELDS = [(kind, name, about) for kind in ARCHITECTURES.values() for name, about in kind.settings().items()]


def fields(fits: Callable[[Setting], bool]) -> pytest.MarkDecorator:
    """Run the test for every field with such a setting."""
    fitting = [(kind, name) for kind, name, about in FIELDS if fits(about)]
    ids = [f"{kind.architecture}-{name}" for kind, name in fitting]
    return pytest.mark.parametrize(("kind", "name"), fitting, ids=ids)


@each_network(NETWORKS | CAPTIONERS)
def test_a_description_survives_json(config: NetworkConfig) -> None:
    assert network_config(json.loads(json.dumps(network_dict(config)))) == config


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_absent_settings_have_their_default(architecture: str) -> None:
    assert network_config({"architecture": architecture}) == ARCHITECTURES[architecture]()


@each_network(NETWORKS | CAPTIONERS)
def test_a_description_counts_the_parameters_of_the_built_network(config: NetworkConfig) -> None:
    model = build_model(config, VOCAB_SIZE, PAD)
    assert type(model).__module__ == type(config).__module__.replace(".config", ".model")
    assert config.num_parameters(VOCAB_SIZE) == model.num_parameters()


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_form_has_fields_for_the_offered_settings_of_an_architecture(architecture: str) -> None:
    kind = ARCHITECTURES[architecture]
    assert set(kind.offered) <= set(kind.settings())
    for name in kind.offered:
        about = kind.settings()[name]
        assert about.label
        assert about.help
        if about.kind in (int, float):
            low, high = about.form
            assert low <= about.default <= high <= (about.high or 0)


def test_a_setting_of_several_architectures_has_one_label() -> None:
    labels = {name: kind.settings()[name].label for kind in ARCHITECTURES.values() for name in kind.offered}
    for kind in ARCHITECTURES.values():
        assert all(kind.settings()[name].label == labels[name] for name in kind.offered)


@fields(lambda about: about.kind is int)
def test_a_size_is_a_whole_number_within_reason(kind: type[NetworkConfig], name: str) -> None:
    most = kind.settings()[name].high
    assert most is not None
    assert 8 <= most <= 1 << 16
    for value in (*NOT_A_SIZE, most + 1, 10**9, 10**40):
        with refused(ConfigError, "not_whole_within", 1, name, f"{most:,}"):
            kind(**{name: value})


@pytest.mark.parametrize("kind", ARCHITECTURES.values(), ids=ARCHITECTURES)
@pytest.mark.parametrize("value", NOT_A_PROBABILITY)
def test_dropout_is_a_probability_below_one(kind: type[NetworkConfig], value: Any) -> None:
    with refused(ConfigError, "not_a_number_within", "dropout"):
        kind(dropout=value)


def test_a_network_within_all_bounds_may_still_be_too_large() -> None:
    wide = TransformerConfig(d_model=8192, num_heads=16, d_ff=32_768, num_layers=64, num_decoder_layers=64)
    assert wide.num_parameters(100) > MAX_PARAMETERS
    with refused(ConfigError, "too_many_parameters", f"{MAX_PARAMETERS:,}"):
        build_model(wide, 100, PAD)


@fields(lambda about: bool(about.choices))
@pytest.mark.parametrize("value", ["Something", "", None, 3, ["gru"]])
def test_a_refused_choice_lists_the_alternatives(kind: type[NetworkConfig], name: str, value: Any) -> None:
    allowed = ", ".join(kind.settings()[name].words)
    with refused(ConfigError, "not_one_of", name, allowed, repr(value)):
        network_config({"architecture": kind.architecture, name: value})


@fields(lambda about: about.kind is bool)
@pytest.mark.parametrize("value", ["yes", "false", 1, None])
def test_a_switch_is_true_or_false(kind: type[NetworkConfig], name: str, value: Any) -> None:
    with refused(ConfigError, "not_a_switch", name):
        network_config({"architecture": kind.architecture, name: value})


def test_two_directions_need_an_even_width() -> None:
    with refused(ConfigError, "odd_directions", 7):
        RecurrentConfig(d_model=7)
    assert RecurrentConfig(d_model=7, bidirectional=False).d_model == 7


def test_heads_divide_the_width() -> None:
    with refused(ConfigError, "heads_do_not_divide", 8, 3):
        TransformerConfig(d_model=8, num_heads=3)


def test_sines_and_cosines_need_an_even_width() -> None:
    with refused(ConfigError, "odd_positions", 9):
        TransformerConfig(d_model=9, num_heads=3)


@pytest.mark.parametrize(
    "data", [{}, {"architecture": "rnn"}, {"architecture": None}, {"architecture": ["x"]}]
)
def test_an_unknown_architecture_is_refused_with_the_known_ones(data: dict[str, Any]) -> None:
    with refused(ConfigError, "not_one_of", "architecture", ", ".join(ARCHITECTURES)):
        network_config(data)


def test_an_unknown_setting_is_named() -> None:
    with refused(ConfigError, "no_such_setting", "recurrent", "heads, width"):
        network_config({"architecture": "recurrent", "width": 3, "heads": 2})


@pytest.mark.parametrize("data", [None, 5, "recurrent", ["architecture"], [1, 2]])
def test_a_config_that_is_no_mapping_is_refused(data: Any) -> None:
    with refused(ConfigError, "no_network"):
        network_config(data)


def test_a_form_is_filled_in_before_torch_is_loaded() -> None:
    """Cells and networks are found in their folders at run time, so import statements do not show them."""
    program = (
        "import sys; from models.networks.architectures import ARCHITECTURES; print('torch' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout == "False\n"
