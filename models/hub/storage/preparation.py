"""Turns downloaded files into a checkpoint and tries it, so that only usable models are ever listed.

A pickle can run any code. So only torch's restricted unpickler reads it, and may refuse it. Its weights
become safetensors.
"""

from __future__ import annotations

import json
import shutil
import threading
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from models.errors import Message
from models.hub.download.fetch import DownloadProgress, Report
from models.hub.errors import HubError, cancellation, explain_local, too_little_memory, unreadable
from models.hub.listing import model_files
from models.hub.listing.curated import CURATED_MODELS
from models.hub.listing.model_files import NATIVE_KIND, RepositoryListing
from models.registry.card import CARD, CheckpointError
from models.registry.checkpoint import WEIGHTS, load_checkpoint
from models.registry.hugging_face.checks import check_loaded
from models.registry.hugging_face.files import LOADING_LOCK, line_of_error
from models.sizes import size_text

if TYPE_CHECKING:
    from torch import Tensor

CHOOSE_OR_CONVERT = Message(
    "choose_or_convert",
    "choose a model that has {file}, or convert it with the transformers library on its authors' side",
    file=WEIGHTS,
)
MAX_COMPUTED_NUMBERS = 1 << 25  # a network may compute this many numbers, such as sines of positions


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


def check_index(listing: RepositoryListing, folder: Path) -> None:
    """Raise HubError if the index of shards names another file, such as one outside the folder."""
    for name in (model_files.WEIGHTS_INDEX, model_files.PICKLED_INDEX):
        path = folder / name
        if path.is_file():
            try:
                shard_names = set(json.loads(path.read_bytes())["weight_map"].values())
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                shard_names = {""}
            if not shard_names <= set(listing.weights):
                raise HubError(
                    "hub_index_does_not_fit",
                    "{file} of {model} does not fit its weights: {remedy}",
                    file=name,
                    model=listing.repo_id,
                    remedy=CHOOSE_OR_CONVERT,
                )


def check_tokenizer(listing: RepositoryListing, folder: Path) -> None:
    """Raise HubError for settings of a tokenizer that cannot be read or have impossible sizes."""
    path = folder / "tokenizer_config.json"
    if path.is_file():
        try:
            settings = json.loads(path.read_bytes())
        except (ValueError, RecursionError) as error:
            raise HubError(unreadable(path.name, listing.repo_id, model_files.CHOOSE_ANOTHER)) from error
        model_files.check_settings(listing.repo_id, settings)


def check_network(listing: RepositoryListing, folder: Path) -> None:
    """Raise HubError for a network with missing weights: the library would draw them at random.

    The check takes no memory for the network, since its description may ask for more than any machine has.
    """
    import torch

    repo_id = listing.repo_id
    try:
        with LOADING_LOCK, torch.device("meta"):
            from transformers import AutoConfig, AutoModelForSeq2SeqLM

            config = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
            make: Any = AutoModelForSeq2SeqLM.from_config
            model = make(config, trust_remote_code=False, dtype=torch.float32)
    except Exception as error:
        raise HubError(
            "hub_no_network",
            "{model} does not describe a network ({reason}): {remedy}",
            model=repo_id,
            reason=line_of_error(error),
            remedy=model_files.CHOOSE_ANOTHER,
        ) from error
    size = sum(tensor.numel() for tensor in (*model.parameters(), *model.buffers()))
    if size > listing.weight_bytes + MAX_COMPUTED_NUMBERS:  # each number takes at least a byte
        raise HubError(
            "hub_network_without_weights",
            "{model} describes a network of {count} million numbers, which its weights of {size} "
            "do not hold: {remedy}",
            model=repo_id,
            count=f"{size / 1e6:,.0f}",
            size=size_text(listing.weight_bytes),
            remedy=model_files.CHOOSE_ANOTHER,
        )


def convert(listing: RepositoryListing, folder: Path) -> None:
    """Put `model.safetensors` into `folder` in place of its pickled weights.

    Raises HubError, and CheckpointError if weights are missing.
    """
    repo_id = listing.repo_id
    weights: dict[str, Tensor] = {}
    for name in listing.weights:
        weights |= _unpickle(folder / name, repo_id)
    try:
        converted = folder / "converted"
        with LOADING_LOCK:
            model = _network(weights, folder)
            for name in (*listing.weights, model_files.PICKLED_INDEX):
                (folder / name).unlink(missing_ok=True)
            # The network knows its tied weights, and writes them once.
            model.save_pretrained(converted, max_shard_size="1TB")
        (converted / WEIGHTS).replace(folder / WEIGHTS)
        for path in converted.iterdir():  # the new configuration has fewer entries than the downloaded one
            path.unlink()
        converted.rmdir()
    except CheckpointError:
        raise
    except Exception as error:
        not_converted = Message(
            "hub_not_converted",
            "{file} of {model} could not be converted ({reason}): {remedy}",
            file=model_files.PICKLED_WEIGHTS,
            model=repo_id,
            reason=line_of_error(error),
            remedy=CHOOSE_OR_CONVERT,
        )
        raise HubError(explain_local(error, repo_id) or not_converted) from error


def _unpickle(path: Path, repo_id: str) -> Mapping[str, Tensor]:
    import torch

    try:
        # Files from before 2020 are not archives and cannot be mapped into memory.
        mapped = zipfile.is_zipfile(path)
        if mapped and _is_compressed(path):
            raise ValueError("torch stores what it saves as it is")
        result = torch.load(path, weights_only=True, mmap=mapped, map_location="cpu")
    except Exception as error:
        more_than_weights = Message(
            "hub_more_than_weights",
            "{file} of {model} holds more than weights, so it is not read: {remedy}",
            file=path.name,
            model=repo_id,
            remedy=CHOOSE_OR_CONVERT,
        )
        raise HubError(explain_local(error, repo_id) or more_than_weights) from error
    if not isinstance(result, Mapping) or not all(
        isinstance(name, str) and isinstance(tensor, torch.Tensor) for name, tensor in result.items()
    ):
        raise HubError(
            "hub_no_weights_in_file",
            "{file} of {model} holds something other than weights: {remedy}",
            file=path.name,
            model=repo_id,
            remedy=CHOOSE_OR_CONVERT,
        )
    return result


def _is_compressed(path: Path) -> bool:
    """Whether a few bytes of an archive may become gigabytes."""
    with zipfile.ZipFile(path) as archive:
        return any(entry.compress_type != zipfile.ZIP_STORED for entry in archive.infolist())


def _network(weights: dict[str, Tensor], folder: Path) -> Any:
    """The library's network with these weights, from which tied weights are known. Raises CheckpointError."""
    import torch
    from transformers import AutoConfig, AutoModelForSeq2SeqLM

    config = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    family: Any = AutoModelForSeq2SeqLM._model_mapping[type(config)]
    # For half precision the library would change the default of all threads meanwhile.
    model, report = family.from_pretrained(
        None, config=config, state_dict=weights, output_loading_info=True, dtype=torch.float32
    )
    check_loaded(folder.name, model, report)
    kinds = {tensor.dtype for tensor in weights.values() if tensor.is_floating_point()}
    return model.to(kinds.pop()) if len(kinds) == 1 else model
