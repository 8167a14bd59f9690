"""Where public corpora lie and come from, as whoever runs the program says."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from models.environment.kinds import Folder, Text
from models.environment.places import cache_folder
from models.environment.variables import variable


def _default_root() -> Path:
    return cache_folder("corpora")


@dataclass(frozen=True)
class CorpusSettings:
    """The folder of all corpora, and a mirror."""

    root: Path = variable(
        "UNROLLED_CORPORA",
        Folder(),
        "where downloaded corpora lie",
        make=_default_root,
        told="`~/.cache/unrolled/corpora` or its like",
    )
    # The address of a folder with all the published files under their names; "" for their publishers.
    mirror: str = variable("UNROLLED_CORPORA_URL", Text("URL"), "a mirror of the publishers' files", "")
