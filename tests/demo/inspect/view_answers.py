"""Asks a view of Inspect as the page does, of a checkpoint that ships or of a tiny network."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import torch

from demo.inspect.view import Inspected, InspectView, OtherCheckpoints
from demo.widgets.answers.content import Content
from models.decoding.decode import decode
from models.decoding.options import DecodingOptions
from models.inspection.question import ExplainedPrediction, Question
from models.networks.packed import pack_linears
from models.registry.checkpoint import Checkpoint
from models.registry.registry import Registry
from tests.documents import ROOT

TEXT = "Mi hermana quiere comprar una casa cerca del mar en el verano."  # twelve words


@cache
def shipped(name: str) -> Checkpoint:
    """A shipped checkpoint with packed weights, as on the page."""
    checkpoint = Registry(ROOT / "checkpoints").load(name, torch.device("cpu"))
    pack_linears(checkpoint.model)
    return checkpoint


def inspected(
    name: str = "spa-eng-transformer",
    text: str = TEXT,
    step: int = 3,
    options: Mapping[str, object] | None = None,
    rival: int | None = None,
) -> Inspected:
    """A step of the best greedy output."""
    checkpoint = shipped(name)
    trace = decode(checkpoint.model, checkpoint.tokenizer, text, DecodingOptions("greedy"))
    return inspected_step(checkpoint, text, trace.hypotheses[0].token_ids, step, options, rival)


def inspected_step(
    checkpoint: Any,
    text: str,
    output: tuple[int, ...],
    step: int,
    options: Mapping[str, object] | None = None,
    rival: int | None = None,
) -> Inspected:
    """A step of any output."""
    tokenizer = checkpoint.tokenizer
    source, prefix = tuple(tokenizer.encode(text).ids), (tokenizer.bos_id, *output[:step])
    with torch.inference_mode():
        prediction = ExplainedPrediction(
            checkpoint.model, Question(source, prefix, output[step], rival, tokenizer.unk_id)
        )
    others = OtherCheckpoints((), shipped, lambda name: shipped(name).config)
    return Inspected(
        checkpoint, prediction, output, text, others, checkpoint.name, options=dict(options or {})
    )


def answer(view: InspectView, question: Inspected) -> Content:
    """The content of a view for a question, as the page gets it."""
    with torch.inference_mode():
        return view.compute(question)
