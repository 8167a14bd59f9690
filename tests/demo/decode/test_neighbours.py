"""The buttons ‹ › beside the checkpoint, and the source that stays when the checkpoint changes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import gradio as gr
import pytest

from demo.compare.handlers import on_checkpoint
from demo.decode.controls.checkpoint import on_neighbour, on_neighbours
from demo.widgets.form.choices import fits
from demo.work.context import AppContext
from models.registry.checkpoint import CheckpointConfig
from models.registry.registry import Registry
from tests.demo.conftest import LETTERS, WORDS

SHIPPED = AppContext(Registry(Path("checkpoints")))
SPANISH = CheckpointConfig(
    network={"architecture": "gru"},
    vocab_size=8,
    task="translation",
    source_language="es",
    target_language="en",
)
PICTURES = replace(SPANISH, network={"architecture": "captioner"}, task="shapes", source_language="")


@pytest.mark.parametrize("name", SHIPPED.registry.names())
def test_the_arrows_visit_the_checkpoints_that_they_count(name: str) -> None:
    config, (before, after) = SHIPPED.config(name), on_neighbours(SHIPPED, name, None)
    alike = [other for other in SHIPPED.registry.names() if SHIPPED.config(other).reads_like(config)]
    if len(alike) == 1:
        assert (before["visible"], after["visible"]) == (False, False)
    for index, button in enumerate((before, after)):
        visited = [name]
        while (other := on_neighbour(SHIPPED, index, visited[-1], None).get("value", name)) != name:
            visited.append(other)
        assert sorted(visited) == alike
        if button["visible"]:
            following = SHIPPED.title(visited[1])
            assert button["value"].endswith(f" of {len(alike)} that read such sources: {following}")


@pytest.mark.parametrize("name", ["nowhere", None, 7, "../up"])
def test_the_arrows_of_a_checkpoint_that_is_not_there_lead_nowhere(name: object) -> None:
    assert [button["visible"] for button in on_neighbours(SHIPPED, name, None)] == [False, False]
    assert on_neighbour(SHIPPED, 0, name, None) == gr.skip()


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
