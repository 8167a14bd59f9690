"""Settings of public corpora: their folder and their mirror."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from models.environment.places import cache_variable
from models.environment.variables import variable


@dataclass(frozen=True)
class CorpusSettings:
    """The folder of all corpora, and a mirror."""

    root: Path = cache_variable("UNROLLED_CORPORA", "corpora", "where downloaded corpora are stored")
    # The address of a folder with all the published files under their names; "" for their publishers.
    mirror: str = variable("UNROLLED_CORPORA_URL", "a mirror of the publishers' files", "", sort="a URL")
