"""A process that downloads one snapshot, so that it can be stopped at any moment; see `fetch`.

It reads the request as a line of JSON. It ends when its input ends, since then the process that sent it has
died. It writes nothing but one message as JSON if the download fails.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import Any

from models.hub.errors import explain

WRITE_BYTES = 1 << 14  # written at once; the growing file is the only sign of progress


def main() -> int:
    """Return 0 when all files are there, or 1 after a message on standard output."""
    request: dict[str, Any] = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_input, daemon=True).start()
    try:
        from huggingface_hub import constants, snapshot_download

        constants.DOWNLOAD_CHUNK_SIZE = WRITE_BYTES
        snapshot_download(
            request["repo_id"],
            revision=request["commit"],
            allow_patterns=request["names"],
            local_dir=request["folder"],
            cache_dir=request["cache"],  # the cache that all programs share may have a damaged file
            endpoint=request["endpoint"],
            token=False,
            max_workers=4,
        )
    except Exception as error:
        json.dump(explain(error, request["repo_id"]).to_dict(), sys.stdout)
        return 1
    return 0


def _end_with_input() -> None:
    sys.stdin.read()
    os._exit(2)


if __name__ == "__main__":
    sys.exit(main())
