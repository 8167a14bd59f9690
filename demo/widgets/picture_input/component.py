"""A picture to choose, to draw or to upload, as a text of `models.tokenization.pictures`.

Root element: `div.pi`, inside the block that `elem_id` names. `data-on` is "true" while the checkpoint reads
pictures: the page's style sheet then shows it instead of the text box. `data-ready` counts the drawings.
"""

from __future__ import annotations

import random
from dataclasses import asdict, dataclass
from typing import Any

from demo.widgets.view.view import View
from models.corpus.generated.shapes import (
    COLOURS,
    LARGE,
    PICTURE_SIZE,
    SHAPE_KINDS,
    SMALL,
    Shape,
    random_scene,
    render,
)
from models.tokenization.pictures import picture_text


@dataclass(frozen=True)
class PictureChoice:
    """The selected picture and those to choose from, each as a text."""

    picture: str
    examples: tuple[str, ...] = ()
    size: int = PICTURE_SIZE  # pixels on a side
    caption: str = ""  # a description of the picture, if it is known


class PictureInput(View):
    """Shows a PictureChoice, or nothing; the picture that a reader chooses or draws becomes its `picture`.

    Event `input`: the drawing has changed. Event `chosen`: there is another picture. The value comes from a
    browser, so check it.
    """

    def __init__(self, value: PictureChoice | None = None, *, elem_id: str, **options: Any) -> None:
        """`options` are those of `gr.HTML`; the template and the code are fixed."""
        super().__init__(
            "widgets/picture_input",
            value,
            events=("input", "chosen"),
            elem_id=elem_id,
            server_functions=[new_picture],
            colours={name: _css(colour) for name, colour in COLOURS.items()},
            kinds=list(SHAPE_KINDS),
            radii={
                "large": sum(LARGE) / 2 / PICTURE_SIZE,
                "small": sum(SMALL) / 2 / PICTURE_SIZE,
            },  # shares of a side
            **options,
        )

    def postprocess(self, value: PictureChoice | None) -> dict[str, Any] | None:
        """Convert the value for the browser."""
        return asdict(value) if isinstance(value, PictureChoice) else None


def new_picture(_: object = None) -> dict[str, Any]:
    """A random picture of shapes, its caption, and the movable shapes; the argument is not used."""
    rng = random.Random()
    scene = random_scene(rng)
    return {
        "picture": picture_text(render(scene, rng), PICTURE_SIZE),
        "caption": scene.caption,
        "shapes": [_scene_shape(shape) for shape in scene.shapes],
        "background": _css(scene.background),
    }


def _scene_shape(shape: Shape) -> dict[str, Any]:
    """A shape in the form of `scene.js`, whose lengths are shares of a side."""
    lengths = {name: getattr(shape, name) / PICTURE_SIZE for name in ("x", "y", "radius")}
    return {"kind": shape.kind, "colour": shape.colour, "tilt": shape.tilt, **lengths}


def _css(colour: tuple[int, int, int]) -> str:
    return "rgb({}, {}, {})".format(*colour)
