"""`python -m tests.demo.static [CHECKPOINT ...]` compares the JavaScript decoder with the library.

The sources are all examples of a checkpoint, the texts that lessons decode with it, and extremes.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from demo.learn.lessons import lessons
from models.decoding.limits import MAX_SOURCE_TOKENS
from models.registry.registry import Registry
from tests.demo.static.decodings import (
    AWKWARD,
    CHECKPOINTS,
    Case,
    by_library,
    checkpoint,
    difference,
    in_javascript,
    interventions,
    largest_difference,
    searches,
)

HEADINGS = ("checkpoint", "sources", "cases", "other traces", "largest difference")
LONG_WORDS = 40


def main(names: Sequence[str]) -> None:
    """Print a line for each checkpoint, and the cases whose traces differ."""
    print(("{:22}" + "{:>20}" * 4).format(*HEADINGS))
    differing: list[str] = []
    for name in names or Registry(CHECKPOINTS).names():
        texts = sources(name)
        cases = [case for text in texts for case in cases_of(name, text)]
        with tempfile.TemporaryDirectory() as folder:
            results = in_javascript(name, cases, Path(folder))
        largest, others = compare(name, cases, results)
        print(f"{name:22}{len(texts):20}{len(cases):20}{len(others):20}{largest:20.1e}", flush=True)
        differing += others
    print("\n".join(differing))


def sources(name: str) -> list[str]:
    """The texts that a checkpoint decodes, each once."""
    config = checkpoint(name).config
    states = [dict(parse_qsl(step.state)) for lesson in lessons() for step in lesson.steps]
    taught = [state["text"] for state in states if state.get("checkpoint") == name and "text" in state]
    extremes = [] if config.reads_pictures else [AWKWARD, config.examples[0][:1], long_text(name)]
    return list(dict.fromkeys([*config.examples, *taught, *extremes]))


def long_text(name: str) -> str:
    """The first example repeated up to 40 words or the limit of the checkpoint."""
    loaded = checkpoint(name)
    words = loaded.config.examples[0].split()
    text = " ".join((words * LONG_WORDS)[:LONG_WORDS])
    limit = loaded.model.max_positions or MAX_SOURCE_TOKENS
    while len(loaded.tokenizer.encode(text).tokens) > limit and " " in text:
        text = text.rpartition(" ")[0]
    return text


def cases_of(name: str, text: str) -> Iterator[Case]:
    """Every search, and the edits of an example."""
    yield from searches(name, text)
    if text in checkpoint(name).config.examples:
        yield from interventions(name, text)


def compare(name: str, cases: Sequence[Case], results: Sequence[dict[str, Any]]) -> tuple[float, list[str]]:
    """The largest difference of equal traces, and a line for each trace that differs."""
    largest, others = 0.0, []
    for case, result in zip(cases, results, strict=True):
        expected = by_library(name, case)
        message = difference(expected, result)
        if message:
            others.append(f"{name}, {case.options.strategy}, {case.text[:30]!r}: {message}")
        else:
            largest = max(largest, largest_difference(expected, result))
    return largest, others


if __name__ == "__main__":
    main(sys.argv[1:])
