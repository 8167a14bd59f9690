"""`python -m models.registry NAME`: decode a checkpoint's first example and store its trace beside it.

A folder of `save_pretrained` first becomes a checkpoint of the folder's name, which the page lists.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

import torch

from models.errors import UnrolledError, message_of
from models.registry.hugging_face.saved_folder import adopt_saved_folder, is_saved_folder
from models.registry.registry import Registry, write_example


def main() -> None:
    """Write `example.json`, which the page shows before torch is loaded."""
    parser = argparse.ArgumentParser(prog="python -m models.registry", description=__doc__)
    parser.add_argument(
        "names", nargs="*", help="checkpoints, or folders of save_pretrained; all checkpoints if none"
    )
    parser.add_argument("--root", type=Path, default=Path("checkpoints"))
    options = parser.parse_args()
    torch.set_num_threads(1)
    registry = Registry(options.root)
    try:
        for name in options.names or registry.names():
            _write(name, registry, options.root)
    except (UnrolledError, OSError) as error:
        sys.exit(message_of(error))


def _write(name: str, registry: Registry, root: Path) -> None:
    """Write the example of a checkpoint, or first make a saved folder one. Raises UnrolledError, OSError."""
    adopted = is_saved_folder(saved := Path(name))
    if adopted:
        name = saved.absolute().name
        adopt_saved_folder(saved, root / name)
    try:
        checkpoint = registry.load(name, torch.device("cpu"))
    except UnrolledError:
        if adopted:
            shutil.rmtree(root / name)
        raise
    trace = write_example(root / name, checkpoint)
    source = "a picture" if checkpoint.tokenizer.picture else trace.source_text
    print(f"{name}: {source} -> {trace.hypotheses[0].text}")


if __name__ == "__main__":
    main()
