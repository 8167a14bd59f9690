"""Turns downloaded files into a checkpoint and tries it, so that only usable models are ever listed."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

from models.errors import Message
from models.hub.download.fetch import DownloadProgress, Report
from models.hub.errors import HubError, cancellation, explain_local, too_little_memory
from models.hub.listing.curated import CURATED_MODELS
from models.hub.listing.model_files import NATIVE_KIND, RepositoryListing
from models.hub.storage.convert import check_index, check_network, check_tokenizer, convert
from models.registry.card import CARD, CheckpointError
from models.registry.checkpoint import load_checkpoint


def make_ready(
    listing: RepositoryListing, files: Path, folder: Path, report: Report, cancelled: threading.Event
) -> None:
    """Move `files` into the new `folder` as a checkpoint that loads. Raises HubError, HubCancelledError."""
    shutil.rmtree(files / ".cache", ignore_errors=True)  # notes of huggingface_hub
    if listing.kind == NATIVE_KIND:
        files.rename(folder)
    else:
        _arrange(listing, files, folder)
    try:
        if listing.converts:
            report(DownloadProgress("converting", listing.bytes, listing.bytes))
            convert(listing, folder / "transformers")
        if cancelled.is_set():
            raise cancellation(listing.repo_id)
        report(DownloadProgress("trying", listing.bytes, listing.bytes))
        _try(listing, folder)
    except CheckpointError as error:
        cannot_be_used = Message(
            "hub_model_unusable",
            "{model} cannot be used: its {file} {problem}; choose another model",
            model=listing.repo_id,
            file=error.file,
            problem=error.problem,
        )
        raise HubError(_machine_problem(error.__cause__, listing.repo_id) or cannot_be_used) from error
    except (RuntimeError, MemoryError) as error:
        problem = _machine_problem(error, listing.repo_id)
        if problem:
            raise HubError(problem) from error
        raise


def _machine_problem(error: BaseException | None, repo_id: str) -> Message | None:
    """The sentence for an error that is not the model's fault; None for any other."""
    from models.device import is_out_of_memory

    if error is None:
        return None
    return too_little_memory(repo_id) if is_out_of_memory(error) else explain_local(error, repo_id)


def _arrange(listing: RepositoryListing, files: Path, folder: Path) -> None:
    folder.mkdir()
    files.rename(folder / "transformers")
    check_index(listing, folder / "transformers")
    check_tokenizer(listing, folder / "transformers")
    check_network(listing, folder / "transformers")
    if (folder / "transformers" / CARD).exists():
        (folder / "transformers" / CARD).rename(folder / CARD)


def _try(listing: RepositoryListing, folder: Path) -> None:
    if listing.kind != NATIVE_KIND:
        from models.registry.hugging_face.files import adopt

        examples = [model.example for model in CURATED_MODELS if model.repo_id == listing.repo_id]
        adopt(folder, listing.repo_id, examples)
        return
    import torch

    load_checkpoint(folder, torch.device("cpu"))
