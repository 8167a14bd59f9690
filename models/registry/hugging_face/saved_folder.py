"""A folder of `save_pretrained` as a checkpoint, without moving or changing its files."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from models.errors import Message
from models.registry.card import CheckpointError
from models.registry.checkpoint import CONFIG
from models.registry.hugging_face.checks import FILES_FOLDER
from models.registry.hugging_face.files import GENERATION, adopt

_LIBRARY_SUFFIXES = frozenset(
    {".json", ".safetensors", ".txt", ".model", ".spm"}
)  # other files may be pickles


def is_saved_folder(folder: Path) -> bool:
    """Whether a folder has the configuration and the weights of a model of the transformers library."""
    try:
        config = json.loads((folder / CONFIG).read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    is_of_library = isinstance(config, dict) and "model_type" in config and "network" not in config
    return is_of_library and any(folder.glob("*.safetensors"))


def adopt_saved_folder(saved: Path, folder: Path) -> None:
    """Make the new `folder` a checkpoint of links to the files of `saved`.

    Raises CheckpointError, also if there is a `folder` already, which stays as it is.
    """
    files = folder / FILES_FOLDER
    try:
        folder.mkdir(parents=True)
    except FileExistsError as error:
        problem = Message("checkpoint_there", "is there already")
        remedy = Message("rename_folder", "Give your folder another name.")
        raise CheckpointError(folder.name, CONFIG, problem, remedy) from error
    files.mkdir()
    try:
        for path in saved.absolute().iterdir():
            if path.suffix not in _LIBRARY_SUFFIXES or not path.is_file():
                continue
            if path.name == GENERATION:  # `adopt` writes it
                shutil.copyfile(path, files / path.name)
            else:
                _link(path, files / path.name)
        adopt(folder, saved.name)
    except BaseException:
        shutil.rmtree(folder)
        raise


def _link(path: Path, link: Path) -> None:
    try:
        link.symlink_to(path)
    except OSError:  # Windows allows links to developers alone
        shutil.copyfile(path, link)
