"""Pictures as texts: a picture is restored from its text, and no other text is taken for a picture."""

from __future__ import annotations

import base64
import io
import zlib

import numpy as np
import pytest
from PIL import Image

from models.tokenization.pictures import (
    MAX_PICTURE_CHARACTERS,
    PICTURE_PREFIX,
    PNG_SIGNATURE,
    PictureError,
    PictureGrid,
    picture_text,
    read_picture,
)
from tests.refusals import Refusal, refused


def noise(size: int, mode: str = "RGB") -> Image.Image:
    rng = np.random.default_rng(0)
    return Image.fromarray(rng.integers(0, 256, (size, size, len(mode)), dtype=np.uint8), mode)


def as_text(image: Image.Image, kind: str = "PNG") -> str:
    buffer = io.BytesIO()
    image.save(buffer, kind)
    return PICTURE_PREFIX + base64.b64encode(buffer.getvalue()).decode()


def test_a_picture_survives_being_a_text() -> None:
    image = noise(8)
    assert np.array_equal(np.asarray(read_picture(picture_text(image, 8), 8)), np.asarray(image))


def test_pixels_are_packed_row_by_row() -> None:
    image = Image.new("RGB", (2, 2))
    for index, colour in {
        (0, 0): (255, 0, 0),
        (1, 0): (0, 255, 0),
        (0, 1): (1, 2, 3),
        (1, 1): (0, 0, 7),
    }.items():
        image.putpixel(index, colour)
    pixels = PictureGrid(2, 1).pixels(picture_text(image, 2))
    assert pixels.tolist() == [0xFF0000, 0x00FF00, 0x010203, 0x000007]


def test_cells_are_named_by_row_then_column() -> None:
    assert PictureGrid(8, 2).names == ("1,1", "1,2", "2,1", "2,2")


def test_a_picture_of_another_size_is_cropped_to_its_middle_and_shrunk() -> None:
    image = Image.new("RGB", (16, 8), "blue")
    image.paste((255, 0, 0), (4, 0, 12, 8))  # the middle square
    assert np.asarray(read_picture(picture_text(image, 4), 4)).tolist() == [[[255, 0, 0]] * 4] * 4


def test_transparent_pixels_become_white() -> None:
    clear = Image.new("RGBA", (4, 4), (255, 0, 0, 0))
    assert np.asarray(read_picture(picture_text(clear, 4), 4)).min() == 255


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("hello", ("no_picture",)),
        ("data:image/svg+xml;base64,AAAA", ("no_picture",)),
        (PICTURE_PREFIX, ("picture_damaged",)),
        (PICTURE_PREFIX + "!!!!", ("picture_no_base64",)),
        (PICTURE_PREFIX + "é", ("picture_no_base64",)),
        (PICTURE_PREFIX + "AAAA", ("picture_damaged",)),
        (PICTURE_PREFIX + "A" * MAX_PICTURE_CHARACTERS, ("picture_too_long", "65,536")),
        (as_text(noise(8), "BMP"), ("picture_damaged",)),
        (as_text(noise(8))[:-60], ("picture_damaged",)),
        (as_text(noise(9)), ("picture_size", 8, 9)),
    ],
)
def test_an_invalid_picture_is_refused(text: str, refusal: Refusal) -> None:
    with refused(PictureError, *refusal):
        PictureGrid(8, 2).pixels(text)


def test_a_picture_with_huge_stated_size_is_refused_before_unpacking() -> None:
    claimed = bytearray(base64.b64decode(as_text(noise(8))[len(PICTURE_PREFIX) :]))
    claimed[16:24] = (60_000).to_bytes(4, "big") * 2  # width and height in the header
    with pytest.raises(PictureError):
        PictureGrid(8, 2).pixels(PICTURE_PREFIX + base64.b64encode(claimed).decode())


@pytest.mark.parametrize(("size", "cells"), [(0, 1), (8, 3), (8, 0), (True, 1), (1024, 8), ("8", 2)])
def test_a_grid_that_does_not_divide_its_picture_is_refused(size: int, cells: int) -> None:
    with refused(PictureError, ("not_whole_within", "picture_cells_do_not_fit")):
        PictureGrid(size, cells)


def header(width: int, height: int) -> bytes:
    """A PNG that ends after its header, which states the size."""
    data = b"IHDR" + width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes([8, 2, 0, 0, 0])
    return PNG_SIGNATURE + (13).to_bytes(4, "big") + data + zlib.crc32(data).to_bytes(4, "big")


def with_chunk(image: Image.Image, name: bytes, content: bytes) -> str:
    """The picture with one more chunk behind its pixels."""
    png = base64.b64decode(as_text(image)[len(PICTURE_PREFIX) :])
    chunk = len(content).to_bytes(4, "big") + name + content + zlib.crc32(name + content).to_bytes(4, "big")
    return PICTURE_PREFIX + base64.b64encode(png[:-12] + chunk + png[-12:]).decode()


@pytest.mark.parametrize("size", [60_000, 2**31 - 1])
def test_a_header_with_huge_stated_size_is_refused(size: int) -> None:
    claim = PICTURE_PREFIX + base64.b64encode(header(size, size)).decode()
    with refused(PictureError, "picture_size", size, size):
        PictureGrid(8, 2).pixels(claim)


@pytest.mark.parametrize("name", [b"gAMA", b"cHRM", b"tRNS", b"zTXt", b"iCCP"])
def test_a_broken_chunk_after_the_pixels_is_tolerated_or_refused(name: bytes) -> None:
    try:
        pixels = PictureGrid(8, 2).pixels(with_chunk(noise(8), name, b"\x00"))
    except PictureError:
        return
    assert pixels.shape == (64,)


def test_an_uploaded_transparent_picture_becomes_white() -> None:
    assert set(PictureGrid(4, 2).pixels(as_text(Image.new("RGBA", (4, 4), (9, 9, 9, 0))))) == {0xFFFFFF}


def test_grey_of_16_bits_keeps_its_shade() -> None:
    grey = Image.fromarray(np.full((4, 4), 0x8000, dtype=np.uint16))
    [shade] = set(PictureGrid(4, 2).pixels(as_text(grey)).tolist())
    assert shade in (0x7F7F7F, 0x808080)
