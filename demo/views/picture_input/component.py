"""A picture to choose, to draw or to upload, as a text of `models.tokenization.pictures`.

Root element: `div.pi`, inside the block that `elem_id` names. `data-on` is "true" while the checkpoint reads
pictures: the page's style sheet shows this or the text box by it. `data-ready` counts the pictures drawn.
"""

from __future__ import annotations

import random
from dataclasses import asdict, dataclass
from typing import Any

from demo.views.shared.view import View
from models.corpus.generated.shapes import COLOURS, KINDS, LARGE, SIZE, SMALL, Shape, random_scene, render
from models.tokenization.pictures import picture_text


@dataclass(frozen=True)
class PictureChoice:
    """The picture on show and those to choose from, each as a text."""

    picture: str
    examples: tuple[str, ...] = ()
    size: int = SIZE  # pixels on a side
    caption: str = ""  # what was drawn, where that is known


class PictureInput(View):
    """Shows a PictureChoice, or nothing; what a reader chooses or draws becomes its `picture`.

    Event `input`: drawn by hand, piece by piece. Event `chosen`: another picture altogether. The value comes
    from a browser, so check it.
    """

    def __init__(self, value: PictureChoice | None = None, *, elem_id: str, **options: Any) -> None:
        """`options` are those of `gr.HTML`; the template and the code are fixed."""
        super().__init__(
            "picture_input",
            value,
            events=("input", "chosen"),
            elem_id=elem_id,
            server_functions=[new_picture],
            colours={name: _css(colour) for name, colour in COLOURS.items()},
            kinds=list(KINDS),
            radii={"large": sum(LARGE) / 2 / SIZE, "small": sum(SMALL) / 2 / SIZE},  # shares of a side
            **options,
        )

    def preprocess(self, payload: Any) -> Any:
        """As it came: from a browser, so check it."""
        return payload

    def postprocess(self, value: PictureChoice | None) -> dict[str, Any] | None:
        """As the browser reads it."""
        return asdict(value) if isinstance(value, PictureChoice) else None

    def api_info(self) -> dict[str, Any]:
        """What the client library says of the value."""
        return {"type": "object", "description": "picture, a PNG as a data URL; examples; size; caption"}


def new_picture(_: object = None) -> dict[str, Any]:
    """A random picture of shapes, its caption, and the shapes, which can be moved; its argument is empty."""
    rng = random.Random()
    scene = random_scene(rng)
    return {
        "picture": picture_text(render(scene, rng), SIZE),
        "caption": scene.caption,
        "shapes": [_drawn(shape) for shape in scene.shapes],
        "background": _css(scene.background),
    }


def _drawn(shape: Shape) -> dict[str, Any]:
    """As `scene.js` has it: lengths are shares of a side."""
    lengths = {name: getattr(shape, name) / SIZE for name in ("x", "y", "radius")}
    return {"kind": shape.kind, "colour": shape.colour, "tilt": shape.tilt, **lengths}


def _css(colour: tuple[int, int, int]) -> str:
    return "rgb({}, {}, {})".format(*colour)
