"""Pairs that a checkpoint has not seen, and where a captioner looks."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from models.corpus.generated.all_tasks import GENERATED, generate_split
from models.corpus.generated.shapes import Scene, Shape, render
from models.corpus.pairs import DataError
from models.decoding.decode import decode
from models.decoding.interventions import Intervention
from models.decoding.options import DecodingOptions
from models.decoding.trace import DecodingTrace
from models.evaluation.command import TaskRecipe, fresh_pairs, training_sources
from models.evaluation.evaluate import _cells_of, shape_attention
from models.networks.architectures import build_model, network_dict
from models.networks.captioner.config import CaptionerConfig
from models.networks.recurrent.config import RecurrentConfig
from models.registry.checkpoint import Checkpoint, CheckpointConfig
from models.tokenization.pictures import PictureGrid, picture_text
from models.tokenization.tokenizer import Tokenizer
from tests.refusals import refused

LETTERS = Tokenizer.train(["abcdefghijklmnopqrstuvwxyz"], "character")
NETWORK = RecurrentConfig(d_embed=4, d_model=4)


def checkpoint(task: str) -> Checkpoint:
    config = CheckpointConfig(
        network=network_dict(NETWORK),
        vocab_size=LETTERS.vocab_size,
        task=task,
        source_language="",
        target_language="",
    )
    return Checkpoint("c", config, LETTERS, build_model(NETWORK, LETTERS.vocab_size, 0))


@pytest.mark.slow
def test_histories_are_those_that_the_recipe_kept_from_training(tmp_path: Path) -> None:
    recipe = {"seed": 5, "data": {"task": "histories", "train_size": 2000, "options": {"horizon": 2}}}
    (tmp_path / "recipe.json").write_text(json.dumps(recipe), encoding="utf-8")
    pairs, description = fresh_pairs(checkpoint("histories"), tmp_path, 1000)
    trained = generate_split("histories", 2000, 100, random.Random(5), {"horizon": 2})
    assert not {source for source, _ in pairs} & {source for source, _ in trained.train}
    assert len(pairs) >= len(trained.valid) > 10
    assert f"{len(pairs):,} held-out sources" == description


def test_fresh_pairs_have_the_options_of_the_recipe(tmp_path: Path) -> None:
    recipe = {"data": {"task": "dates", "train_size": 500, "options": {"formats": 1}}}
    (tmp_path / "recipe.json").write_text(json.dumps(recipe), encoding="utf-8")
    sources = [source for source, _ in fresh_pairs(checkpoint("dates"), tmp_path, 50)[0]]
    assert sources
    assert all(len(source.split()) == 3 and source[0].isdigit() for source in sources)


def test_without_a_recipe_sources_are_not_called_unseen(tmp_path: Path) -> None:
    pairs, description = fresh_pairs(checkpoint("sort"), tmp_path, 40)
    assert len(pairs) == 40
    assert description == "40 sources drawn at random"


@pytest.mark.parametrize(
    "recipe", ["", "[]", "{", "{}", '{"data": []}', '{"data": null}', '{"data": {}, "seed": "x"}', "[" * 5000]
)
def test_a_damaged_recipe_is_reported(tmp_path: Path, recipe: str) -> None:
    (tmp_path / "recipe.json").write_text(recipe, encoding="utf-8")
    with refused(DataError, "recipe_damaged", "recipe.json"):
        fresh_pairs(checkpoint("sort"), tmp_path, 40)


@pytest.mark.parametrize("task", sorted(GENERATED))
def test_no_fresh_source_was_trained_on(tmp_path: Path, task: str) -> None:
    recipe = {"seed": 3, "data": {"task": task, "train_size": 3000}}
    (tmp_path / "recipe.json").write_text(json.dumps(recipe), encoding="utf-8")
    fresh = {source for source, _ in fresh_pairs(checkpoint(task), tmp_path, 300)[0]}
    assert len(fresh) >= 20
    assert not fresh & training_sources(task, TaskRecipe(3, 3000))


def test_no_fresh_sources_are_generated_for_translation(tmp_path: Path) -> None:
    with refused(DataError, "data_needed"):
        fresh_pairs(checkpoint("translation"), tmp_path, 10)


GRID = PictureGrid(64, 8)
# Two shapes over different cells, counted from 0: rows and columns 1 to 2, and column 6 of rows 1 to 2.
SCENE = Scene((Shape("circle", "red", 16, 16, 7.5), Shape("star", "blue", 52, 16, 7)))


def looking_at(*cells: int) -> DecodingTrace:
    """A right caption whose n-th word for a shape was written looking at the n-th cell alone."""
    tokenizer = Tokenizer.for_pictures(GRID, [SCENE.caption], "word", 40)
    torch.manual_seed(0)
    model = build_model(
        CaptionerConfig(
            picture_size=64, cells=8, channels=4, d_embed=6, d_model=8, d_attention=5, dropout=0.0
        ),
        tokenizer.vocab_size,
        0,
    )
    ids = tokenizer.target.encode(SCENE.caption).ids
    picture = picture_text(render(SCENE), 64)
    trace = decode(
        model,
        tokenizer,
        picture,
        DecodingOptions("greedy", max_length=len(ids)),
        intervention=Intervention(ids),
    )
    words = [node for node in trace.path(trace.hypotheses[0].node) if node.token in ("circle", "star")]
    steps = list(trace.steps)
    for node, cell in zip(words, cells, strict=True):
        [row] = steps[node.step].rows
        weights = tuple(float(i == cell) for i in range(64))
        steps[node.step] = replace(steps[node.step], rows=(replace(row, attention=((weights,),)),))
    return replace(trace, steps=tuple(steps))


def test_attention_to_a_shape_counts_words_that_attend_to_their_shape() -> None:
    at_circle, at_star, nowhere = 1 * 8 + 2, 2 * 8 + 6, 7 * 8
    for cells, share in (((at_circle, at_star), 100), ((at_circle, nowhere), 50), ((at_star, at_circle), 0)):
        result = shape_attention([(looking_at(*cells), SCENE)], GRID)
        assert result is not None
        assert (result.peak_on_shape, result.weight_on_shape) == (share, share)
        assert 0 < result.chance < 15


def test_wrong_captions_do_not_count_for_the_attention_to_shapes() -> None:
    trace = looking_at(0, 0)
    assert shape_attention([(trace, Scene((SCENE.shapes[0],)))], GRID) is None


def test_a_shape_is_where_its_pixels_are_not_in_the_corners_of_its_square() -> None:
    circle = Scene((Shape("circle", "red", 32, 32, 22),))
    cells = _cells_of(circle.shapes[0], GRID)
    assert not cells[[1, 1, 6, 6], [1, 6, 1, 6]].any()
    assert cells[1:7, 2:6].all()
    assert cells[2:6, 1:7].all()
    assert cells.sum() == 32
