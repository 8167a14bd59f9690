"""Model cards: the README of a checkpoint folder, readable without its weights."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

CARD = "README.md"
NO_CHAPTER = "other"
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml where it is there: ten times as fast


class CheckpointError(RuntimeError):
    """A checkpoint that cannot be used; the message names the file and what to do."""

    def __init__(self, name: str, file: str, problem: str, remedy: str | None = None) -> None:
        remedy = remedy or f"Restore it with `git checkout -- checkpoints/{name}`, or copy the folder again."
        super().__init__(f"Checkpoint {name!r}: {file} {problem}. {remedy}")
        self.file = file


@dataclass(frozen=True)
class Metric:
    """One measured figure."""

    name: str  # "BLEU", "exact match", ...
    value: float
    dataset: str


@dataclass(frozen=True)
class CheckpointCard:
    """What a person wants to know before choosing a checkpoint."""

    name: str
    summary: str  # one sentence
    task: str
    architecture: str  # "bidirectional GRU, additive attention"
    languages: tuple[str, ...]
    licence: str  # SPDX, of the weights
    data: str  # what it was trained on
    parameters: int
    bytes: int  # of the weights on disk
    metrics: tuple[Metric, ...]
    body: str  # the Markdown under the metadata
    chapter: str = NO_CHAPTER  # of the story that the checkpoints tell: "toys", "attention", ...
    lesson: str = ""  # one sentence: what this checkpoint shows that others do not


def read_card(folder: Path) -> CheckpointCard:
    """Read the YAML header and text of a Hub model card. Raises CheckpointError."""
    try:
        text = (folder / CARD).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CheckpointError(folder.name, CARD, f"cannot be read ({error})") from error
    try:
        _, header, body = re.split(r"^---\n", text, maxsplit=2, flags=re.MULTILINE)
        metadata = yaml.load(header, LOADER)
        return _card(folder, metadata, body.strip())
    except (ValueError, KeyError, TypeError, yaml.YAMLError) as error:
        raise CheckpointError(folder.name, CARD, f"has no usable metadata ({error!r})") from error


def _card(folder: Path, metadata: dict[str, Any], body: str) -> CheckpointCard:
    # `unrolled` is our own key; the Hub ignores keys that it does not know.
    own, languages = metadata["unrolled"], metadata.get("language") or ()
    return CheckpointCard(
        name=folder.name,
        summary=own["summary"],
        task=own["task"],
        architecture=own["architecture"],
        languages=(languages,) if isinstance(languages, str) else tuple(languages),
        licence=metadata["license"],
        data=own["data"],
        parameters=int(own["parameters"]),
        bytes=int(own["bytes"]),
        metrics=tuple(
            Metric(metric["name"], float(metric["value"]), result["dataset"]["name"])
            for index in metadata.get("model-index", ())
            for result in index["results"]
            for metric in result["metrics"]
        ),
        body=body,
        chapter=str(own.get("chapter") or NO_CHAPTER),
        lesson=str(own.get("lesson") or ""),
    )
