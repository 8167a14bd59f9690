"""The scores of a checkpoint on a list of pairs, and its attention compared with the right alignment."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from models.corpus.generated.shapes import COLOURS, SHAPE_KINDS, Scene, Shape, render
from models.corpus.pairs import Pair, by_source
from models.decoding.options import DecodingOptions
from models.decoding.outputs import translate
from models.decoding.trace import Attention, BeamNode, DecodingTrace
from models.evaluation.run import target_ids
from models.evaluation.text_scores import perplexity, score_texts
from models.metrics.bootstrap import Metrics, measure
from models.registry.checkpoint import Checkpoint
from models.tokenization.pictures import BACKGROUND, PictureGrid

SOLID_COLOUR = "blue"  # its red value is far from that of white, so half-covered pixels can be recognised


@dataclass(frozen=True)
class Scores:
    """The scores of a checkpoint, with the settings that they depend on."""

    checkpoint: str
    strategy: str
    sources: int  # distinct source texts
    references: int
    source_tokens: int  # tokens with end tokens, or cells if the checkpoint reads pictures
    reference_tokens: int
    metrics: Metrics
    perplexity: float  # per reference token, teacher forced, end token included
    seconds: float  # seconds of decoding


def evaluate(checkpoint: Checkpoint, pairs: Sequence[Pair], options: DecodingOptions) -> Scores:
    """Decode every distinct source once and score it against all of its references."""
    grouped, tokenizer, language = by_source(pairs), checkpoint.tokenizer, checkpoint.config.target_language
    started = time.perf_counter()
    outputs = translate(checkpoint.model, tokenizer, list(grouped), options, language=language)
    seconds = time.perf_counter() - started
    sources = tokenizer.encode_ids([source for source, _ in pairs])
    grid = tokenizer.picture
    lengths = {
        text: grid.cells**2 if grid else len(ids) for (text, _), ids in zip(pairs, sources, strict=True)
    }
    targets = target_ids(tokenizer, [reference for _, reference in pairs])
    return Scores(
        checkpoint=checkpoint.name,
        strategy=options.strategy,
        sources=len(grouped),
        references=len(pairs),
        source_tokens=sum(lengths.values()),
        reference_tokens=sum(map(len, targets)),
        metrics=measure(outputs, list(grouped.values()), language),
        perplexity=perplexity(score_texts(checkpoint.model, sources, targets, tokenizer)),
        seconds=seconds,
    )


def anti_diagonal_share(traces: Iterable[DecodingTrace]) -> float:
    """The percentage of steps whose strongest source position mirrors the target position.

    It is 100 for perfect attention in a task that reverses the source. Steps are those of the best hypotheses
    without end tokens; attention is the mean over layers and heads. Raises ValueError if
    there are no steps.
    """
    hits, steps = 0, 0
    for trace in traces:
        letters = len(trace.source) - 1  # without the end token
        for node in trace.path(trace.hypotheses[0].node)[:letters]:
            heads = [head for layer in _attention(trace, node) for head in layer]
            mean = [sum(column) for column in zip(*heads, strict=True)]
            hits += mean.index(max(mean)) == letters - 1 - node.step
            steps += 1
    if not steps:
        raise ValueError("there is no step to measure")
    return 100 * hits / steps


@dataclass(frozen=True)
class ShapeAttention:
    """The attention of a captioner while it names a shape, over captions that are right."""

    peak_on_shape: float  # per cent of steps whose strongest cell touches the shape
    weight_on_shape: float  # per cent of the attention, on cells that touch the shape
    chance: float  # per cent of cells that touch the shape: the result of random attention


def shape_attention(
    captions: Iterable[tuple[DecodingTrace, Scene]], grid: PictureGrid
) -> ShapeAttention | None:
    """Measure attention at each step that writes the word for a shape; None if no caption is right."""
    rows = []
    for trace, scene in captions:
        best = trace.hypotheses[0]
        if best.text != scene.caption:
            continue
        nodes = [node for node in trace.path(best.node) if node.token in SHAPE_KINDS]
        for node, shape in zip(nodes, scene.named, strict=True):
            weights = np.array(_attention(trace, node)).mean(axis=(0, 1)).reshape(grid.cells, grid.cells)
            touched = _cells_of(shape, grid)
            peak = touched.reshape(-1)[int(weights.argmax())]
            rows.append((float(peak), float(weights[touched].sum()), float(touched.mean())))
    if not rows:
        return None
    return ShapeAttention(*(100 * np.array(rows).mean(axis=0)).tolist())


def _attention(trace: DecodingTrace, node: BeamNode) -> Attention:
    """The attention (L, H, S) of the step that chose `node`.

    Raises ValueError for a network without attention.
    """
    attention = trace.row(node).attention
    if attention is None:
        raise ValueError(f"checkpoint {trace.checkpoint!r} has no attention to measure")
    return attention


def _cells_of(shape: Shape, grid: PictureGrid) -> NDArray[np.bool_]:
    """The mask (cells, cells) of cells in which at least one pixel is more than half covered by the shape."""
    picture = Scene((replace(shape, colour=SOLID_COLOUR),), BACKGROUND)
    pixels: NDArray[np.int64] = np.asarray(render(picture, size=grid.size), dtype=np.int64)
    covered = pixels[:, :, 0] < (255 + COLOURS[SOLID_COLOUR][0]) / 2
    width = grid.size // grid.cells
    blocks = covered.reshape(grid.cells, width, grid.cells, width)
    return np.asarray(blocks.any(axis=(1, 3)), dtype=np.bool_)
