"""Pictures of one to three coloured shapes, with a caption that only one reading of the picture allows."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from models.corpus.generated.task import AlignedPair, GeneratedTask, Options, option
from models.corpus.pairs import Pair
from models.tokenization.pictures import picture_text

if TYPE_CHECKING:
    from PIL.Image import Image

PICTURE_SIZE = 64  # pixels on a side
COLOURS = {
    "red": (220, 40, 40),
    "orange": (245, 145, 30),
    "yellow": (240, 215, 40),
    "green": (45, 160, 70),
    "blue": (45, 90, 215),
    "purple": (140, 60, 170),
}
SHAPE_KINDS = ("circle", "square", "triangle", "star")
LARGE, SMALL = (13.0, 16.0), (6.5, 8.5)  # radii in pixels: half of the extent
MIN_GAP = 3.0  # pixels between two shapes, and to the frame
# Only one caption is right: the distances along the two axes differ by this much, and so do the positions of
# the other shapes along x.
MIN_DISTANCE = 7.0  # pixels
SUPERSAMPLING = 4


@dataclass(frozen=True)
class Shape:
    """One shape; its extent is a square around (x, y), in pixels from the top left."""

    kind: str
    colour: str
    x: float
    y: float
    radius: float
    tilt: float = 0.0  # radians

    @property
    def name(self) -> str:
        """The shape in a caption: "small red circle"."""
        size = "large" if self.radius >= LARGE[0] else "small"
        return f"{size} {self.colour} {self.kind}"


@dataclass(frozen=True)
class Scene:
    """The contents of a picture; the caption begins with the first shape."""

    shapes: tuple[Shape, ...]
    background: tuple[int, int, int] = (255, 255, 255)

    @property
    def named(self) -> tuple[Shape, ...]:
        """The shapes in the order of the caption: the first one, then the others from left to right."""
        first, *other_shapes = self.shapes
        return first, *sorted(other_shapes, key=lambda item: item.x)

    @property
    def caption(self) -> str:
        """The first shape, and its position seen from each of the others."""
        first, *other_shapes = self.named
        phrases = [f"{relation(first, other)} a {other.name}" for other in other_shapes]
        return " ".join([f"a {first.name}", " and ".join(phrases)]).strip()


def relation(shape: Shape, other: Shape) -> str:
    """The position of a shape seen from another, along the axis on which they are farther apart."""
    across, down = other.x - shape.x, other.y - shape.y
    if abs(across) > abs(down):
        return "left of" if across > 0 else "right of"
    return "above" if down > 0 else "below"


def random_scene(rng: random.Random, max_shapes: int = 3) -> Scene:
    """Draw one to `max_shapes` different shapes. If there are several, only the first is large."""
    count = rng.randint(1, max_shapes)
    names = rng.sample([(kind, colour) for kind in SHAPE_KINDS for colour in COLOURS], count)
    background = tuple(rng.randint(240, 255) for _ in range(3))
    while True:
        large = [count > 1 or rng.random() < 0.5, *[False] * (count - 1)]
        shapes = tuple(
            _random_shape(rng, kind, colour, LARGE if is_large else SMALL)
            for (kind, colour), is_large in zip(names, large, strict=True)
        )
        if _is_clear(shapes):
            return Scene(shapes, background)  # type: ignore[arg-type]


def _random_shape(rng: random.Random, kind: str, colour: str, radii: tuple[float, float]) -> Shape:
    radius = rng.uniform(*radii)
    low, high = radius + MIN_GAP, PICTURE_SIZE - radius - MIN_GAP
    return Shape(
        kind, colour, rng.uniform(low, high), rng.uniform(low, high), radius, rng.uniform(-0.15, 0.15)
    )


def _is_clear(shapes: tuple[Shape, ...]) -> bool:
    """Whether no shapes overlap, and all relations and the order from left to right are clear."""
    first, *other_shapes = shapes
    for i, shape in enumerate(shapes):
        for other in shapes[i + 1 :]:
            across, down = abs(shape.x - other.x), abs(shape.y - other.y)
            if max(across, down) < shape.radius + other.radius + MIN_GAP:
                return False
            if shape is first and abs(across - down) < MIN_DISTANCE:
                return False
    return all(
        abs(shape.x - other.x) >= MIN_DISTANCE
        for shape in other_shapes
        for other in other_shapes
        if shape is not other
    )


def render(scene: Scene, rng: random.Random | None = None, size: int = PICTURE_SIZE) -> Image:
    """The picture of a scene, `size` pixels on a side. With `rng` the colours vary a little."""
    from PIL import Image, ImageDraw

    scale = size * SUPERSAMPLING / PICTURE_SIZE
    image = Image.new("RGB", (size * SUPERSAMPLING,) * 2, scene.background)
    draw = ImageDraw.Draw(image)
    for shape in scene.shapes:
        noise = [0, 0, 0] if rng is None else [rng.randint(-18, 18) for _ in range(3)]
        fill = tuple(
            min(255, max(0, value + off)) for value, off in zip(COLOURS[shape.colour], noise, strict=True)
        )
        if shape.kind == "circle":
            box = [
                (centre + side * shape.radius) * scale for side in (-1, 1) for centre in (shape.x, shape.y)
            ]
            draw.ellipse(box, fill=fill)
        else:
            draw.polygon([(x * scale, y * scale) for x, y in _corners(shape)], fill=fill)
    return image.resize((size, size), Image.Resampling.BOX)


def _corners(shape: Shape) -> list[tuple[float, float]]:
    """The corners of a polygon. All kinds look similar in size."""
    if shape.kind == "square":
        points = [(math.pi / 4 + i * math.pi / 2, 1.25) for i in range(4)]
    elif shape.kind == "triangle":
        points = [(-math.pi / 2 + i * 2 * math.pi / 3, 1.15) for i in range(3)]
    else:
        points = [(-math.pi / 2 + i * math.pi / 5, 1.15 if i % 2 == 0 else 0.5) for i in range(10)]
    return [
        (
            shape.x + shape.radius * reach * math.cos(angle + shape.tilt),
            shape.y + shape.radius * reach * math.sin(angle + shape.tilt),
        )
        for angle, reach in points
    ]


def scene_pair(rng: random.Random, max_shapes: int = 3) -> tuple[Scene, Pair]:
    """A random scene, and its picture with the caption."""
    scene = random_scene(rng, max_shapes)
    return scene, (picture_text(render(scene, rng), PICTURE_SIZE), scene.caption)


def _aligned_pair(rng: random.Random, options: Options) -> AlignedPair:
    """A pair. The words that name a shape depend on its pixels, all other words on no pixels."""
    scene, (picture, caption) = scene_pair(rng, options["shapes"])
    no_pixels: frozenset[int] = frozenset()
    relevant: list[frozenset[int]] = []
    for index, shape in enumerate(scene.named):
        conjunction = [] if index < 2 else ["and"]
        words_before = [*conjunction, *relation(scene.named[0], shape).split()] if index else []
        pixels = _pixels(shape)
        relevant += [no_pixels] * (len(words_before) + 1) + [pixels] * len(shape.name.split())
    return AlignedPair(picture, caption, tuple(relevant))


def _pixels(shape: Shape) -> frozenset[int]:
    """The pixels of the circle around a shape, row by row."""
    squared_radius = shape.radius**2
    return frozenset(
        y * PICTURE_SIZE + x
        for y in range(PICTURE_SIZE)
        for x in range(PICTURE_SIZE)
        if (x + 0.5 - shape.x) ** 2 + (y + 0.5 - shape.y) ** 2 <= squared_radius
    )


def _sources(options: Options) -> int:
    """A lower bound: positions are real numbers, so there are far more sources."""
    return len(SHAPE_KINDS) * len(COLOURS) * PICTURE_SIZE * PICTURE_SIZE


def _example() -> Pair:
    scene = Scene((Shape("circle", "red", 20, 32, 14), Shape("square", "blue", 50, 32, 8)))
    return picture_text(render(scene), PICTURE_SIZE), scene.caption


SHAPES = GeneratedTask(
    name="shapes",
    title="Pictures of shapes",
    description="Says in words what a picture of one to three coloured shapes shows.",
    tokenizer="word",
    example=_example(),
    options=(option("shapes", "Shapes", "The most shapes in a picture.", 1, 3, 3),),
    make=lambda rng, options: scene_pair(rng, options["shapes"])[1],
    sources=_sources,
    aligned=_aligned_pair,
    has_pictures=True,
)
