"""The buttons ‹ › beside the checkpoint, and the source that stays when the checkpoint changes."""

from __future__ import annotations

from dataclasses import replace

import gradio as gr
import pytest

from demo.controls.checkpoint import on_neighbour
from demo.controls.form_checkpoint import fits
from demo.requests.checks import RequestError
from demo.service.context import AppContext
from demo.tabs.compare.handlers import on_checkpoint
from models.registry.checkpoint import CheckpointConfig
from tests.demo.conftest import LETTERS, WORDS
from tests.refusals import refused

SPANISH = CheckpointConfig(
    network={"architecture": "gru"},
    vocab_size=8,
    task="translation",
    source_language="es",
    target_language="en",
)
PICTURES = replace(SPANISH, network={"architecture": "captioner"}, task="shapes", source_language="")


@pytest.mark.parametrize("step", [1, -1])
def test_the_neighbours_of_a_checkpoint_form_a_cycle(context: AppContext, step: int) -> None:
    first = on_neighbour(context, step, LETTERS, None)["value"]
    observed = [first]
    while observed[-1] != LETTERS:
        observed.append(on_neighbour(context, step, observed[-1], None)["value"])
        assert len(observed) <= len(context.registry.names())
    assert WORDS in observed


def test_a_checkpoint_with_a_unique_kind_of_source_has_no_neighbour(
    context: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CheckpointConfig, "reads_like", lambda one, other: one is other)
    with refused(RequestError, "no_neighbour", LETTERS):
        on_neighbour(context, 1, LETTERS, None)


@pytest.mark.parametrize(
    ("other", "alike"),
    [
        (SPANISH, True),
        (replace(SPANISH, task="names"), True),  # the language decides
        (replace(SPANISH, source_language="en"), False),
        (replace(SPANISH, source_language=""), True),  # not known: the task decides
        (replace(SPANISH, source_language="", task="names"), False),
        (PICTURES, False),
    ],
)
def test_sources_are_alike_by_kind_language_and_task(other: CheckpointConfig, alike: bool) -> None:
    assert SPANISH.reads_like(other) is other.reads_like(SPANISH) is alike


def test_a_reference_is_kept_if_both_checkpoints_write_its_language() -> None:
    assert SPANISH.writes_like(replace(SPANISH, source_language="fr"))
    assert not SPANISH.writes_like(replace(SPANISH, target_language="fr"))


def test_any_source_fits_a_checkpoint_of_unknown_languages(context: AppContext) -> None:
    assert fits(context, WORDS, "nowhere", "text")
    assert fits(context, "nowhere", WORDS, "text")
    assert not fits(context, WORDS, None, "data:image/png;base64,AAAA")


def test_compared_texts_stay_with_a_checkpoint_of_the_same_kind(context: AppContext) -> None:
    assert on_checkpoint(context, WORDS, LETTERS, "mine")[:3] == (gr.skip(),) * 3
