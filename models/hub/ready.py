"""Makes a checkpoint of downloaded files, and tries it, so that no list ever shows what cannot be used."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

from models.hub.convert import check_index, convert
from models.hub.errors import HubError, cancellation, too_little_memory
from models.hub.listing import CHOOSE, OWN, RepositoryListing
from models.hub.progress import Progress, Report
from models.registry.card import CARD, CheckpointError
from models.registry.checkpoint import load_checkpoint, load_config

DEEPEST = 200  # layers; to build a network of a million takes hours


def make_ready(
    listing: RepositoryListing, files: Path, folder: Path, report: Report, cancelled: threading.Event
) -> None:
    """Move `files` into the new `folder` as a checkpoint that loads. Raises HubError, HubCancelledError."""
    shutil.rmtree(files / ".cache", ignore_errors=True)  # notes of huggingface_hub
    if listing.kind == OWN:
        files.rename(folder)
    else:
        _arrange(listing, files, folder)
    try:
        if listing.converts:
            report(Progress("converting", listing.bytes, listing.bytes))
            convert(listing, folder / "transformers")
        if cancelled.is_set():
            raise cancellation(listing.repo_id)
        report(Progress("trying", listing.bytes, listing.bytes))
        _try(listing, folder)
    except CheckpointError as error:
        raise HubError(
            f"{listing.repo_id} cannot be used: its {error.file} {error.problem}; choose another model"
        ) from error
    except (RuntimeError, MemoryError) as error:
        from models.device import is_out_of_memory

        if is_out_of_memory(error):
            raise HubError(too_little_memory(listing.repo_id)) from error
        raise


def _arrange(listing: RepositoryListing, files: Path, folder: Path) -> None:
    folder.mkdir()
    files.rename(folder / "transformers")
    check_index(listing, folder / "transformers")
    if (folder / "transformers" / CARD).exists():
        (folder / "transformers" / CARD).rename(folder / CARD)


def _try(listing: RepositoryListing, folder: Path) -> None:
    if listing.kind != OWN:
        from models.registry.foreign import adopt

        adopt(folder, listing.repo_id)
        return
    import torch

    network = load_config(folder).network
    depths = [value for name, value in network.items() if "layers" in name]
    if any(not isinstance(depth, int) or depth > DEEPEST for depth in depths):
        raise HubError(f"{listing.repo_id} describes a network of too many layers: {CHOOSE}")
    load_checkpoint(folder, torch.device("cpu"))
