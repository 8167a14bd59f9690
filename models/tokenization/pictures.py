"""Pictures as texts and as the pixels that a network reads. Imports no torch.

A picture is sent as a text, a PNG in a `data:` URL (RFC 2397), so that it can be used wherever a source can.
"""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

from models.errors import Message, UnrolledError
from models.setting import Setting

if TYPE_CHECKING:  # NumPy and Pillow are imported when there is a picture
    import numpy as np
    from numpy.typing import NDArray
    from PIL.Image import Image

PICTURE_PREFIX = "data:image/png;base64,"
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"  # the header follows: length, name, width, height
MAX_PICTURE_CHARACTERS = 65_536  # characters of the text
BACKGROUND = (255, 255, 255)  # the colour of transparent pixels

NO_BASE64 = Message(
    "picture_no_base64", "The picture cannot be read: it is not base64. Pick or draw another."
)

DAMAGED = Message(
    "picture_damaged", "The picture cannot be read: it is not a PNG, or it is damaged. Pick or draw another."
)


class PictureError(UnrolledError, ValueError):
    """A text that is not a picture, or one of another size; the message says what to do."""


@dataclass(frozen=True)
class PictureGrid:
    """A square picture and the square cells of it that attention can look at."""

    size: int  # pixels on a side
    cells: int  # cells on a side; size is a multiple of it

    def __post_init__(self) -> None:
        for name in ("size", "cells"):
            Setting(low=1, high=512, default=1).check(getattr(self, name), PictureError, name)
        if self.size % self.cells:
            raise PictureError(
                "picture_cells_do_not_fit",
                "size must be a multiple of cells; got {size}, {cells}",
                size=self.size,
                cells=self.cells,
            )

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the cells, row by row: "1,1" is at the top left, row first."""
        return tuple(
            f"{row},{column}" for row in range(1, self.cells + 1) for column in range(1, self.cells + 1)
        )

    def pixels(self, text: str) -> NDArray[np.int32]:
        """Read the colours (size * size,) as 0xRRGGBB, row by row. Raises PictureError."""
        import numpy as np

        colours = np.asarray(read_picture(text, self.size), dtype=np.int32).reshape(-1, 3)
        packed: NDArray[np.int32] = colours @ np.array((1 << 16, 1 << 8, 1), dtype=np.int32)
        return packed


def too_long(text: str) -> Message:
    """The sentence for a text that is longer than any picture."""
    return Message(
        "picture_too_long",
        "The picture has {count} characters; at most {limit} are read. Pick or draw another.",
        count=f"{len(text):,}",
        limit=f"{MAX_PICTURE_CHARACTERS:,}",
    )


def read_picture(text: str, size: int) -> Image:
    """The RGB picture of a text. Raises PictureError unless it is a PNG of `size` x `size` pixels."""
    from PIL import Image

    if not text.startswith(PICTURE_PREFIX):
        raise PictureError("no_picture", "This checkpoint reads pictures, not texts. Pick or draw one.")
    if len(text) > MAX_PICTURE_CHARACTERS:
        raise PictureError(too_long(text))
    try:
        content = base64.b64decode(text[len(PICTURE_PREFIX) :], validate=True)
    except ValueError as error:  # binascii.Error is one
        raise PictureError(NO_BASE64) from error
    # Checked before Pillow reads it: a few bytes may describe a picture that fills the memory.
    width, height = (int.from_bytes(content[start : start + 4], "big") for start in (16, 20))
    if content.startswith(PNG_SIGNATURE) and (width, height) != (size, size):
        raise PictureError(
            "picture_size",
            "The picture must have {side} x {other} pixels; it has {width} x {height}.",
            side=size,
            other=size,
            width=width,
            height=height,
        )
    try:
        with Image.open(io.BytesIO(content), formats=("PNG",)) as image:
            return on_white(image)
    except Exception as error:  # Pillow raises many kinds of errors for damaged files
        raise PictureError(DAMAGED) from error


def picture_text(image: Image, size: int) -> str:
    """A picture of any size as a text: cut to its middle square, on white, shrunk or enlarged to `size`."""
    from PIL import Image as Images
    from PIL import ImageOps

    square = ImageOps.fit(on_white(image), (size, size), Images.Resampling.BOX)
    buffer = io.BytesIO()
    square.save(buffer, "PNG")
    return PICTURE_PREFIX + base64.b64encode(buffer.getvalue()).decode("ascii")


def on_white(image: Image) -> Image:
    """The picture in red, green and blue, on white where it is transparent."""
    from PIL import Image as Images

    if image.mode.startswith("I"):  # grey of 16 bits, which Pillow would cut off at 255
        image = image.point(lambda value: value / 257).convert("L")
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        layer = image.convert("RGBA")
        image = Images.alpha_composite(Images.new("RGBA", layer.size, (*BACKGROUND, 255)), layer)
    return image.convert("RGB")
