"""Pictures for tests: a hand-made trace of one, and a checkpoint with random weights that reads them."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import torch

from models.corpus.generated.shapes import PICTURE_SIZE, Scene, Shape, render
from models.decoding.decode import decode
from models.decoding.options import DecodingOptions
from models.decoding.trace import Attention, DecodingTrace, Token
from models.networks.architectures import build_model, network_dict
from models.networks.captioner.config import CaptionerConfig
from models.registry.checkpoint import Checkpoint, CheckpointConfig, save_checkpoint
from models.registry.registry import EXAMPLE, Registry
from models.tokenization.pictures import PictureGrid, picture_text
from models.tokenization.tokenizer import Tokenizer
from tests.fakes.traces import END, WITHIN, F, K, P, Spec, build_trace

SCENE = Scene((Shape("circle", "orange", 20, 24, 14), Shape("square", "blue", 50, 40, 8)))
GRID = PictureGrid(PICTURE_SIZE, 8)


def picture(scene: Scene = SCENE, size: int = PICTURE_SIZE) -> str:
    """Return a scene as a text."""
    return picture_text(render(scene, size=size), size)


def looking_at(x: float, y: float, sharpness: float) -> Attention:
    """Return attention that falls off around a point, in pixels."""
    step = PICTURE_SIZE / GRID.cells
    centers = [((column + 0.5) * step, (row + 0.5) * step) for row in range(8) for column in range(8)]
    heights = [math.exp(-sharpness * math.dist(center, (x, y)) ** 2 / PICTURE_SIZE) for center in centers]
    return ((tuple(height / sum(heights) for height in heights),),)


def picture_trace(scene: Scene = SCENE) -> DecodingTrace:
    """Return the trace of a captioner that looks at the shape of which it writes."""
    words = [*scene.caption.split(), "</s>"]
    steps: list[list[Spec]] = []
    for index, word in enumerate(words):
        before = 2 * (index - 1) if index else None
        ended = word == "</s>"
        steps.append(
            [
                (before, word, 0.9 - 0.03 * index, F if ended else K, END if ended else WITHIN),
                (before, "green", 0.02, P, WITHIN),
            ]
        )
    trace = build_trace(GRID.names, steps, [(2 * (len(words) - 1), True)])
    first, other = scene.shapes
    turn = words.index("of") if "of" in words else len(words) // 2
    shapes = [first if index <= turn else other for index in range(len(words))]
    attentions = [
        looking_at(shape.x, shape.y, 0.05 + 0.12 * (len(word) > 2))
        for word, shape in zip(words, shapes, strict=True)
    ]
    return replace(
        trace,
        source_text=picture(scene),
        source=tuple(Token(id=index, surface=name) for index, name in enumerate(GRID.names)),
        steps=tuple(
            replace(step, rows=tuple(replace(row, attention=attentions[step.index]) for row in step.rows))
            for step in trace
        ),
    )


def make_captioner(root: Path, name: str) -> tuple[str, ...]:
    """Write a checkpoint and return its examples."""
    other = Scene((Shape("star", "green", 32, 30, 15),))
    examples = (picture(), picture(other))
    tokenizer = Tokenizer.for_pictures(GRID, [SCENE.caption, other.caption], "word", 40)
    network = CaptionerConfig(channels=8, d_embed=8, d_model=8, d_attention=8)
    torch.manual_seed(1)
    config = CheckpointConfig(
        network=network_dict(network),
        vocab_size=tokenizer.vocab_size,
        task="shapes",
        source_language="",
        target_language="",
        examples=examples,
        max_length=8,
    )
    model = build_model(network, tokenizer.vocab_size, Tokenizer.pad_id)
    save_checkpoint(root / name, Checkpoint(name, config, tokenizer, model))
    loaded = Registry(root).load(name, torch.device("cpu"))
    trace = decode(loaded.model, loaded.tokenizer, examples[0], DecodingOptions(beam_size=3, max_length=8))
    (root / name / EXAMPLE).write_text(replace(trace, checkpoint=name).to_json(), encoding="utf-8")
    return examples
