"""Pictures of shapes agree with their captions."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from models.corpus.generated.all_tasks import GENERATED, TASKS, generate, generate_split
from models.corpus.generated.shapes import (
    COLOURS,
    LARGE,
    MIN_DISTANCE,
    PICTURE_SIZE,
    SHAPE_KINDS,
    Scene,
    Shape,
    random_scene,
    relation,
    render,
    scene_pair,
)
from models.tokenization.pictures import read_picture

RED, BLUE, GREEN = (
    Shape("circle", "red", 20, 32, 14),
    Shape("square", "blue", 50, 30, 7),
    Shape("star", "green", 24, 56, 7),
)


def test_a_caption_names_the_first_shape_and_its_position() -> None:
    assert Scene((RED,)).caption == "a large red circle"
    assert Scene((BLUE,)).caption == "a small blue square"
    assert Scene((RED, BLUE)).caption == "a large red circle left of a small blue square"
    expected = "a large red circle above a small green star and left of a small blue square"
    assert Scene((RED, BLUE, GREEN)).caption == Scene((RED, GREEN, BLUE)).caption == expected
    assert Scene((RED, BLUE, GREEN)).named == (RED, GREEN, BLUE)


@pytest.mark.parametrize(
    ("x", "y", "words"),
    [(60, 30, "left of"), (4, 30, "right of"), (30, 60, "above"), (30, 4, "below"), (40, 45, "above")],
)
def test_a_relation_follows_the_wider_distance(x: float, y: float, words: str) -> None:
    assert relation(Shape("star", "red", 30, 30, 14), Shape("star", "blue", x, y, 7)) == words


@pytest.mark.slow
def test_every_random_scene_is_unambiguous() -> None:
    rng = random.Random(0)
    counts = set()
    for scene in (random_scene(rng) for _ in range(500)):
        counts.add(len(scene.shapes))
        first, *others = scene.shapes
        for shape in scene.shapes:
            assert shape.radius < shape.x < PICTURE_SIZE - shape.radius
            assert shape.radius < shape.y < PICTURE_SIZE - shape.radius
            assert not others or (shape.radius >= LARGE[0]) == (shape is first)
        for other in others:
            across, down = abs(other.x - first.x), abs(other.y - first.y)
            assert abs(across - down) >= MIN_DISTANCE
            assert max(across, down) > first.radius + other.radius
        assert len({(shape.kind, shape.colour) for shape in scene.shapes}) == len(scene.shapes)
    assert counts == {1, 2, 3}


@pytest.mark.parametrize("kind", SHAPE_KINDS)
def test_a_shapes_pixels_have_its_position_and_colour(kind: str) -> None:
    shape = Shape(kind, "purple", 20, 44, 14, tilt=0.1)
    pixels = np.asarray(render(Scene((shape,))), dtype=int)
    inked = np.argwhere((pixels != 255).any(axis=2))
    assert pixels[44, 20].tolist() == list(COLOURS["purple"])
    # The drawn pixels reach the shape's extent on every side, within 8 pixels.
    low, high = inked.min(axis=0), inked.max(axis=0)
    assert np.abs(low - (44 - 14, 20 - 14)).max() <= 8
    assert np.abs(high - (44 + 14, 20 + 14)).max() <= 8
    area = {"circle": math.pi, "square": 2 * 1.25**2, "triangle": 0.75 * math.sqrt(3) * 1.15**2}
    if kind in area:
        covered = (pixels[..., 1] < (255 + COLOURS["purple"][1]) / 2).sum()  # more than half of the pixel
        assert covered == pytest.approx(area[kind] * 14**2, rel=0.05)


def test_shapes_of_different_kinds_cover_different_pixels() -> None:
    masks = []
    for kind in SHAPE_KINDS:
        pixels = np.asarray(render(Scene((Shape(kind, "blue", 32, 32, 8),))), dtype=int)
        masks.append((pixels < 200).any(axis=2))
    for i, one in enumerate(masks):
        for other in masks[i + 1 :]:
            assert (one ^ other).sum() > 30


def test_the_picture_of_a_pair_shows_its_caption() -> None:
    """The colour at the centre of each shape is the named one."""
    rng = random.Random(3)
    for scene, (picture, caption) in (scene_pair(rng) for _ in range(100)):
        pixels = np.asarray(read_picture(picture, PICTURE_SIZE), dtype=int)
        colours = []
        for shape in scene.named:
            colour = pixels[round(shape.y), round(shape.x)]
            distances = {name: np.abs(colour - value).sum() for name, value in COLOURS.items()}
            colours.append(min(distances, key=lambda name: distances[name]))
        assert colours == [word for word in caption.split() if word in COLOURS]


def test_the_task_makes_pairs_that_repeat_from_a_seed() -> None:
    assert "shapes" in TASKS
    assert "shapes" not in GENERATED  # GENERATED lists the tasks whose sources are texts
    assert generate("shapes", 3, random.Random(1)) == generate("shapes", 3, random.Random(1))
    alone = generate("shapes", 50, random.Random(1), {"shapes": 1})
    assert all(len(caption.split()) == 4 for _, caption in alone)


def test_validation_pictures_are_new() -> None:
    split = generate_split("shapes", 60, 10, random.Random(0))
    assert len(split.valid) == 10
    assert not {picture for picture, _ in split.train} & {picture for picture, _ in split.valid}
