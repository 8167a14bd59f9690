"""The sentence of Why names the token with the extreme value of its rows."""

from __future__ import annotations

import random

import pytest

from demo.inspect.why_sentences import most_needed, rival_sentence, why_sentence


@pytest.mark.parametrize("seed", range(80))
def test_the_costliest_tokens_are_named(seed: int) -> None:
    rng = random.Random(seed)
    source = [rng.uniform(-4, 4) for _ in range(rng.randint(1, 4))]
    prefix = [0.0, *(rng.uniform(-4, 4) for _ in range(rng.randint(0, 3)))]
    names = [f"s{index}" for index in range(len(source))], [f"p{index}" for index in range(len(prefix))]
    sentence = why_sentence("x", -0.5, *map(most_needed, names, (source, prefix)))
    named = [name for item in names for name in item if f"“{name}”" in sentence]
    costs = dict(zip((*names[0], *names[1]), (*source, *prefix), strict=True))
    most = max(costs.values())
    if most <= 0:
        assert named == []
        return
    assert max(costs[name] for name in named) == most
    for name in named:
        assert costs[name] == max(source if name in names[0] else prefix)
    assert (len(named) == 2) == (0 < max(source) < max(prefix))


def test_a_loss_that_rounds_to_zero_names_no_token() -> None:
    sentence = why_sentence("x", -0.5, most_needed(["a"], [1e-6]), most_needed(["b"], [2e-6]))
    assert "“a”" not in sentence
    assert "“b”" not in sentence
    assert "“a”" in why_sentence("x", -0.5, most_needed(["a"], [9.0]), None)


def test_a_rival_sentence_has_the_margin_without_the_costliest_token() -> None:
    sentence = rival_sentence("x", "y", 2.0, most_needed(["a", "b"], [0.5, 3.0]))
    assert "2.00" in sentence
    assert "“b” by −1.00" in sentence
    assert rival_sentence("x", "y", 2.0, None) == ""
