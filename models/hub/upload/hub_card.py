"""The README of a checkpoint on the Hub: its card, followed by how to load it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from models.hub.errors import HubError
from models.hub.listing.repository import check_repo_id
from models.registry.card import CARD, read_header

HEADING = "## Load it"
LOADING_TEXT = f"""
{HEADING}

```python
from models.hub.pretrained import from_pretrained
checkpoint = from_pretrained("REPO_ID")
```

in a copy of the program; or type `REPO_ID` into its Checkpoints tab, and watch it decode.
"""


def card_for_hub(folder: Path, repo_id: str) -> str:
    """The README.md of `repo_id`: the completed header, the text, and how to load it.

    Raises HubError if the card cannot be read.
    """
    repo_id = check_repo_id(repo_id)
    try:
        header, body = read_header(folder)
        if not isinstance(header, Mapping):
            raise ValueError("the header is not a mapping")
    except (OSError, ValueError) as error:
        raise HubError(
            "push_without_card",
            "this checkpoint has no {file} that can be read: finish its training first",
            file=CARD,
        ) from error
    metadata = yaml.safe_dump(_metadata(header), sort_keys=False, allow_unicode=True)
    body = body.split(f"\n{HEADING}\n")[0].rstrip()  # a checkpoint from the Hub has these lines already
    return f"---\n{metadata}---\n{body}\n{LOADING_TEXT.replace('REPO_ID', repo_id)}"


def _metadata(header: Mapping[str, Any]) -> dict[str, Any]:
    """The header with the keys by which the Hub sorts: the program, and the task of translation."""
    tags = [tag for tag in header.get("tags") or () if isinstance(tag, str)]
    entries = header.get("unrolled")
    translates = isinstance(entries, Mapping) and entries.get("task") in ("translation", "files")
    result = {"license": "other", "library_name": "unrolled", **header}
    if translates:
        result.setdefault("pipeline_tag", "translation")
    return {**result, "tags": list(dict.fromkeys([*tags, "unrolled", "seq2seq"]))}
