"""The stored trace of a checkpoint's first example, which the page shows before any weights are loaded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from models.decoding.decode import decode
from models.decoding.options import DecodingOptions
from models.decoding.trace import DecodingTrace
from models.registry.checkpoint import Checkpoint
from models.registry.registry import EXAMPLE


def write_example(folder: Path, checkpoint: Checkpoint) -> DecodingTrace:
    """Decode the first example at beam 4 and write `example.json`; the checkpoint must have one."""
    trace = decode(
        checkpoint.model,
        checkpoint.tokenizer,
        checkpoint.config.examples[0],
        DecodingOptions(max_length=checkpoint.config.max_length),
    )
    trace = replace(trace, checkpoint=checkpoint.name)
    partial = folder / f"{EXAMPLE}.partial"
    partial.write_text(trace.to_json() + "\n", encoding="utf-8")
    partial.replace(folder / EXAMPLE)
    return trace
