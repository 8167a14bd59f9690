"""The stored trace of a checkpoint's first example, which the page shows before any weights are loaded."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from models.decoding.decode import decode, decode_beside_greedy
from models.decoding.options import DecodingOptions
from models.decoding.trace import DecodingTrace
from models.registry.checkpoint import Checkpoint
from models.registry.registry import EXAMPLE
from models.whole_file import write_whole


def write_example(folder: Path, checkpoint: Checkpoint) -> DecodingTrace:
    """Decode the first example at beam 4 and write `example.json`; the checkpoint must have one."""
    search = partial(decode, checkpoint.model, checkpoint.tokenizer, checkpoint.config.examples[0])
    options = DecodingOptions(max_length=checkpoint.config.max_length)
    trace = checkpoint.sign(decode_beside_greedy(search, options))
    write_whole(folder / EXAMPLE, trace.to_json() + "\n")
    return trace
