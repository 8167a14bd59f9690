"""A process of its own that downloads one snapshot, so that it can be stopped at any moment: see `fetch`.

Reads the order as a line of JSON and ends when its input does, which is when whoever ordered has died.
Writes one message about what went wrong, as JSON, and nothing else.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import Any

from models.hub.errors import explain

PIECE = 1 << 14  # bytes that are written at once: growth of the file is the only sign of life


def main() -> int:
    """0 when all files are there; 1 with a message on standard output."""
    order: dict[str, Any] = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_input, daemon=True).start()
    try:
        from huggingface_hub import constants, snapshot_download

        constants.DOWNLOAD_CHUNK_SIZE = PIECE
        snapshot_download(
            order["repo_id"],
            revision=order["commit"],
            allow_patterns=order["names"],
            local_dir=order["folder"],
            cache_dir=order["cache"],  # or a damaged file in the cache that all programs share would do
            endpoint=order["endpoint"],
            token=False,
            max_workers=4,
        )
    except Exception as error:
        json.dump(explain(error, order["repo_id"]).to_dict(), sys.stdout)
        return 1
    return 0


def _end_with_input() -> None:
    sys.stdin.read()
    os._exit(2)


if __name__ == "__main__":
    sys.exit(main())
