"""The language model of characters: windows, perplexity, sampling, and what training does to them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import pytest
import torch

from models.labs.character_training import (
    NUM_HIDDEN,
    NUM_ROWS,
    OTHER_CHARACTER,
    SAMPLE_CHARACTERS,
    WINDOW_STEPS,
    CharacterChoices,
    CharacterModel,
    CharacterResult,
    Characters,
    held_out_perplexity,
    in_rows,
    perplexity,
    sample_text,
    train,
    weights_of,
    window,
)

PLAIN = CharacterChoices("rnn", 1, 1.0, 1.0, "full", 5, 0.5)
TEXT = "the cat sat on the mat. " * 40


def updates(choices: CharacterChoices, count: int, text: str = TEXT) -> CharacterResult:
    """Return the result after `count` updates."""

    def results() -> Iterator[CharacterResult]:
        for progress in train(replace(choices, text=text)):
            result = progress.result()
            yield result
            if len(result.losses) >= count:
                return

    return list(results())[-1]


def test_a_text_is_numbered_by_an_alphabet_and_its_end_is_held_out() -> None:
    characters = Characters.of("Abba cab a")
    assert characters.alphabet == " abc"
    assert characters.training_ids.tolist() == [1, 2, 2, 1, 0, 3, 1, 2, 0]
    assert characters.held_out.tolist() == [1]


def test_rare_characters_share_one_id() -> None:
    text = "".join(chr(0x4E00 + index) * 2 for index in range(500)) + "xyz"
    characters = Characters.of(text)
    assert len(characters.alphabet) == 501
    assert characters.alphabet[-1] == OTHER_CHARACTER
    assert characters.held_out[-3:].tolist() == [500] * 3


def test_windows_follow_each_other_in_each_row() -> None:
    streams = in_rows(torch.arange(23), 2, 3)
    assert streams.tolist() == [list(range(11)), list(range(11, 22))]
    ids, targets, follows = window(streams, 1, 3)
    assert ids.T.tolist() == [[3, 4, 5], [14, 15, 16]]
    assert targets.T.tolist() == [[4, 5, 6], [15, 16, 17]]
    assert follows
    assert not window(streams, 3, 3)[2]  # the state starts again


def test_an_untrained_model_without_weights_guesses_evenly() -> None:
    """The perplexity of such a model is |V| for any text."""
    characters = Characters.of(TEXT)
    model = CharacterModel("gru", len(characters.alphabet), 2, torch.Generator().manual_seed(1))
    with torch.no_grad():
        model.weight.zero_()
    perplexity, count, gap = held_out_perplexity(model, characters)
    assert perplexity == pytest.approx(len(characters.alphabet), rel=1e-5)
    assert count == 64  # 96 held-out characters make one row of 64
    assert gap == 0


def test_perplexity_is_the_exponential_of_the_loss() -> None:
    assert perplexity(math.log(5)) == pytest.approx(5)
    assert perplexity(0) == 1
    assert perplexity(1e4) == perplexity(math.nan) == math.inf


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["rnn", "gru", "lstm"])
def test_a_character_training_learns_and_repeats_exactly(kind: str) -> None:
    choices = replace(PLAIN, kind=kind, rate=2.0)
    trained = updates(choices, 60)
    assert trained.losses[-1] < trained.losses[0] - 0.5
    assert trained.losses[0] == pytest.approx(math.log(trained.alphabet), abs=0.3)
    assert trained == updates(choices, 60)
    assert trained.held_out[0][0] == 0
    assert trained.held_out[1][1] < trained.held_out[0][1]


def test_clipping_changes_nothing_below_its_threshold() -> None:
    unclipped = updates(replace(PLAIN, threshold=None), 3)
    assert updates(replace(PLAIN, threshold=100.0), 3).losses == unclipped.losses
    clipped = updates(replace(PLAIN, threshold=0.01), 3)
    assert clipped.norms[0] == unclipped.norms[0]  # the first norm is measured before clipping
    assert clipped.losses[0] == unclipped.losses[0]
    assert clipped.losses[1] > unclipped.losses[1]


def test_truncation_changes_gradients_and_not_the_first_loss() -> None:
    full, cut, random = (
        updates(replace(PLAIN, truncation=truncation), 1)
        for truncation in ("full", "truncated", "randomised")
    )
    assert full.losses == cut.losses == random.losses
    assert len({full.norms, cut.norms, random.norms}) == 3
    uncut = updates(replace(PLAIN, truncation="randomised", survival=1.0), 1)
    assert uncut.norms == pytest.approx(full.norms)


def test_a_loss_that_is_no_number_ends_a_training() -> None:
    *_, last = train(replace(PLAIN, rate=3e38, threshold=None, text=TEXT))
    result = last.result()
    assert result.broke
    assert last.share == 1
    assert result.held_out[-1][1] == math.inf
    assert all(map(math.isfinite, (*result.losses, *result.norms)))


def test_samples_are_the_same_each_time() -> None:
    model = CharacterModel("rnn", 4, 1, torch.Generator().manual_seed(3))
    parts = list(sample_text(model, " abc"))
    assert parts == list(sample_text(model, " abc"))
    assert len(parts[-1]) == SAMPLE_CHARACTERS
    assert parts[-1].startswith(parts[0])
    assert set(parts[-1]) <= set(" abc")


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("kind", ["rnn", "gru", "lstm"])
def test_weights_are_counted(kind: str, layers: int) -> None:
    model = CharacterModel(kind, 30, layers, torch.Generator())
    assert weights_of(kind, 30, layers) == sum(tensor.numel() for tensor in model.tensors)


def test_the_reported_shares_grow_from_zero_to_one() -> None:
    shares = [progress.share for progress in islice(train(replace(PLAIN, text=TEXT)), 40)]
    assert shares[0] == 0
    assert shares == sorted(shares)
    assert (NUM_ROWS, WINDOW_STEPS, NUM_HIDDEN) == (16, 32, 64)  # the page names these sizes
