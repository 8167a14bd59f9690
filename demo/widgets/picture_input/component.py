"""A picture to choose, to draw or to upload, as a text of `models.tokenization.pictures`.

Root element: `div.pi`, inside the block that `elem_id` names. `data-on` is "true" while the checkpoint reads
pictures: the page's style sheet then shows it instead of the text box. `data-ready` counts the drawings.
"""

from __future__ import annotations

import random
from dataclasses import asdict, dataclass
from typing import Any

import gradio as gr

from demo.server.events import PRIVATE
from demo.widgets.view.view import View
from models.corpus.generated import shapes
from models.registry.checkpoint import CheckpointConfig
from models.tokenization.pictures import picture_text

# The text of the source; empty without a picture.
AS_TEXT = "(value) => value?.picture ?? ''"
AS_TEXT_AND_CAPTION = "(value) => [value?.picture ?? '', value?.caption ?? '']"
MAX_EXAMPLES = 6


@dataclass(frozen=True)
class PictureChoice:
    """The selected picture and those to choose from, each as a text."""

    picture: str
    examples: tuple[str, ...] = ()
    size: int = shapes.PICTURE_SIZE  # pixels on a side
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
            colours={name: _css(colour) for name, colour in shapes.COLOURS.items()},
            kinds=list(shapes.SHAPE_KINDS),
            radii={  # shares of a side
                size: sum(bounds) / 2 / shapes.PICTURE_SIZE
                for size, bounds in (("large", shapes.LARGE), ("small", shapes.SMALL))
            },
            **options,
        )

    def postprocess(self, value: PictureChoice | None) -> dict[str, Any] | None:
        """Convert the value for the browser."""
        return asdict(value) if isinstance(value, PictureChoice) else None


def new_picture(_: object = None) -> dict[str, Any]:
    """A random picture of shapes, its caption, and the movable shapes; the argument is not used."""
    rng = random.Random()
    scene = shapes.random_scene(rng)
    return {
        "picture": picture_text(shapes.render(scene, rng), shapes.PICTURE_SIZE),
        "caption": scene.caption,
        "shapes": [_scene_shape(shape) for shape in scene.shapes],
        "background": _css(scene.background),
    }


def _scene_shape(shape: shapes.Shape) -> dict[str, Any]:
    """A shape in the form of `scene.js`, whose lengths are shares of a side."""
    lengths = {name: getattr(shape, name) / shapes.PICTURE_SIZE for name in ("x", "y", "radius")}
    return {"kind": shape.kind, "colour": shape.colour, "tilt": shape.tilt, **lengths}


def _css(colour: tuple[int, int, int]) -> str:
    return "rgb({}, {}, {})".format(*colour)


def picture_choice(config: CheckpointConfig, picture: str | None = None) -> PictureChoice | None:
    """The pictures of a checkpoint, with its first example or `picture` selected; None if it reads texts."""
    if not config.reads_pictures:
        return None
    examples = config.examples[:MAX_EXAMPLES]
    first = picture if picture is not None else next(iter(examples), "")
    return PictureChoice(first, examples, int(config.network.get("picture_size", 64)))


def become_source(
    picture: PictureInput, text: gr.Textbox, caption: gr.Textbox | None = None
) -> gr.events.Dependency:
    """Wire a drawn or chosen picture to become the source; returns the event of a choice.

    The browser alone does so. `caption` receives the description of the picture, which is empty if none is
    known.
    """
    outputs = [text] if caption is None else [text, caption]
    wiring: dict[str, Any] = {
        "fn": None,
        "inputs": picture,
        "outputs": outputs,
        "js": AS_TEXT if caption is None else AS_TEXT_AND_CAPTION,
        **PRIVATE,
    }
    picture.input(**wiring)
    choice: gr.events.Dependency = picture.chosen(**wiring)
    return choice
